package scope

import (
	"path"
	"strings"

	"github.com/orbweaver/orbweaver/urinorm"
)

// CORS decides which requests name the origin of the pages, as browsers do for scripts and style sheets
// whose hash they compare. Only the answer to such a request shows whether browsers may use it: many
// servers answer others without the header Access-Control-Allow-Origin. Some servers refuse an origin
// that they do not know, so nothing is requested so but scripts and style sheets of other origins, which
// are known by their names.
type CORS struct {
	origin string // of the pages; "" if no request names it
}

// newCORS returns the rules for a run that starts from seeds.
func newCORS(s *Scope, seeds []Seed) CORS {
	if !s.Judging.Inspector.Needs().Hashes() {
		return CORS{}
	}
	for _, seed := range seeds {
		if seed.URL.IsZero() {
			continue
		}
		u := seed.URL
		if site := s.Sites.Of(u); site != nil {
			if u = site.Base(); site.Synthetic() { // nobody knows where it will be published
				continue
			}
		}
		if origin := originOf(u); origin != "" {
			return CORS{origin}
		}
	}
	return CORS{}
}

// Origin returns the origin that the request for the content of a target names, "" for none.
func (c CORS) Origin(u urinorm.URL) string {
	if c.origin == "" || originOf(u) == c.origin {
		return ""
	}
	switch strings.ToLower(path.Ext(u.Path())) {
	case ".js", ".mjs", ".css":
		return c.origin
	}
	return ""
}

// originOf returns the origin of a URL as the header Origin has it, "" if it is not of the web.
func originOf(u urinorm.URL) string {
	if scheme := u.Scheme(); scheme != "http" && scheme != "https" {
		return ""
	}
	return u.Scheme() + "://" + u.Authority()
}
