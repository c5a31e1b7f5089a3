package redisstore

import (
	"errors"
	"fmt"
	"net"
	"net/url"
	"strconv"
	"strings"

	"github.com/orbweaver/orbweaver/crawler/internal/lazy"
)

// Address names a crawl on a server. Its forms are
//
//	redis://[[USER]:PASSWORD@]HOST[:6379][/DB]?crawl=NAME     rediss: over TLS
//	unix://[[USER]:PASSWORD@]/PATH/TO/SOCKET?crawl=NAME[&db=N]
//	redis-cluster://[[USER]:PASSWORD@]HOST:PORT[,HOST:PORT…]?crawl=NAME     rediss-cluster: over TLS
type Address struct {
	scheme         string
	user, Password string
	hosts          []string // HOST:PORT, or the path of a socket
	db             int
	Crawl          string
	password       bool // one was given, though it may be empty
}

// Addresses name a crawl on several servers, in their order.
type Addresses []*Address

// MaxServers is how many servers a crawl has at most.
const MaxServers = 16

// clusterParts is into how many parts a crawl on a cluster is divided, each with keys on one node. It
// does not depend on how many nodes there are, since that may change. Two, three or six nodes get parts
// of equal size, more than six do not take part: each pair of parts costs every process a look a second.
const clusterParts = 6

// ParseAddresses reads addresses that spaces separate. The errors do not contain a password.
func ParseAddresses(text string) (list Addresses, err error) {
	for _, one := range strings.Fields(text) {
		a, err := ParseAddress(one)
		if err != nil {
			return nil, err
		}
		for _, other := range list {
			switch {
			case other.samePlace(a):
				return nil, fmt.Errorf("%s is given twice", a)
			case other.Crawl != a.Crawl:
				return nil, fmt.Errorf("all addresses must name the same crawl, not %s and %s", other.Crawl, a.Crawl)
			case other.isCluster() || a.isCluster():
				return nil, fmt.Errorf("a cluster is one address, not several: %s", a)
			}
		}
		list = append(list, a)
	}
	switch {
	case len(list) == 0:
		_, err = ParseAddress(text)
		return nil, err
	case len(list) > MaxServers:
		return nil, fmt.Errorf("%d servers are given; a crawl has at most %d", len(list), MaxServers)
	}
	return list, nil
}

// String returns the addresses with *** for passwords.
func (l Addresses) String() string { return l.join((*Address).String) }

// WithoutPasswords returns the addresses as they may be stored.
func (l Addresses) WithoutPasswords() string { return l.join((*Address).withoutPassword) }

func (l Addresses) join(text func(*Address) string) string {
	all := make([]string, len(l))
	for i, a := range l {
		all[i] = text(a)
	}
	return strings.Join(all, " ")
}

// crawlName is what the name of a crawl may be.
var crawlName = lazy.Regexp(`^[A-Za-z0-9._-]{1,64}$`)

// schemes are the schemes of addresses.
const schemes = "redis, rediss, unix, redis-cluster and rediss-cluster"

// defaultPort is the port of a server.
const defaultPort = "6379"

// ParseAddress reads an address. The errors do not contain a password.
func ParseAddress(text string) (*Address, error) {
	scheme, rest, ok := strings.Cut(text, "://")
	if !ok {
		return nil, fmt.Errorf("it is not an address; write redis://HOST:%s?crawl=NAME", defaultPort)
	}
	a := &Address{scheme: strings.ToLower(scheme)}
	switch a.scheme {
	case "redis", "rediss", "unix", "redis-cluster", "rediss-cluster":
	default:
		return nil, fmt.Errorf("the scheme %q is not known; the schemes are %s", scheme, schemes)
	}
	rest, query, _ := strings.Cut(rest, "?")
	if strings.Contains(rest, "#") || strings.Contains(query, "#") {
		return nil, errors.New(`it contains "#"; in a password, write %23`)
	}
	if err := a.readQuery(query); err != nil {
		return nil, err
	}
	authority := rest
	if a.scheme == "unix" {
		if at := strings.IndexByte(rest, '@'); at >= 0 && !strings.HasPrefix(rest, "/") {
			authority = rest[:at+1]
			rest = rest[at+1:]
		} else {
			authority = ""
		}
	}
	if at := strings.LastIndexByte(authority, '@'); at >= 0 {
		if err := a.readUser(authority[:at]); err != nil {
			return nil, err
		}
		if a.scheme != "unix" {
			rest = rest[at+1:]
		}
	}
	return a, a.readHosts(rest)
}

func (a *Address) readUser(text string) (err error) {
	user, password, ok := strings.Cut(text, ":")
	if !ok {
		return errors.New("the part before @ has no colon; write :PASSWORD@ or USER:PASSWORD@")
	}
	if a.user, err = url.PathUnescape(user); err != nil {
		return errors.New("the user has a wrong percent-encoding")
	}
	if a.Password, err = url.PathUnescape(password); err != nil {
		return errors.New("the password has a wrong percent-encoding")
	}
	a.password = true
	return nil
}

func (a *Address) readQuery(query string) error {
	values, err := url.ParseQuery(query)
	if err != nil {
		return errors.New("its query has a wrong percent-encoding")
	}
	for name, list := range values {
		if len(list) > 1 {
			return fmt.Errorf("the parameter %q is given twice", name)
		}
		switch {
		case name == "crawl":
			a.Crawl = list[0]
		case name == "db" && a.scheme == "unix":
			if a.db, err = database(list[0]); err != nil {
				return err
			}
		default:
			return fmt.Errorf("the parameter %q is not known", name)
		}
	}
	if a.Crawl == "" {
		return errors.New("it names no crawl; add ?crawl=NAME")
	}
	if !crawlName().MatchString(a.Crawl) {
		return fmt.Errorf("%q cannot be the name of a crawl; use 1 to 64 letters, digits, and . _ -", a.Crawl)
	}
	return nil
}

func database(text string) (int, error) {
	n, err := strconv.Atoi(text)
	if err != nil || n < 0 || text[0] == '+' || n > 1<<20 {
		return 0, fmt.Errorf("the database %q is not a number", text)
	}
	return n, nil
}

func (a *Address) readHosts(rest string) (err error) {
	if a.scheme == "unix" {
		path, err := url.PathUnescape(rest)
		if err != nil || !strings.HasPrefix(path, "/") {
			return errors.New("a unix address needs the absolute path of a socket: unix:///run/redis.sock?crawl=NAME")
		}
		a.hosts = []string{path}
		return nil
	}
	hosts, path, _ := strings.Cut(rest, "/")
	if path != "" {
		if a.db, err = database(path); err != nil {
			return err
		}
		if a.isCluster() && a.db != 0 {
			return fmt.Errorf("a cluster has only the database 0, not %d", a.db)
		}
	}
	list := []string{hosts}
	if a.isCluster() {
		list = strings.Split(hosts, ",")
	}
	for _, h := range list {
		host, port, err := net.SplitHostPort(h)
		if err != nil {
			host, port = strings.Trim(h, "[]"), defaultPort
		}
		n, err := strconv.Atoi(port)
		if host == "" || err != nil || n < 1 || n > 65535 || strings.ContainsAny(host, ", @") {
			return fmt.Errorf("%q is not HOST:PORT", h)
		}
		a.hosts = append(a.hosts, net.JoinHostPort(host, port))
	}
	return nil
}

// isCluster reports whether the address is that of a cluster.
func (a *Address) isCluster() bool { return strings.HasSuffix(a.scheme, "-cluster") }

// TLS reports whether the connection is encrypted.
func (a *Address) TLS() bool { return strings.HasPrefix(a.scheme, "rediss") }

// HasPassword reports whether the address has a password.
func (a *Address) HasPassword() bool { return a.password }

// text returns the address with what replaces the password.
func (a *Address) text(password string) string {
	var b strings.Builder
	b.WriteString(a.scheme + "://")
	if password != "" {
		b.WriteString(url.PathEscape(a.user) + ":" + password + "@")
	} else if a.user != "" {
		b.WriteString(url.PathEscape(a.user) + ":@")
	}
	b.WriteString(strings.Join(a.hosts, ","))
	if a.scheme != "unix" && a.db != 0 {
		fmt.Fprintf(&b, "/%d", a.db)
	}
	b.WriteString("?crawl=" + a.Crawl)
	if a.scheme == "unix" && a.db != 0 {
		fmt.Fprintf(&b, "&db=%d", a.db)
	}
	return b.String()
}

// String returns the address with *** for the password.
func (a *Address) String() string {
	if a.Password != "" {
		return a.text("***")
	}
	return a.text("")
}

// withoutPassword returns the address as it may be stored.
func (a *Address) withoutPassword() string { return a.text("") }

// samePlace reports whether two addresses name the same crawl.
func (a *Address) samePlace(b *Address) bool {
	return a.withoutPassword() == b.withoutPassword()
}

// prefix returns the beginning of all keys of the crawl on a server, of so many that it has. The part in
// braces, the hash tag, decides on which node of a cluster they are.
func (a *Address) prefix(shard, of int) string {
	switch {
	case a.isCluster():
		return "{" + a.tag(shard, of) + "}:"
	case of == 1:
		return "{orbweaver:" + a.Crawl + "}:"
	}
	return fmt.Sprintf("{orbweaver:%s:%d}:", a.Crawl, shard)
}

// tag returns the first hash tag whose slot is in a part of the slots of a cluster, of so many parts of
// equal size: nodes that have as many slots as others get as many parts of the crawl, give or take one.
func (a *Address) tag(part, of int) string {
	for n := 0; ; n++ {
		tag := fmt.Sprintf("orbweaver:%s:%d", a.Crawl, n)
		if slotOf(tag)*of/slots == part {
			return tag
		}
	}
}

// slots is how many slots a cluster has.
const slots = 16384

// slotOf returns the slot of a hash tag: its CRC-16 (XMODEM), as the cluster specification says.
func slotOf(tag string) int {
	crc := uint16(0)
	for _, c := range []byte(tag) {
		crc ^= uint16(c) << 8
		for range 8 {
			carry := crc >> 15
			crc = crc<<1 ^ carry*0x1021
		}
	}
	return int(crc) % slots
}
