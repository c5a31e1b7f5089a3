package traffic

import (
	"net/http"
	"time"
)

// SharedCookie is what other processes are told of a cookie: what identifies it, and the value that
// fetch.HTTP.LearnCookie reads.
type SharedCookie struct {
	Name  string
	Value []byte
}

// HasExpired reports whether a Set-Cookie removes its cookie.
func HasExpired(cookie *http.Cookie) bool {
	return cookie.MaxAge < 0 || cookie.MaxAge == 0 && !cookie.Expires.IsZero() && !cookie.Expires.After(time.Now())
}
