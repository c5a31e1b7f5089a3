package extract

import (
	"io"
	"time"
)

// Input is a document as it was fetched.
type Input struct {
	// Body is the document's bytes, content codings removed. The reader keeps no
	// reference to it after Extract returns: every string of a Document is its own,
	// but for what Bare says.
	Body []byte
	// ContentType is the media type as the server declared it, parameters and
	// all; empty when there was none, as for local files.
	ContentType string
	// Name is the last segment of the path, for its extension.
	Name string
	// Path is the file of a local document, empty for any other. A database is
	// read with the journal that lies beside it; Body may be empty then.
	Path string
	// Select and IgnoreSelect are CSS selectors; when set, only links inside an
	// element that Select matches, and none inside what IgnoreSelect matches, count.
	// An element is inside itself. Anchors are not filtered.
	Select, IgnoreSelect Selector
	// AnchorsOnly asks for anchors and no links.
	AnchorsOnly bool
	// Bare leaves out of most links of HTML what is only wanted of those that are shown:
	// Line, Column and Text. Link.Tag tells which they are, and a Rereader finds the
	// rest. Raw and Ref of all links, and Anchors, may share Body's
	// memory, and are good until that changes. Bodies that have to be decoded first
	// have no bare links. Those that repeat another are in BareRepeats as far as may be.
	Bare bool
	// Lots, when it is set, is given the links of bookmark files, a lot after the other
	// and about how many there are in all, in place of Document.Links and without their
	// Bookmark. A lot is good until Lots returns; Document's Charset is known by then.
	Lots func(links []Link, all int)
	// Rest, when it is set, is what follows Body, which holds 1 KiB at least, and Length
	// about how long both are. Bookmark files in HTML and UTF-8 are read piece by piece
	// then, where Lots is set; all else is read into memory first.
	Rest   io.Reader
	Length int64
	// piece is how much of Rest is read at once, in bytes; 0 is pieceSize.
	piece int
	// reference reads HTML by the tokenizer alone, and each reference as if it were
	// the first: what tests compare with.
	reference bool
}

// Kind says what following a link means.
type Kind uint8

const (
	// Navigation leads a reader to another page: a, area, iframe, meta refresh.
	Navigation Kind = iota
	// Resource is loaded by the page: images, scripts, media, fonts.
	Resource
	// Stylesheet is loaded by the page and holds links of its own.
	Stylesheet
	// Metadata names a document for machines: canonical, cite, og:url, JSON-LD.
	Metadata
	// Submission is where a form would be sent with GET; its presence is checked, never its answer.
	Submission
	// Host is resolved and never fetched: it names a host to be ready for
	// (preconnect, dns-prefetch), a place that only takes POST (a ping, pingback,
	// webmention), or a prefix of other references (codebase).
	Host
)

var kindNames = [...]string{"navigation", "resource", "stylesheet", "metadata", "submission", "host"}

// String returns the kind's name in lower case.
func (k Kind) String() string { return kindNames[k] }

// Expect says which kind of content a reference asks for, for the warning
// content-type-mismatch.
type Expect uint8

const (
	// ExpectAny is content with any type.
	ExpectAny Expect = iota
	// ExpectImage is an img, picture source or icon.
	ExpectImage
	// ExpectScript is a script.
	ExpectScript
	// ExpectStyle is a style sheet.
	ExpectStyle
)

// Link is one reference in a document.
type Link struct {
	// Raw is the source text of the reference, before entities are decoded.
	Raw string
	// Ref is the reference itself: entities and escapes decoded, as the resolver
	// takes it. It may be empty: a link to the document itself.
	Ref string
	// Base, where it is not empty, stands between the document's base and Ref:
	// it is resolved against the document's base, and Ref against the result.
	// The codebase of an applet and the base element of a srcdoc give one.
	Base string
	// Line and Column count from 1, columns in code points of the decoded
	// document, and point at the first character of Raw. A line ends with LF,
	// CRLF or a lone CR. Both are 0 where the document is no text.
	Line, Column int
	// Element and Attribute say where it stands: "a" and "href". Element is in
	// lower case; for a style sheet's url() Attribute is "style" (the attribute),
	// or "url" or "@import" (Element is "style"); for JSON-LD it is the key.
	Element, Attribute string
	// Text is the link's text, or the alternative text of its image; white space
	// folded, at most MaxText bytes.
	Text string
	// Repeats, where it is not 0, is one more than the place in Links of an earlier
	// link that differs from this one in its place and its text alone: what is
	// made of that one holds for this.
	Repeats int
	// Bookmark is what a bookmark file says of the link beyond its title; nil for
	// any other document.
	Bookmark *Bookmark

	// Tag, where it is not 0, says that the link is bare (Input.Bare), and is one more
	// than the offset in the body of the start tag that it stands in.
	Tag int32

	Kind     Kind
	Expect   Expect
	NoFollow bool // rel=nofollow: checked, not crawled
	Ignored  bool // an inline mark says to leave it out
	// SameDocument says that Ref is a fragment of this very document, whatever
	// its base URL is: usemap="#map" and an SVG's <use href="#shape">.
	SameDocument bool

	// While the document is read: the offset of Raw, and of the start tag that the
	// link stands in, -1 without one.
	at, tag int32
}

// BareRepeat is a bare link that differs from an earlier one in its tag alone: no Link is
// made of it.
type BareRepeat struct {
	First int32 // the place in Document.Links of the one that it repeats
	Tag   int32 // as Link.Tag
}

// MaxText is the greatest length of a link's text and of a title, in bytes.
const MaxText = 200

// Limits of one document. What lies beyond them is left out, and a Fault says so.
const (
	MaxLinks   = 1_000_000 // links
	MaxAnchors = 1_000_000 // anchors
	MaxBody    = 1 << 30   // bytes, after decoding
	// MaxNesting is how deep a srcdoc may lie in a srcdoc.
	MaxNesting = 4
)

// Document is what a reader found. Its strings are pieces of blocks of 32 KiB, which
// they share with those of other documents: who keeps a few of them for long clones those.
type Document struct {
	// Format names the reader that was used: "html"; empty when there is none for
	// this document.
	Format string
	// Base is the value of the first base element with an href, entities
	// decoded; empty when there is none.
	Base string
	// Charset is the WHATWG name of the encoding the document was read in, in
	// lower case.
	Charset string
	// Title is the document's title, white space folded, at most MaxText bytes.
	Title string
	// Links stand in document order.
	Links []Link
	// BareRepeats are further links of a document that is read bare (Input.Bare), in
	// document order.
	BareRepeats []BareRepeat
	// Anchors are the fragment names of the document, in document order,
	// repeated ids included, "top" and "" not: ids, the names of a elements, and
	// the names of maps, which a usemap asks for.
	Anchors []string
	// AnchorHashes are the hashes of Anchors, as HashAnchor makes them, in
	// ascending order, each once.
	AnchorHashes []uint64
	// Static is true when there are no further anchors: no script could have made them,
	// and no file is included that may have them.
	Static bool
	// NoFollow is true when a robots meta element forbids following links.
	NoFollow bool
	// NoIndex is true when a robots meta element asks not to list the document.
	NoIndex bool
	// Canonical is the reference of the first link element with rel=canonical,
	// entities decoded; empty when there is none.
	Canonical string
	// LoginForm is true when the page asks for a password.
	LoginForm bool
	// Duplicates are ids that stand more than once, each once.
	Duplicates []Duplicate
	// Faults are places where the document could not be read further, such as a limit.
	Faults []string

	idle   int // documents that were read since one was large
	breaks breaks
}

// Duplicate is an id that a second element repeats.
type Duplicate struct {
	ID           string
	Line, Column int // of the second one's value
}

// A Bookmark is what a bookmark file says of a link beside its URL and its title,
// which is the link's Text.
type Bookmark struct {
	// Folder is the path of folder names with '/', from the root folder on:
	// "Bookmarks bar/News". A '/' in a name is not escaped.
	Folder string
	// Added is when the bookmark was made, in UTC; zero when the file does not say.
	Added time.Time
	// Tags are the bookmark's labels, in the order of the file.
	Tags []string
}
