package fetch

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/orbweaver/orbweaver/urinorm"
)

// OtherSchemesConfig says what the servers of other schemes than the web's are asked
// with, beyond what the HTTP beside them has: its limits, its name servers, its
// accounts, its allowed ports.
type OtherSchemesConfig struct {
	// NewsServer answers for news: URLs that name no server: "host" or
	// "host:port". "" means the environment's NNTP_SERVER; when that is empty too,
	// such URLs are skipped.
	NewsServer string
	// DNSServer ("address:port") is asked for what is more than an address: the
	// records that dns: URLs name and mail exchangers. "" means the system's.
	DNSServer string
}

// OtherSchemes asks the servers of the schemes beside the web: ftp, ftps, gopher, news,
// nntp, snews, telnet, ldap, ldaps, ws, wss, dict, finger and dns; and mail
// servers, when that is wanted. It goes by the connections of an HTTP: names are
// looked up by the same resolver, certificates are judged by the same rules,
// private addresses are as forbidden, --connect-to holds. A SOCKS proxy carries all of
// them but dns; a proxy of HTTP's is asked for ws, wss and ftp, and the others go past
// it, as they have no way through.
//
// What a URL says never reaches a server that reads lines before control
// characters and the byte 255, Telnet's IAC, were refused (RFC 3986 section 7.2).
// A conversation is bounded in time as an exchange over HTTP is, each step and the
// whole, and in size.
//
// Answers have Status 0, except for redirects: an FTP directory without its slash
// (301), an LDAP referral (302), and for ws and wss, which have HTTP's. Faults are
// of HTTP's kinds and of these, which say what servers say in their own numbers:
//
//	file-missing     the server says that it is not there
//	file-unreadable  the server wants an account for it, or another one
//	rate-limited     the server is busy, or turns visitors away for now
//	uri-invalid      the URL can't be put to a server of its scheme
//	scheme-unchecked there is nobody to ask, or nothing that could be asked
//
// A Daemons is safe for concurrent use. It holds nothing that has to be closed but
// the HTTP, which outlives it.
type OtherSchemes struct {
	web        *HTTP
	tls        *tls.Config
	newsServer urinorm.URL // zero for none
	records    *net.Resolver
	ports      map[int]bool // allowed by the user
}

// NewOtherSchemes checks the configuration. It sends nothing.
func NewOtherSchemes(web *HTTP, config OtherSchemesConfig) (*OtherSchemes, error) {
	d := &OtherSchemes{web: web, tls: web.transports.fallback.TLSClientConfig.Clone(), ports: make(map[int]bool)}
	d.tls.NextProtos = nil
	for _, port := range web.allowPorts {
		d.ports[port] = true
	}
	server := config.NewsServer
	if server == "" {
		server = os.Getenv("NNTP_SERVER")
	}
	if server != "" {
		var err error
		if d.newsServer, err = parseServer(server); err != nil {
			return nil, err
		}
	}
	if config.DNSServer != "" {
		if err := checkNameServer(config.DNSServer); err != nil {
			return nil, err
		}
	}
	d.records = recordResolver(config.DNSServer)
	return d, nil
}

// CheckNewsServer reports what is wrong with the name of a news server: "host" or
// "host:port", IPv6 addresses in brackets.
func CheckNewsServer(server string) error {
	_, err := parseServer(server)
	return err
}

// parseServer reads "host" or "host:port"; the result's path is empty.
func parseServer(s string) (urinorm.URL, error) {
	u, _, err := urinorm.ParseWeb("nntp://" + s)
	if err != nil || u.Host() == "" || u.HasUserinfo() || u.RequestTarget() != "" {
		return urinorm.URL{}, fmt.Errorf("parse server %q: want HOST or HOST:PORT", s)
	}
	return u, nil
}

// schemeFetcher is a row of the table of schemes: a Fetcher.
type schemeFetcher struct {
	*OtherSchemes
	scheme string
	port   int  // the one that may be left out
	secure bool // TLS from the first byte
	fetch  func(*session) (*Response, error)
}

// Fetch asks the server a URL names.
func (d *schemeFetcher) Fetch(ctx context.Context, req *Request) (*Response, error) {
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	s := d.newSession(ctx, req)
	resp, err := d.fetch(s)
	if err != nil {
		err = s.fault("fetch", err)
		s.end()
		return nil, err
	}
	if resp.Body == nil {
		s.end() // else the body does it
	}
	resp.Requests = s.requests
	resp.Notes = append(resp.Notes, s.notes...)
	return resp, nil
}

// serverAddr is the server a URL or the configuration names.
type serverAddr struct {
	host string // as a resolver wants it, IPv6 addresses without brackets
	port int
}

func (s serverAddr) hostport() string { return net.JoinHostPort(s.host, strconv.Itoa(s.port)) }

// serverOf returns the server of a URL, and refuses ports that belong to other
// services. Hosts of these schemes are not normalized in a URL; they are here.
func (d *schemeFetcher) serverOf(u urinorm.URL) (serverAddr, error) {
	s := serverAddr{port: d.port}
	host, err := hostName(u.Host())
	if err != nil {
		return s, invalidURL(u, err.Error())
	}
	s.host = host
	if len(s.host) > maxHostName {
		return s, &Fault{Kind: "dns-not-found", Op: "look up", Target: u.Authority(), Err: errors.New("the host name is longer than DNS allows")}
	}
	if port := u.Port(); port != "" {
		s.port, _ = parsePort(port)
	}
	if reason := d.blockedReason(s.port); reason != "" {
		return s, urlFault(u, "port-blocked", reason)
	}
	return s, nil
}

// urlFault is the fault of a URL that is not asked.
func urlFault(u urinorm.URL, kind, reason string) *Fault {
	return &Fault{Kind: kind, Op: "fetch", Target: u.WithoutFragment().Printed(), Err: errors.New(reason)}
}

// invalidURL is the fault of a URL that can't be put to a server of its scheme.
func invalidURL(u urinorm.URL, reason string) *Fault { return urlFault(u, "uri-invalid", reason) }

// blockedReason says why a port is not asked: it is neither the scheme's own nor beyond
// the well-known ones, and another service listens there that lines of this
// protocol may harm (RFC 3986 section 7.2).
func (d *schemeFetcher) blockedReason(port int) string {
	if port == d.port || d.ports[port] || slices.Contains(alternatePorts[d.scheme], port) {
		return ""
	}
	if service := blockedPorts[port]; service != "" {
		return fmt.Sprintf("port %d belongs to another service (%s)", port, service)
	}
	if _, bad := blockedPorts[port]; bad || port < 1024 {
		return fmt.Sprintf("port %d belongs to another service", port)
	}
	return ""
}

// alternatePorts are further ports that belong to a scheme.
var alternatePorts = map[string][]int{
	"ftp":  {990},
	"ftps": {21},
	"news": {563},
	"nntp": {563},
}

// hostName brings a URL's host into the form that resolvers want. The web's
// parser does that for the schemes it treats apart; of the others it keeps the
// host as it is written, percent-encoded (URL Standard 3.5, opaque hosts).
func hostName(host string) (string, error) {
	if host == "" {
		return "", errors.New("the host is missing")
	}
	u, _, err := urinorm.ParseWeb("http://" + host + "/")
	if err != nil || u.Host() == "" || u.Path() != "/" {
		return "", errors.New("the host is malformed")
	}
	return strings.Trim(u.Host(), "[]"), nil
}

// account returns the name and password to log in with: the URL's, else the ones
// given for the host, else nil.
func (s *session) account() (*account, error) {
	u := s.req.URL
	if !u.HasUserinfo() {
		return s.web.accounts.forURL(u, s.req.Internal), nil
	}
	name, err := decodeOnce(u.Username(), "")
	if err == nil {
		var password string
		if password, err = decodeOnce(u.Password(), ""); err == nil {
			return &account{name, password}, nil
		}
	}
	return nil, invalidURL(u, "the user name or password "+err.Error())
}

// decodeOnce undoes a part's percent-encoding, once. It refuses what must not
// reach a server that reads lines: control characters, but for those in allowed,
// and the byte 255, which is Telnet's IAC.
func decodeOnce(part, allowed string) (string, error) {
	decoded := percentDecode(part)
	for i := range len(decoded) {
		if c := decoded[i]; (c < 0x20 || c == 0x7F) && strings.IndexByte(allowed, c) < 0 {
			return "", errControl
		} else if c == 0xFF {
			return "", errIAC
		}
	}
	return decoded, nil
}

var (
	errControl = errors.New("holds a control character, which must not reach the server")
	errIAC     = errors.New("holds the byte 255, which servers take for a command")
)

// percentDecode decodes each percent-encoding; a '%' that begins none stands for
// itself.
func percentDecode(s string) string {
	if strings.IndexByte(s, '%') < 0 {
		return s
	}
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] == '%' && i+2 < len(s) {
			if octet, err := strconv.ParseUint(s[i+1:i+3], 16, 8); err == nil {
				b.WriteByte(byte(octet))
				i += 2
				continue
			}
		}
		b.WriteByte(s[i])
	}
	return b.String()
}
