package document

import (
	"github.com/orbweaver/orbweaver/crawler/extract"
	"github.com/orbweaver/orbweaver/urinorm"
)

// BaseOf returns the base URL of a document: its first base element's href, resolved against the
// document's own URL, unless that makes no sense (HTML Standard 4.2.3).
func BaseOf(u urinorm.URL, doc *extract.Document) *urinorm.Base {
	own, err := urinorm.NewBase(u, doc.Charset)
	if err != nil {
		own, _ = urinorm.NewBase(u, "")
	}
	if doc.Base == "" {
		return own
	}
	b, _, err := own.Resolve(doc.Base)
	if err != nil || b.Scheme() == "data" || b.Scheme() == "javascript" {
		return own
	}
	other, err := urinorm.NewBase(b.WithoutFragment(), doc.Charset)
	if err != nil {
		return own
	}
	return other
}

// Canonical returns the URL that a document declares as its own, zero if it declares none.
func Canonical(u urinorm.URL, doc *extract.Document) urinorm.URL {
	if doc.Canonical == "" {
		return urinorm.URL{}
	}
	c, _, err := BaseOf(u, doc).Resolve(doc.Canonical)
	if err != nil {
		return urinorm.URL{}
	}
	return c
}

// Refresh returns the link to the page that a document redirects its readers to, or nil.
func Refresh(doc *extract.Document) *extract.Link {
	for i := range doc.Links {
		if l := &doc.Links[i]; l.Element == "meta" && l.Kind == extract.Navigation && !l.Ignored {
			return l
		}
	}
	return nil
}
