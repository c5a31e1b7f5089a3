package references

import (
	"github.com/orbweaver/orbweaver/crawler/extract"
	"github.com/orbweaver/orbweaver/crawler/internal/scope"
	"github.com/orbweaver/orbweaver/urinorm"
)

// Source is what all links of a document have in common.
type Source struct {
	Base      *urinorm.Base
	Local     bool // the document is a file of this machine
	NoFollow  bool // none of its links is followed
	Unchanged bool // Config.Changed reports that the document has not changed
}

// referrer is the page whose links are resolved, and whose targets are decided about.
type referrer struct {
	scope  *scope.Scope
	url    scope.Href
	depth  int // of its targets
	doc    *extract.Document
	routes bool // views are targets of their own (Env.Routes)
	source Source
}

// baseOf returns the base URL of a link.
func (r *referrer) baseOf(l *extract.Link) *urinorm.Base {
	if l.SameDocument {
		if b, err := urinorm.NewBase(scope.URLOf(r.url), ""); err == nil {
			return b
		}
	}
	if l.Base != "" {
		if u, _, err := r.source.Base.Resolve(l.Base); err == nil {
			if b, err := urinorm.NewBase(u.WithoutFragment(), ""); err == nil {
				return b
			}
		}
	}
	return r.source.Base
}
