package fetch

import (
	"encoding/json"
	"net/http"

	"github.com/orbweaver/orbweaver/urinorm"
)

// sharedCookie is a cookie as processes share it.
type sharedCookie struct {
	URL    string `json:"url"` // of the answer that set it
	Cookie string `json:"cookie"`
}

// ShareCookies tells other processes of the cookies that hosts set, apart from those of
// sessions: share gets what identifies a cookie and its value, which LearnCookie of the other
// processes reads. It is called before the first request.
func (h *HTTP) ShareCookies(share func(name string, value []byte)) { h.cookies.share = share }

// LearnCookie stores a cookie that another process told of. Malformed ones are ignored.
func (h *HTTP) LearnCookie(value []byte) { h.cookies.learn(value) }

// tell tells other processes of cookies.
func (c *cookies) tell(u urinorm.URL, set []*http.Cookie) {
	if c.share == nil {
		return
	}
	for _, cookie := range set {
		value, err := json.Marshal(sharedCookie{u.WithoutUserinfo().WithoutFragment().String(), cookie.String()})
		if err == nil {
			c.share(u.Scheme()+"://"+u.Authority()+" "+cookie.Name+";"+cookie.Domain+";"+cookie.Path, value)
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
