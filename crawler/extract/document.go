package extract

import (
	"io"
	"time"
)

// Input is a document as it was fetched.
type Input struct {
	// Body is the document's bytes, with content codings removed. The Document does not refer
	// to it after Extract returns, unless Bare is set: all strings of a Document are copies.
	Body []byte
	// ContentType is the media type that the server declared, with its parameters. It is
	// empty when there was none, as for local files.
	ContentType string
	// Name is the last segment of the path. Its extension can determine the format.
	Name string
	// Path is the file of a local document, and empty for other documents. A database
	// is read from its file, together with the journal next to it; Body may then be
	// empty.
	Path string
	// Select and IgnoreSelect are CSS selectors. If Select is set, only links inside an
	// element that it matches count. Links inside an element that IgnoreSelect matches do not
	// count. An element counts as being inside itself. The selectors do not filter anchors.
	Select, IgnoreSelect Selector
	// Options ask for references that are not read otherwise.
	Options Options
	// Publisher, when set, returns the rule of the program that publishes the document at a path, the
	// zero value if it is not known. Anchors by other rules are then only in AnchorHashes, so that
	// suggestions are not made of them.
	Publisher func(path string) AnchorRule
	// AnchorsOnly asks for the anchors without the links.
	AnchorsOnly bool
	// Places asks for Document.Places.
	Places bool
	// Bare makes most links of HTML bare: they lack Line, Column and Text, which only links
	// that are shown need. A bare link has its Link.Tag set, and a Rereader supplies the
	// missing fields. If Bare is set, Anchors and the Raw and Ref of every link may share the
	// memory of Body, and are then valid until Body changes. A Body that must be decoded
	// yields no bare links. Most bare links that repeat another link are recorded in
	// BareRepeats.
	Bare bool
	// Acts, when set, reports whether a text names an action, such as signing out. The texts of
	// links, and of HTML also titles, labels and the buttons of forms, are passed to it, in turn; it must not keep them.
	// The result is in Link.Acts. Acts does not apply to links in Bare documents.
	Acts func(text []byte) bool
	// Outline, when set, receives the text of an HTML document before its links are read, and
	// the name of its encoding. It returns the offsets of all markup that may matter to links
	// and anchors, in ascending order, nil if they are not known. What reads all of the markup
	// for another purpose so saves the search for them.
	Outline func(text []byte, charset string) []int32
	// MaxLinks is the number of links to read; 0 means the constant MaxLinks.
	MaxLinks int
	// Batch, when set, receives the links of bookmark files in batches, and about how many
	// links there are in total. The links are then missing from Document.Links and have no
	// Bookmark. A batch is valid until Batch returns. Document.Charset is set before the
	// first call.
	Batch func(links []Link, all int)
	// Rest, when set, is the content that follows Body, which then holds at least 1 KiB.
	// Length is the approximate length of both together, in bytes. If Batch is set too,
	// bookmark files in HTML and UTF-8 are read in pieces; all other documents are read into
	// memory first.
	Rest   io.Reader
	Length int64
	// piece is the number of bytes of Rest to read at a time; 0 means pieceSize.
	piece int
	// archiveMemory, when not 0, replaces maxArchiveMemory.
	archiveMemory int
	// slowPath reads HTML with the tokenizer only, and looks up no repeated references. Tests
	// compare the fast path with it. Acts implies it, as it depends on more than a reference.
	slowPath bool
}

// maxLinks returns how many links are read of the document.
func (in *Input) maxLinks() int {
	if in.MaxLinks > 0 {
		return min(in.MaxLinks, MaxLinks)
	}
	return MaxLinks
}

// Kind says what it means to follow a link.
type Kind uint8

const (
	// Navigation leads a reader to another page: a, area, iframe, object, embed, meta refresh.
	Navigation Kind = iota
	// Resource is loaded by the page: images, scripts, media, fonts.
	Resource
	// Stylesheet is loaded by the page and contains links itself: a style sheet, or the
	// manifest of a web application.
	Stylesheet
	// Metadata names a document for programs: canonical, cite, og:url, JSON-LD.
	Metadata
	// Submission is the target of a form sent with GET. Only its presence is checked, not its
	// answer.
	Submission
	// Host is resolved and never fetched. It names a host to connect to early (preconnect,
	// dns-prefetch), an endpoint that only accepts POST (ping, pingback, webmention), or a
	// prefix of other references (codebase).
	Host
)

var kindNames = [...]string{"navigation", "resource", "stylesheet", "metadata", "submission", "host"}

// String returns the kind's name in lower case.
func (k Kind) String() string { return kindNames[k] }

// Expect is the kind of content that a reference asks for. The warning content-type-mismatch
// depends on it.
type Expect uint8

const (
	// ExpectAny accepts content of any type.
	ExpectAny Expect = iota
	// ExpectImage asks for an image: img, picture source, icon.
	ExpectImage
	// ExpectScript asks for a script.
	ExpectScript
	// ExpectStyle asks for a style sheet.
	ExpectStyle
)

// AnchorPlace is where a document has an anchor.
type AnchorPlace struct {
	Name string
	// Line and Column are those of the id, or of the text of the heading that has the anchor. Both
	// count from 1; columns are code points.
	Line, Column int
	Level        int    // of the heading, 0 for an id
	Title        string // the source of the heading's text
}

// Link is one reference in a document.
type Link struct {
	// Raw is the source text of the reference, before character references are decoded.
	Raw string
	// Ref is the reference with character references and escapes decoded, ready to be
	// resolved. It may be empty, which is a link to the document itself.
	Ref string
	// Base, when not empty, comes between the document's base and Ref: Base is resolved
	// against the document's base, and Ref against the result. The codebase of an applet and
	// the base element of a srcdoc set it.
	Base string
	// Line and Column are the position of the first character of Raw. Both count from 1;
	// columns are code points of the decoded document. A line ends with LF, CRLF or a lone
	// CR. Both are 0 in documents that are not text.
	Line, Column int
	// Element and Attribute say where the reference is: "a" and "href". Element is in lower
	// case. For the url() of a style sheet, Attribute is "style" (in a style attribute), or
	// "url" or "@import" (then Element is "style"). For JSON-LD, Attribute is the key.
	Element, Attribute string
	// Text is the link's text, or the alternative text of its image, with white space
	// collapsed, at most MaxText bytes.
	Text string
	// Repeats, when not 0, is one more than the index in Links of an earlier link that
	// differs from this one only in position and text. Whatever holds for that link holds for
	// this one.
	Repeats int
	// Bookmark is what a bookmark file records about the link besides its title. It is nil in
	// other documents.
	Bookmark *Bookmark

	// Tag, when not 0, marks a bare link (Input.Bare). It is one more than the offset in the
	// body of the start tag that contains the link.
	Tag int32

	Kind     Kind
	Expect   Expect
	NoFollow bool // rel=nofollow: checked but not crawled
	Ignored  bool // excluded by an inline mark
	// Acts reports that following the link does something other than to show a page: its
	// text says so, or a script sends another method than GET for it (data-method,
	// data-turbo-method). It is only set if Input.Acts is.
	Acts bool
	// Placeholder reports that a template fills in Ref, or a part of it, so that its target is
	// unknown. Only the reader of Markdown sets it; IsTemplate and HoldsTemplate tell it for
	// HTML and XML.
	Placeholder bool
	// IgnoredCandidate reports that the descriptors of this image candidate of a srcset are
	// invalid, so that browsers ignore it.
	IgnoredCandidate bool
	// SameDocument reports that Ref is a fragment of this document itself, whatever its base
	// URL: usemap="#map" and <use href="#shape"> of SVG.
	SameDocument bool
	// Wiki reports that Ref is the name of a page in a wiki link ([[Page]]), percent-encoded,
	// rather than the path of a file. It has no extension, and may be in another directory.
	Wiki bool
	// Module reports that Ref is the path by which a script imports a file of the project: the
	// extension may be missing, or be that of the compiled file.
	Module bool
	// AnyFragment reports that the fragment of Ref need not exist: the source of a font in
	// @font-face. Browsers load the font whatever its fragment is.
	AnyFragment bool

	// Flaw, when not nil, is why the link has no target. Ref is then the source text, which is not
	// to be resolved.
	Flaw *Flaw

	// Used only while the document is read: the offsets of Raw and of the start tag that
	// contains the link, which is -1 if there is none.
	at, tag int32
}

// has reports whether the link has a flaw of a kind.
func (l *Link) has(kind string) bool { return l.Flaw != nil && l.Flaw.Kind == kind }

// CrossReference is a reference by a name. Ref is the name.
type CrossReference struct {
	Link
	Role Role
}

// Role is what the name of a cross-reference is.
type Role uint8

const (
	// RoleName is the name of a target (name_) or of a substitution (|name|) that the document does
	// not define, as Flaw says. Included files, or the configuration of the generator, may define it.
	RoleName Role = iota
	// RoleDocument is a document without its extension: the doc role, an entry of a toctree. It begins with
	// a slash if it starts at the root of the sources.
	RoleDocument
	// RoleLabel is a label that any document may define: the ref role.
	RoleLabel
	// roleFile is a file that starts at the root of the sources: the download role, an image.
	roleFile
)

// Flaw is the reason why a link has no target. Browsers show the document all the same.
type Flaw struct {
	Kind  string // one of the codes of the report: "xhtml-malformed", "reference-undefined", "refresh-invalid"
	Cause string // in words; empty if the kind tells it
}

// The kinds of flaws.
const (
	// flawRefresh is a meta refresh that browsers ignore: its content is empty, or its delay is
	// not a number that is at least 0.
	flawRefresh = "refresh-invalid"
	// flawMalformed is the place at which XHTML stops being well-formed, so that the rest is read
	// as HTML. It is no reference.
	flawMalformed = "xhtml-malformed"
	// flawUndefined is a reference of Markdown, such as [text][label], whose label nothing
	// defines.
	flawUndefined = "reference-undefined"
)

// BareRepeat is a bare link that differs from an earlier one only in its tag. It has no Link
// of its own.
type BareRepeat struct {
	First int32 // index in Document.Links of the link that it repeats
	Tag   int32 // like Link.Tag
}

// maxText is the maximum length of a link's text and of a title, in bytes.
const maxText = 200

// Limits of one document. Content beyond a limit is ignored and recorded as a fault.
const (
	MaxLinks = 1_000_000 // links
	// maxPackedLinks is the maximum number of links of a PDF file or an archive, which may
	// need less than a byte for each.
	maxPackedLinks = 100_000
	maxAnchors     = 1_000_000 // anchors
	maxFaults      = 100       // faults
	MaxBody        = 1 << 30   // bytes, after decoding
	// MaxLocations is the maximum number of URLs in a sitemap, and of sitemaps in a sitemap
	// index (sitemaps.org).
	MaxLocations = 50_000
	// maxNesting is the maximum depth to which srcdoc documents may be nested.
	maxNesting = 4
)

// Document is what a reader found. Its strings are parts of 32 KiB blocks that it shares with
// other documents. Callers that keep a few strings for a long time should clone them.
type Document struct {
	// Format is the name of the document's format, such as "html". It is empty when there is
	// no reader for the document.
	Format string
	// Base is the value of the first base element with an href, with character references
	// decoded. It is empty when there is none.
	Base string
	// Charset is the WHATWG name of the document's encoding, in lower case.
	Charset string
	// Title is the document's title, with white space collapsed, at most MaxText bytes.
	Title string
	// Links are the links in document order.
	Links []Link
	// Unselected is the number of links that Select and IgnoreSelect leave out.
	Unselected int
	// BareRepeats are the bare links (Input.Bare) that repeat an earlier one, in document
	// order.
	BareRepeats []BareRepeat
	// CrossReferences are references of reStructuredText and MyST, in document order, which only
	// their generator or other documents can resolve.
	CrossReferences []CrossReference
	// Anchors are the fragment names of the document, in document order: ids, the names of a
	// elements, and the names of maps, which usemap refers to. Repeated ids are included;
	// "top" and "" are not.
	Anchors []string
	// AnchorHashes are the hashes of Anchors, computed by HashAnchor, in ascending order and
	// without duplicates.
	AnchorHashes []uint64
	// Places, if Input.Places asks for them, are the places of Anchors in document order, without
	// those that are not known.
	Places []AnchorPlace
	// Static is true when Anchors is complete: there is no script that could add anchors and
	// no included file that could contain some.
	Static bool
	// NoFollow is true when a robots meta element forbids following links.
	NoFollow bool
	// NoIndex is true when a robots meta element forbids indexing the document.
	NoIndex bool
	// SitemapIndex is true when the document is a sitemap that lists other sitemaps.
	SitemapIndex bool
	// Canonical is the reference of the first link element with rel=canonical, with character
	// references decoded. It is empty when there is none.
	Canonical string
	// LoginForm is true when the page has a password field.
	LoginForm bool
	// AccountForm is true when the page has a form that asks for the name or the mail address
	// of an account and for nothing else, like the first step of a sign-in.
	AccountForm bool
	// Duplicates are the ids that occur more than once, each listed once, with the place of the
	// second element that has it.
	Duplicates []AnchorPlace
	// Faults describe why the document could not be read completely, such as an exceeded
	// limit.
	Faults []string

	sinceLarge int // documents read since the last large one
	// elsewhere is set if Links lacks some that the document has: they were passed on in
	// batches (Input.Batch), or not asked for (Input.AnchorsOnly).
	elsewhere bool
	breaks    breaks
	// asReceived is set if the text of the document is its Body.
	asReceived bool
}

// A Bookmark is what a bookmark file records about a link besides its URL and its title. The
// title is the link's Text.
type Bookmark struct {
	// Folder is the path of folder names, separated by '/', starting at the root folder:
	// "Bookmarks bar/News". A '/' in a name is not escaped.
	Folder string
	// Added is the time when the bookmark was created, in UTC. It is zero when the file does
	// not record it.
	Added time.Time
	// Tags are the bookmark's labels, in file order.
	Tags []string
}

// looseFormats are the formats in which any text is a document, so that a fault concerns only
// a part of it.
var looseFormats = map[string]bool{"html": true, "css": true, "markdown": true, "restructuredtext": true, "asciidoc": true, "org": true,
	"gemini": true, "text": true, "csv": true, "tsv": true, "mail": true, "netscape-bookmarks": true}

// Unreadable reports whether nothing of the document could be read: it is damaged, encrypted,
// or not in the format that its name or media type says. Faults tells the cause.
func (d *Document) Unreadable() bool {
	return len(d.Faults) > 0 && !d.elsewhere && len(d.Links) == 0 && len(d.Anchors) == 0 && d.Title == "" && !looseFormats[d.Format]
}

// reset clears the document but keeps the memory of its lists. It keeps large lists only for
// a few documents.
func (d *Document) reset() {
	if d.sinceLarge++; max(len(d.Links), len(d.BareRepeats), len(d.Anchors)) > keptEntries/2 {
		d.sinceLarge = 0
	}
	most := keptEntries
	if d.sinceLarge < largeListsKept {
		most = keptAfterLarge
	}
	*d = Document{sinceLarge: d.sinceLarge, Links: reuseList(d.Links, most), BareRepeats: reuseList(d.BareRepeats, most),
		Anchors: reuseList(d.Anchors, most), AnchorHashes: reuseList(d.AnchorHashes, most)}
}
