package formlogin

import (
	"net/http"
	"sync"

	"github.com/orbweaver/orbweaver/crawler/internal/traffic"
	"github.com/orbweaver/orbweaver/crawler/session"
	"github.com/orbweaver/orbweaver/urinorm"
)

// setCookies are the cookies that requests of a session have set. The client sends them;
// here they show what an answer removes, and what must not be printed. They are safe for
// concurrent use.
type setCookies struct {
	mu      sync.Mutex
	values  map[cookieKey]session.Secret
	removed bool // an answer to a request of the session has removed one since renewed was called
}

// cookieKey identifies a cookie by the origin that has set it.
type cookieKey struct{ origin, name string }

// note remembers the cookies that an answer sets, and forgets those that it removes.
func (c *setCookies) note(u urinorm.URL, header http.Header) {
	if len(header["Set-Cookie"]) == 0 {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, cookie := range (&http.Response{Header: header}).Cookies() {
		switch key := (cookieKey{originOf(u), cookie.Name}); {
		case !traffic.HasExpired(cookie):
			if c.values == nil {
				c.values = map[cookieKey]session.Secret{}
			}
			c.values[key] = session.NewSecret(cookie.Value)
		case !c.values[key].IsZero():
			delete(c.values, key)
			c.removed = true
		}
	}
}

// renewed notes that a sign-in has succeeded.
func (c *setCookies) renewed() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.removed = false
}

// removedBy reports whether an answer removes one of the cookies.
func (c *setCookies) removedBy(header http.Header) bool {
	if len(header["Set-Cookie"]) == 0 {
		return false
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, cookie := range (&http.Response{Header: header}).Cookies() {
		if !traffic.HasExpired(cookie) {
			continue
		}
		for key := range c.values {
			if key.name == cookie.Name {
				return true
			}
		}
	}
	return false
}

// header returns the header field with the cookies that an origin has set. It is empty if
// there are none, or if some have been removed.
func (c *setCookies) header(origin string) http.Header {
	c.mu.Lock()
	defer c.mu.Unlock()
	r := http.Request{Header: http.Header{}}
	for key, value := range c.values {
		if key.origin == origin && !c.removed {
			r.AddCookie(&http.Cookie{Name: key.name, Value: value.Reveal()})
		}
	}
	return r.Header
}

// secrets returns the values.
func (c *setCookies) secrets() []session.Secret {
	c.mu.Lock()
	defer c.mu.Unlock()
	var list []session.Secret
	for _, value := range c.values {
		list = append(list, value)
	}
	return list
}

// originOf returns the scheme, host and port of a URL (RFC 6454 section 6.2).
func originOf(u urinorm.URL) string { return u.Scheme() + "://" + u.Authority() }
