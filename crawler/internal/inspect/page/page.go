// Package page holds what content checks look at: one document that was read.
package page

import (
	"net/http"

	"github.com/orbweaver/orbweaver/crawler/extract"
	"github.com/orbweaver/orbweaver/urinorm"
)

// Page is a document that was read. Checks must not change it, and keep nothing of it.
type Page struct {
	// URL is the address whose body was read, as reports print it: after redirects, without
	// a fragment, without secrets. A local file has its path.
	URL string
	// Seen is the address by which the page was asked for, before redirects, printed likewise.
	Seen string
	// Address is the address whose body was read. A document of a directory has the one
	// under which the directory is published, or a made-up one: then MadeUp is true.
	Address urinorm.URL
	MadeUp  bool
	// Base is what references of the document are resolved against, its base element included.
	Base *urinorm.Base
	// OverHTTP is true if the document was requested with http or https, not read from a
	// directory.
	OverHTTP bool
	// Start is true for a start page of the crawl. HasIcon is true if its host has an icon at
	// /favicon.ico.
	Start       bool
	HasIcon     bool
	Status      int         // 0 where the scheme has none
	Header      http.Header // of the answer, nil where the scheme has none
	ContentType string      // media type without parameters, lower case
	Format      string      // as in extract.Document: "html", "css", …; and "xhtml"
	// Charset is the WHATWG name of the encoding, in lower case.
	Charset string
	// Text is the document as valid UTF-8 without a byte order mark, nil if it is not text.
	Text []byte
	// Places are those of Text, from Begin on.
	Places *extract.Places
	// Body is the document as it was received, after content decoding.
	Body []byte
}

// Begin sets Places, before checks look at the page.
func (p *Page) Begin() { p.Places = extract.NewPlaces(p.Text) }
