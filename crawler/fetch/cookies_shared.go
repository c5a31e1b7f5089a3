package fetch

import (
	"encoding/json"
	"net/http"

	"github.com/orbweaver/orbweaver/crawler/internal/traffic"
	"github.com/orbweaver/orbweaver/urinorm"
)

// sharedCookie is a cookie as processes share it.
type sharedCookie struct {
	URL    string `json:"url"` // of the answer that set it
	Cookie string `json:"cookie"`
}

// ShareCookies lets NewCookies return the cookies that hosts set from now on, apart from those of
// sessions.
func (h *HTTP) ShareCookies() {
	h.cookies.mu.Lock()
	defer h.cookies.mu.Unlock()
	h.cookies.shares = true
}

// NewCookies returns the cookies that were set since the last call.
func (h *HTTP) NewCookies() []traffic.SharedCookie {
	h.cookies.mu.Lock()
	defer h.cookies.mu.Unlock()
	set := h.cookies.told
	h.cookies.told = nil
	return set
}

// LearnCookie stores a cookie that another process told of. Malformed ones are ignored.
func (h *HTTP) LearnCookie(value []byte) { h.cookies.learn(value) }

// tell notes cookies for other processes.
func (c *cookies) tell(u urinorm.URL, set []*http.Cookie) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.shares {
		return
	}
	for _, cookie := range set {
		value, err := json.Marshal(sharedCookie{u.WithoutUserinfo().WithoutFragment().String(), cookie.String()})
		if err == nil {
			c.told = append(c.told, traffic.SharedCookie{Name: u.Scheme() + "://" + u.Authority() + " " + cookie.Name + ";" + cookie.Domain + ";" + cookie.Path, Value: value})
		}
	}
}

// learn stores a cookie that another process told of.
func (c *cookies) learn(value []byte) {
	var s sharedCookie
	if json.Unmarshal(value, &s) != nil {
		return
	}
	u, _, err := urinorm.ParseWeb(s.URL)
	if err != nil {
		return
	}
	cookie, err := http.ParseSetCookie(s.Cookie)
	if err != nil || c.groups[originOf(u)] != nil || !c.admit(u, cookie, webScheme(u.Scheme()) == "https") {
		return
	}
	c.add(u, []*http.Cookie{cookie})
	c.any.Store(true)
	c.set.Store(true)
}
