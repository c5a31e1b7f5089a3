package fetch

import (
	"bufio"
	"fmt"
	"maps"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/net/publicsuffix"

	"github.com/orbweaver/orbweaver/crawler/internal/traffic"
	"github.com/orbweaver/orbweaver/urinorm"
)

// Limits on what hosts may store (RFC 6265 section 6.1).
const (
	maxCookieSize     = 4096 // bytes of name, value, domain and path
	maxCookiesAnswer  = 64
	maxCookiesHost    = 180
	maxCookieBytes    = 16 << 20 // of all hosts, with what a jar needs for each cookie
	cookieOverhead    = 512      // bytes that a jar needs for a cookie apart from its texts
	maxCookieFileLine = 64 << 10
)

// cookies keeps the cookies of a run and sends each only to the hosts it was set for
// (RFC 6265, public suffixes refused). A cookie that a server sets is also bound to its
// port, and to TLS if it was set over TLS. Browsers share cookies among ports and with
// http, but here another port is another site and http is no place for secrets. cookies is
// safe for concurrent use.
type cookies struct {
	any atomic.Bool // there are cookies; most runs have none
	set atomic.Bool // a host has set a cookie

	file    []fileCookie   // the user's cookies
	userJar *cookiejar.Jar // the user's cookies only
	origins *Origins

	mu    sync.Mutex
	jars  map[jarKey]*cookiejar.Jar          // those set by servers, with and without the user's cookies
	hosts map[string]map[string]storedCookie // authority → cookies that it has set
	bytes int                                // of the cookies in hosts

	shares bool                   // other processes are told of cookies
	told   []traffic.SharedCookie // that they must be told of

	groups  map[string]cookieGroup // the group of an origin
	session map[sessionKey]sessionCookie
}

// storedCookie is what counts of a cookie.
type storedCookie struct {
	bytes   int       // the most that it took
	secure  bool      // it was set over TLS
	expires time.Time // zero for the end of the run
}

// jarKey selects a jar.
type jarKey struct {
	port string // "" for the default
	user bool   // the user's cookies may be sent to the URL
}

// fileCookie is a user's cookie and the URL it belongs to.
type fileCookie struct {
	from   *url.URL
	cookie *http.Cookie
}

// newCookies returns a jar with the cookies of a file in Netscape format, or an empty
// jar without a file.
func newCookies(file string, origins *Origins) (*cookies, error) {
	c := &cookies{origins: origins, jars: make(map[jarKey]*cookiejar.Jar), hosts: make(map[string]map[string]storedCookie)}
	if file == "" {
		return c, nil
	}
	f, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, maxCookieFileLine)
	for n := 1; lines.Scan(); n++ {
		if err := c.load(lines.Text()); err != nil {
			return nil, fmt.Errorf("read cookies %s: line %d: %w", file, n, err)
		}
	}
	if err := lines.Err(); err != nil {
		return nil, fmt.Errorf("read cookies %s: %w", file, err)
	}
	c.userJar = c.newJar(true)
	return c, nil
}

// newJar returns a jar, with the user's cookies if user is true.
func (c *cookies) newJar(user bool) *cookiejar.Jar {
	jar, _ := cookiejar.New(&cookiejar.Options{PublicSuffixList: publicsuffix.List}) // its error is always nil
	if user {
		for _, f := range c.file {
			jar.SetCookies(f.from, []*http.Cookie{f.cookie})
		}
	}
	return jar
}

// forUser reports whether the user's cookies may be sent to a URL.
func (c *cookies) forUser(u urinorm.URL) bool { return c.userJar != nil && c.origins.allows(u, false) }

// jarOf returns the jar for a URL, or nil if there are no cookies for it.
func (c *cookies) jarOf(u urinorm.URL) *cookiejar.Jar {
	user := c.forUser(u)
	c.mu.Lock()
	defer c.mu.Unlock()
	if jar := c.jars[jarKey{u.Port(), user}]; jar != nil {
		return jar
	}
	if user {
		return c.userJar
	}
	return nil
}

// load reads a line of a cookies.txt file: seven fields separated by tabs
//
//	domain  subdomains-too  path  secure-only  expiry  name  value
//
// "#HttpOnly_" may precede the domain, and the expiry 0 means none. Errors name the
// field but never contain the value.
func (c *cookies) load(line string) error {
	line = strings.TrimRight(line, "\r\n")
	_, httpOnly := strings.CutPrefix(line, "#HttpOnly_")
	if line = strings.TrimPrefix(line, "#HttpOnly_"); strings.TrimSpace(line) == "" || strings.HasPrefix(line, "#") {
		return nil
	}
	fields := strings.Split(line, "\t")
	if len(fields) == 6 {
		fields = append(fields, "") // an empty value whose tab was trimmed
	}
	if len(fields) != 7 {
		return fmt.Errorf("%d fields instead of 7", len(fields))
	}
	domain, path := strings.TrimPrefix(fields[0], "."), fields[2]
	expiry, err := strconv.ParseFloat(fields[4], 64)
	if err != nil {
		return fmt.Errorf("the expiry is not a number")
	}
	if domain == "" || fields[5] == "" {
		return fmt.Errorf("the domain or the name is empty")
	}
	cookie := &http.Cookie{Name: fields[5], Value: fields[6], Path: path, Secure: strings.EqualFold(fields[3], "TRUE"), HttpOnly: httpOnly}
	if strings.EqualFold(fields[1], "TRUE") {
		cookie.Domain = domain
	}
	if expiry > 0 {
		cookie.Expires = time.Unix(int64(expiry), 0)
	}
	c.file = append(c.file, fileCookie{&url.URL{Scheme: "https", Host: domain, Path: path}, cookie})
	c.any.Store(true)
	return nil
}

// addTo adds the cookies for a URL to a request header. It reports whether a host set
// any of them in this run.
func (c *cookies) addTo(u urinorm.URL, header http.Header) (own bool) {
	if !c.any.Load() {
		return false
	}
	r := http.Request{Header: header}
	if jar := c.jarOf(u); jar != nil {
		for _, cookie := range jar.Cookies(jarURL(u)) {
			r.AddCookie(cookie)
		}
	}
	return c.set.Load() && header.Get("Cookie") != c.fromUser(u)
}

// HasUserCookies reports whether the user gave cookies for a URL, in a file or as a header
// field.
func (h *HTTP) HasUserCookies(u urinorm.URL) bool {
	return h.cookies.fromUser(u) != "" || h.profiles.given.Get("Cookie") != "" && h.origins.Has(u)
}

// SecretHosts returns the hosts of the user's cookies and netrc entries, which may be no start targets. A
// name after a dot stands for all hosts below it, too.
func (h *HTTP) SecretHosts() []string {
	hosts := slices.Collect(maps.Keys(h.accounts.machines))
	for _, c := range h.cookies.file {
		name := strings.ToLower(c.from.Host)
		if c.cookie.Domain != "" {
			name = "." + name
		}
		hosts = append(hosts, name)
	}
	slices.Sort(hosts)
	return slices.Compact(hosts)
}

// fromUser returns the Cookie header that consists of the user's own cookies for a URL.
func (c *cookies) fromUser(u urinorm.URL) string {
	if !c.forUser(u) {
		return ""
	}
	r := http.Request{Header: http.Header{}}
	for _, cookie := range c.userJar.Cookies(jarURL(u)) {
		r.AddCookie(cookie)
	}
	return r.Header.Get("Cookie")
}

// store stores the cookies of an answer and reports whether there were any.
func (c *cookies) store(u urinorm.URL, resp *http.Response) bool {
	if len(resp.Header["Set-Cookie"]) == 0 {
		return false
	}
	set := resp.Cookies()
	if len(set) > maxCookiesAnswer {
		set = set[:maxCookiesAnswer]
	}
	kept := set[:0]
	secure := webScheme(u.Scheme()) == "https"
	for _, cookie := range set {
		if c.admit(u, cookie, secure) {
			cookie.Secure = cookie.Secure || secure
			kept = append(kept, cookie)
		}
	}
	if len(kept) == 0 {
		return false
	}
	if group := c.groups[originOf(u)]; group != nil {
		c.storeInGroup(group, u, kept)
	} else {
		c.add(u, kept)
		c.tell(u, kept)
	}
	c.any.Store(true)
	c.set.Store(true)
	return true
}

// add adds cookies to the jars for a URL's port.
func (c *cookies) add(u urinorm.URL, set []*http.Cookie) {
	for _, user := range []bool{false, true} {
		if !user || c.userJar != nil {
			c.jarFor(jarKey{u.Port(), user}).SetCookies(jarURL(u), set)
		}
	}
}

// jarFor returns the jar of a key, which it makes if there is none.
func (c *cookies) jarFor(key jarKey) *cookiejar.Jar {
	c.mu.Lock()
	defer c.mu.Unlock()
	jar := c.jars[key]
	if jar == nil {
		jar = c.newJar(key.user)
		c.jars[key] = jar
	}
	return jar
}

// admit reports whether a host and port may store a cookie. The jars themselves have no
// limits, and they would let an answer over http replace a cookie that was set over TLS (RFC
// 6265bis section 5.7). A jar has one cookie for each name, domain and path. Cookies that were
// removed or have expired do not count to the limits.
func (c *cookies) admit(u urinorm.URL, cookie *http.Cookie, secure bool) bool {
	size := len(cookie.Name) + len(cookie.Value) + len(cookie.Domain) + len(cookie.Path)
	if size > maxCookieSize {
		return false
	}
	domain, path := strings.ToLower(strings.TrimPrefix(cookie.Domain, ".")), cookie.Path
	if !strings.HasPrefix(path, "/") {
		path = defaultCookiePath(u.Path())
	}
	key := cookie.Name + ";" + domain + ";" + path // a name and a domain have no ";"
	size += len(key) + cookieOverhead
	c.mu.Lock()
	defer c.mu.Unlock()
	own := c.hosts[u.Authority()]
	if !secure {
		for other, stored := range own {
			if name, _, _ := strings.Cut(other, ";"); stored.secure && name == cookie.Name {
				return false
			}
		}
	}
	if traffic.HasExpired(cookie) {
		c.bytes -= own[key].bytes
		delete(own, key)
		return true // to be removed from the jars
	}
	fits := func() bool {
		before, known := own[key]
		return (known || len(own) < maxCookiesHost) && c.bytes+max(0, size-before.bytes) <= maxCookieBytes
	}
	if !fits() {
		if c.dropExpired(u); !fits() {
			return false
		}
	}
	if own == nil {
		own = make(map[string]storedCookie)
		c.hosts[u.Authority()] = own
	}
	before := own[key].bytes
	own[key] = storedCookie{max(before, size), secure, expiryOf(cookie)}
	c.bytes += max(0, size-before)
	return true
}

// dropExpired drops the cookies of a URL's host and port that have expired.
func (c *cookies) dropExpired(u urinorm.URL) {
	now, own := time.Now(), c.hosts[u.Authority()]
	for key, stored := range own {
		if !stored.expires.IsZero() && !stored.expires.After(now) {
			c.bytes -= stored.bytes
			delete(own, key)
		}
	}
	for _, user := range []bool{false, true} {
		if jar := c.jars[jarKey{u.Port(), user}]; jar != nil {
			jar.Cookies(jarURL(u)) // drops the expired cookies of the domain
		}
	}
}

// expiryOf returns when a cookie expires, or zero for the end of the run.
func expiryOf(cookie *http.Cookie) time.Time {
	if cookie.MaxAge > 0 {
		return time.Now().Add(time.Duration(cookie.MaxAge) * time.Second)
	}
	return cookie.Expires
}

// jarURL returns the parts of a URL that a cookie jar needs.
func jarURL(u urinorm.URL) *url.URL {
	return &url.URL{Scheme: u.Scheme(), Host: u.Authority(), Path: u.Path()}
}
