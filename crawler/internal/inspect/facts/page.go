// Package facts holds what is kept of a document in order to compare it with others when all
// are known: [Page] of a page, [Target] of an image, a script or a style sheet. Both are
// encoded in few bytes and kept with the outcome of the document (judging.Inspection).
//
//	page.go         the facts of a page              fingerprint.go  the hashes of its text
//	target.go       the facts of other documents     encode.go       the encoding of both
package facts

// MaxLinks is the number of entries of each list of a Page that are kept.
const MaxLinks = 1000

// MaxURL is the length of the longest URL that is kept, in bytes. Links to longer ones are left
// out.
const MaxURL = 8 << 10

// Page is what is known of a page. What belongs to groups of checks that were not asked for is
// empty. URLs are absolute and as printed by urinorm.URL.Printed: without passwords and
// fragments.
type Page struct {
	// URL is the address of the page.
	URL string
	// HasIcon is true if the page has a link element with rel=icon.
	HasIcon bool
	// Title and Description are those of the page, if they are not blank.
	Title, Description Text
	// NoIndex is true if a robots meta element or the header X-Robots-Tag asks not to index
	// the page; NoIndexPlace is where, the zero Place for a header, and NoIndexRaw the source.
	NoIndex      bool
	NoIndexPlace Place
	NoIndexRaw   string
	// Body is the fingerprint of the visible text.
	Body Fingerprint
	// Canonicals are the canonical links, each URL once. A link from the header Link has no
	// place.
	Canonicals []Canonical
	// Alternates are the links with hreflang, apart from those whose language is invalid.
	Alternates []Alternate
	// Images are the images of img elements, each URL with the same size once.
	Images []Image
	// Integrities are the scripts and style sheets with an integrity attribute.
	Integrities []Integrity
}

// Place is where something is in the source, both counted from 1. The zero Place is none.
type Place struct{ Line, Column int }

// Text is a short text of a page.
type Text struct {
	Place
	// Hash is the hash of the whole text with white space collapsed, 0 if there is no text.
	Hash uint64
	// Excerpt is its beginning, and Raw a longer one as it is in the source.
	Excerpt, Raw string
}

// Link is a reference to another document.
type Link struct {
	Place
	URL string
	Raw string // as it is in the source
}

// Canonical is a canonical link.
type Canonical struct {
	Link
	// Self is true if the link names the page itself. The document of a directory whose
	// address is not known names itself by any address that ends in its path.
	Self bool
}

// Alternate is a link to the same content in another language.
type Alternate struct {
	Link
	Language string
}

// Image is an image on a page.
type Image struct {
	Link
	// Width and Height are the attributes in pixels, 0 unless both are given.
	Width, Height int
}

// Integrity is a script or a style sheet that must have one of some hashes.
type Integrity struct {
	Link
	// Script is true for a script, and false for a style sheet.
	Script bool
	// Algorithm is the strongest of those that the attribute has.
	Algorithm Algorithm
	// Digests are the hashes by this algorithm, one after the other.
	Digests string
	// Opaque is true if the element loads from another origin without CORS, so that browsers
	// cannot compare the hashes, and refuse what they get (SRI 3.5).
	Opaque bool
	// Origin is that of the page if the element loads from another one with CORS and without
	// credentials, so that browsers refuse what does not allow it; else "".
	Origin string
}

// NamesOther reports whether the page has a canonical link that names another page.
func (p *Page) NamesOther() bool {
	for i := range p.Canonicals {
		if !p.Canonicals[i].Self {
			return true
		}
	}
	return false
}

// Expects reports whether a digest by the algorithm is one of those that are expected.
func (n *Integrity) Expects(digest []byte) bool {
	for d := n.Digests; len(d) >= len(digest) && len(digest) > 0; d = d[len(digest):] {
		if d[:len(digest)] == string(digest) {
			return true
		}
	}
	return false
}
