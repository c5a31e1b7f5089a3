package document

import (
	"strconv"

	"github.com/orbweaver/orbweaver/crawler/check"
	"github.com/orbweaver/orbweaver/crawler/extract"
	"github.com/orbweaver/orbweaver/crawler/fetch"
	"github.com/orbweaver/orbweaver/crawler/inspect"
	"github.com/orbweaver/orbweaver/crawler/internal/buffers"
	"github.com/orbweaver/orbweaver/crawler/internal/inspect/visible"
	"github.com/orbweaver/orbweaver/crawler/internal/judging"
	"github.com/orbweaver/orbweaver/crawler/internal/scope"
	"github.com/orbweaver/orbweaver/urinorm"
)

// Settings are what a Reader needs to know of the configuration of a run.
type Settings struct {
	Input        extract.Input // what all documents are read with
	Types        fetch.Types
	MaxBody      int64 // bytes
	MaxBodyGiven bool  // MaxBody applies to single documents among the seeds, too
	AtOnce       bool  // the links of a document are needed all at once
	Print        *scope.Printer
	Inspector    *inspect.Inspector // may be nil
}

// MaxNetworkLinks is the number of links that are read of a document from the network. A body
// of the default maximum size has no more, with 52 bytes for each.
const MaxNetworkLinks = 200_000

// Reader reads documents. It is safe for concurrent use.
type Reader struct {
	Settings
	buffers *buffers.Pool
	large   largeBodies
}

// NewReader returns a Reader that takes the memory of bodies from buffers.
func NewReader(s Settings, buffers *buffers.Pool) *Reader {
	return &Reader{Settings: s, buffers: buffers, large: newLargeBodies()}
}

// Target is what is known of a document before it is read.
type Target struct {
	URL       urinorm.URL // of the document
	Seen      urinorm.URL // by which it was asked for, before redirects
	Scope     *scope.Scope
	Rule      *scope.Rule // the user's, for the URL; nil for none
	Seed      bool
	Internal  bool
	Follow    bool // it is read for links
	Elsewhere bool // but under another URL
	Content   bool // its content is needed to judge a page
	Sitemap   bool // robots.txt names it as a sitemap
	View      bool // it is asked for as a view of an application, which a browser must show
}

// Links reports whether the links of the document are read.
func (t *Target) Links() bool { return t.Follow && !t.Elsewhere }

// Document is a response, and what was read of it so far.
type Document struct {
	Target
	Response *fetch.Response
	Outcome  judging.Outcome   // as far as it is known
	Read     *extract.Document // nil until it was read
	Wants    []urinorm.URL     // targets whose content is needed to judge it

	body
	input  extract.Input
	begun  *inspect.Reading // content checks have looked at its tokens
	broken string           // why a rule of the user calls it broken
	virus  string           // that was found in it
}

// Note adds facts to the outcome.
func (d *Document) Note(f judging.Facts) { d.Outcome = d.Outcome.With(f) }

// Warn adds warnings to the outcome.
func (d *Document) Warn(warnings ...check.Warning) { d.Note(judging.Facts{Warnings: warnings}) }

// IsPage reports whether an answer of a media type is a document that can contain links.
func IsPage(contentType string) bool {
	return contentType == "text/html" || contentType == "application/xhtml+xml"
}

// Read reads the links and the anchors of a document whose body was taken, with the memory of
// doc. If part is not nil, the links of a bookmark file are passed to it. It returns false for a
// document that ended with an error, of which nothing is kept.
func (r *Reader) Read(d *Document, doc *extract.Document, bare bool, part func(links []extract.Link, all int)) bool {
	in := &d.input
	d.broken = brokenText(d.Rule, in, IsPage(d.Outcome.ContentType))
	in.Bare, in.AnchorsOnly = bare, !d.Links()
	if d.Response.LocalFile() == "" {
		in.MaxLinks = MaxNetworkLinks
	}
	in.Batch = part
	if d.rest != nil {
		in.Rest, in.Length = d.rest, d.Response.Size
	}
	r.outline(d)
	d.Read = doc
	extract.ExtractInto(doc, *in)
	if d.rest == nil {
		return true
	}
	d.Note(judging.Facts{Size: d.Outcome.Size + d.rest.length, Sized: true})
	return d.rest.err == nil || !d.cutOff(d.rest.err)
}

// brokenText looks for the texts that a rule of the user calls broken, and returns why a document
// is.
func brokenText(rule *scope.Rule, in *extract.Input, isPage bool) string {
	if rule == nil || len(rule.BrokenTexts) == 0 {
		return ""
	}
	text, _, ok := extract.Decode(*in)
	if !ok {
		return ""
	}
	shown := string(text)
	if isPage {
		shown = visible.OfPage(text)
	}
	pattern := rule.BrokenText(shown)
	if pattern == "" {
		return ""
	}
	return "its text contains " + strconv.Quote(pattern) + ", which " + rule.Name + " calls broken"
}

// MayBeBare reports whether nothing but the report needs the places of the document's links.
func (r *Reader) MayBeBare(d *Document) bool {
	return d.Links() && d.err == nil && d.rest == nil && (r.Inspector == nil || d.Format == "html")
}

// Describe adds what was read to the outcome.
func (d *Document) Describe() {
	if d.View {
		d.Note(judging.DocumentFacts(d.Read))
		return
	}
	if d.Elsewhere || !d.Internal { // reported with the page elsewhere; not the user's to fix
		d.Read.Duplicates = nil
	}
	f := judging.DocumentFacts(d.Read)
	f.Login = f.Login || judging.AsksForAccount(d.URL, d.Read)
	if !d.input.Bare {
		f.Names = judging.PackNames(d.Read.Anchors)
	}
	d.Note(f)
}

// Release returns the outcome of a document, and ends the use of its body.
func (r *Reader) Release(d *Document) judging.Outcome {
	if d.broken != "" && d.Outcome.Code == check.CodeOK {
		d.Note(judging.Facts{Code: check.CodeSoft404, Message: d.broken})
	}
	if d.virus != "" {
		d.Note(judging.Facts{Code: judging.CodeVirusFound, Message: d.virus})
	}
	r.buffers.Give(d.Body)
	r.large.release(d.rooms)
	o := d.Outcome
	*d = Document{}
	return o
}
