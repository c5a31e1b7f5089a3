package scope

import (
	"bytes"
	"path/filepath"
	"strings"

	"github.com/orbweaver/orbweaver/crawler/fetch/disk"
	"github.com/orbweaver/orbweaver/urinorm"
)

// Sites are the directories that answer for URLs.
type Sites []*disk.Site

// Of returns the directory that answers for a URL, nil if there is none.
func (s Sites) Of(u urinorm.URL) *disk.Site {
	for _, site := range s {
		if site.Holds(u) {
			return site
		}
	}
	return nil
}

// SyntheticHost reports whether an authority was made up for a directory.
func (s Sites) SyntheticHost(authority string) bool {
	for _, site := range s {
		if site.Synthetic() && site.Base().Authority() == authority {
			return true
		}
	}
	return false
}

// Synthetic reports whether a URL's authority was made up for a directory.
func (s Sites) Synthetic(v Href) bool { return s.SyntheticHost(string(v.Authority())) }

// OutsideBase reports whether a URL is on the host that a directory will be published
// on, but not under its base.
func (s Sites) OutsideBase(v Href) bool {
	for _, site := range s {
		if site.Synthetic() || !v.IsHTTP() {
			continue
		}
		base := HrefOf(site.Base())
		if bytes.Equal(base.Authority(), v.Authority()) && !bytes.HasPrefix(v.Path(), directory(base.Path())) && !site.Holds(URLOf(v)) {
			return true // the base without its slash is the directory's own
		}
	}
	return false
}

// leftOut reports whether a URL leads to a file that a directory's walk left out, because
// git or a .ignore file ignores it. A link to it is checked, but the file is not read for links.
func (s Sites) leftOut(v Href) bool {
	for _, site := range s {
		if site.LeftOut(v.Path()) && string(v.Authority()) == site.Base().Authority() {
			return true
		}
	}
	return false
}

// Crawled reports whether a directory was named as a whole, not just a document in it.
func (s *Scope) Crawled(site *disk.Site) bool {
	for i := range s.Sites {
		if s.Sites[i] == site {
			return s.roots[i].follow
		}
	}
	return false
}

// IsWithin reports whether an absolute path is that of a site's directory or below it.
func IsWithin(name string, site *disk.Site) bool {
	root, err := filepath.Abs(site.Dir())
	if err != nil {
		root = site.Dir()
	}
	rel, err := filepath.Rel(root, name)
	return err == nil && rel != ".." && !strings.HasPrefix(rel, ".."+string(filepath.Separator))
}
