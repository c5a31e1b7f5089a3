package disk

import (
	"fmt"
	"strings"

	"github.com/orbweaver/orbweaver/urinorm"
)

// place is where a directory is published.
type place struct {
	base              urinorm.URL
	scheme, authority string
	path              string // of the base, with a final '/'
	prefix            string // scheme, authority and path, with which the URLs of files begin
	hasAlternates     bool   // the other of http and https, and the host with or without "www.", count as the same site
	synthetic         bool
}

func newPlace(c *SiteConfig) (place, error) {
	base := c.Base
	if base.IsZero() || base.Scheme() != "http" && base.Scheme() != "https" {
		return place{}, fmt.Errorf("open site %s: its base must be an http or https URL", c.Dir)
	}
	p := place{base: base, scheme: base.Scheme(), authority: base.Authority(), path: strings.TrimSuffix(base.Path(), "/") + "/",
		hasAlternates: base.Port() == "" && !c.Synthetic, synthetic: c.Synthetic}
	p.prefix = p.scheme + "://" + p.authority + p.path
	return p, nil
}

// Base returns the URL that the directory answers for.
func (p *place) Base() urinorm.URL { return p.base }

// Synthetic reports whether the base is made up.
func (p *place) Synthetic() bool { return p.synthetic }

// Holds reports whether the site answers for u, a URL below its base. If the base has
// no port, the same host with the other of http and https, or with or without "www.",
// belongs to the site too; it is redirected to the base.
func (p *place) Holds(u urinorm.URL) bool {
	if u.IsZero() || !p.isHost(u) && !p.isAlternateHost(u) {
		return false
	}
	path := u.Path()
	return strings.HasPrefix(path, p.path) || path == p.path[:len(p.path)-1]
}

func (p *place) isHost(u urinorm.URL) bool {
	return u.Authority() == p.authority && u.Scheme() == p.scheme
}

func (p *place) isAlternateHost(u urinorm.URL) bool {
	if !p.hasAlternates || u.Scheme() != "http" && u.Scheme() != "https" {
		return false
	}
	return strings.TrimPrefix(u.Authority(), "www.") == strings.TrimPrefix(p.authority, "www.")
}

// URLOf returns the URL of a file of the site, with its name percent-encoded. rel is a
// path from the root as in Walk. A name that ends in '/' is a directory.
func (p *place) URLOf(rel string) (urinorm.URL, error) {
	u, _, err := urinorm.ParseWeb(p.address(rel))
	return u, err
}

// address returns the URL of a file as a string.
func (p *place) address(rel string) string { return p.prefix + EscapePath(rel) }

// fileAt returns the path from the root that a URL stands for, whether or not there is such a file. ok
// is false if no file can have it.
func (p *place) fileAt(u urinorm.URL) (rel string, ok bool) {
	encoded, below := strings.CutPrefix(u.Path(), p.path)
	if !below {
		return "", false
	}
	return decodePath(encoded)
}
