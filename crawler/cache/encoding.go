package cache

import (
	"encoding/binary"
	"errors"
	"math"
	"net/http"
	"slices"
	"sync"
	"time"
	"unsafe"

	"github.com/cespare/xxhash/v2"
	"github.com/klauspost/compress/s2"

	"github.com/orbweaver/orbweaver/crawler/check"
	"github.com/orbweaver/orbweaver/crawler/extract"
	"github.com/orbweaver/orbweaver/crawler/fetch"
)

// The encoding of an Entry, version 2. Integers are varints. Strings have their length
// before them. A byte of 0 or 1 says whether an optional part follows.
//
//	1 byte   version
//	rest     compressed with s2:
//	           outcome: a string, by check.AppendOutcome
//	           content: 1 byte
//	           etag, last-modified: strings
//	           expiry of the certificate: seconds since 1970, 0 for none
//	           [page: reader, format, base, charset, canonical: strings; flags: 1 byte;
//	             header: for each of headerFields the number of values, and the values;
//	             number of links, and the links
//	             [rendered: base; number of links, and the links; a selector for each; number of
//	               loaded files, and for each its URL, etag and last-modified]]
//	8 bytes  XXH64 of the key and all before this, little-endian
//
// A link:
//
//	1 byte   flags
//	         kind and more flags, expect; line: difference from the link before; column
//	         [element, attribute, unless those of the link before] [ref, unless it is raw] [base]
//	         raw, text
//
// A link that repeats another, from which it differs only in position and text:
//
//	1 byte   flags: linkRepeats, and linkSame if its text is the same
//	         line, column, repeats [text]
//
// In version 1, it has the same form as other links, with repeats before raw.
//
// The fields of extract.Link about bookmarks are left out, because no crawl uses them.
const (
	encodingVersion = 2
	firstEncoding   = 1 // the oldest version that is read
)

// Limits of a record.
const (
	// maxRecord is the most bytes of an encoded entry that is kept.
	maxRecord = 8 << 20
	// maxBody is the most bytes before compression.
	maxBody = 64 << 20
)

const (
	linkSame = 1 << iota // element and attribute are those of the link before; of a link that repeats another, the text
	linkRef              // Ref differs from Raw
	linkBase             // Base is not empty
	linkNoFollow
	linkIgnored
	linkSamePage // SameDocument
	linkRepeats  // Repeats is not 0
	linkAnyFragment
	pageNoFollow     = 1
	pageShell        = 2
	pageNoIndex      = 4
	pageSitemapIndex = 8
	pageRendered     = 16
	allPageFlags     = 31
	checksumBytes    = 8
)

// More flags of a link, in the byte of its kind.
const (
	linkWiki = 1 << (iota + 4)
	linkActs
	linkPlaceholder
	linkIgnoredCandidate
	kindMask = 1<<4 - 1
)

var errEntry = errors.New("the entry is damaged")

// buffers are a body and its compressed form.
type buffers struct{ body, compressed []byte }

// encoders keeps buffers for encode.
var encoders = sync.Pool{New: func() any { return &buffers{} }}

// mostKept is the size from which a buffer is not kept, in bytes.
const mostKept = 1 << 20

// encode returns the stored form of an entry, nil if it is too large.
func encode(key Key, e *Entry) []byte {
	use := encoders.Get().(*buffers)
	record := use.encode(key, e)
	if cap(use.body)+cap(use.compressed) <= mostKept {
		encoders.Put(use)
	}
	return record
}

func (use *buffers) encode(key Key, e *Entry) []byte {
	w := writer{use.body[:0]}
	w.string(string(check.AppendOutcome(nil, &e.Outcome)))
	w.bool(e.Content)
	w.string(e.Validators.ETag)
	w.string(e.Validators.LastModified)
	var end int64
	if !e.NotAfter.IsZero() {
		end = e.NotAfter.Unix()
	}
	w.varint(end)
	w.bool(e.Page != nil)
	if e.Page != nil {
		w.page(e.Page)
	}
	use.body = w.b
	if len(w.b) > maxBody {
		return nil
	}
	use.compressed = slices.Grow(use.compressed[:0], s2.MaxEncodedLen(len(w.b)))
	compressed := s2.Encode(use.compressed[:cap(use.compressed)], w.b)
	if 1+len(compressed) > maxRecord {
		return nil
	}
	record := make([]byte, 0, 1+len(compressed)+checksumBytes)
	record = append(append(record, encodingVersion), compressed...)
	return binary.LittleEndian.AppendUint64(record, checksum(key, record))
}

func checksum(key Key, record []byte) uint64 {
	var d xxhash.Digest
	d.Reset()
	_, _ = d.Write(key[:]) // never fails
	_, _ = d.Write(record)
	return d.Sum64()
}

// decode reads what encode returned. It allocates no more than a small multiple of the
// decompressed size, which is at most maxBody bytes.
func decode(key Key, record []byte) (*Entry, error) {
	if len(record) < 1+checksumBytes || len(record) > maxRecord+checksumBytes || record[0] < firstEncoding || record[0] > encodingVersion {
		return nil, errEntry
	}
	record, sum := record[:len(record)-checksumBytes], record[len(record)-checksumBytes:]
	if binary.LittleEndian.Uint64(sum) != checksum(key, record) {
		return nil, errEntry
	}
	if n, err := s2.DecodedLen(record[1:]); err != nil || n > maxBody {
		return nil, errEntry
	}
	body, err := s2.Decode(nil, record[1:])
	if err != nil {
		return nil, errEntry
	}
	return decodeBody(body, record[0])
}

// decodeBody reads the decompressed part of a record of a version. The strings of the entry
// are parts of the body, which must not change.
func decodeBody(body []byte, version byte) (*Entry, error) {
	r := reader{rest: body, text: unsafe.String(unsafe.SliceData(body), len(body)), version: version}
	e := &Entry{}
	o, err := check.DecodeOutcome(r.bytes())
	if err != nil {
		return nil, errEntry
	}
	e.Outcome = o
	e.Content = r.bool()
	e.Validators.ETag = r.string()
	e.Validators.LastModified = r.string()
	if end := r.varint(); end != 0 {
		e.NotAfter = time.Unix(end, 0).UTC()
	}
	if r.bool() {
		e.Page = r.page()
	}
	if r.failed || len(r.rest) != 0 || o.Code != check.CodeOK && o.Code != check.CodeRedirect {
		return nil, errEntry
	}
	return e, nil
}

// writer appends to b.
type writer struct{ b []byte }

func (w *writer) byte(b byte) { w.b = append(w.b, b) }
func (w *writer) bool(on bool) {
	if on {
		w.byte(1)
		return
	}
	w.byte(0)
}
func (w *writer) uvarint(n uint64) { w.b = binary.AppendUvarint(w.b, n) }
func (w *writer) varint(n int64)   { w.b = binary.AppendVarint(w.b, n) }
func (w *writer) string(s string)  { w.b = append(binary.AppendUvarint(w.b, uint64(len(s))), s...) }

func (w *writer) page(p *Page) {
	for _, s := range []string{p.Reader, p.Format, p.Base, p.Charset, p.Canonical} {
		w.string(s)
	}
	var flags byte
	if p.NoFollow {
		flags |= pageNoFollow
	}
	if p.NoIndex {
		flags |= pageNoIndex
	}
	if p.Shell {
		flags |= pageShell
	}
	if p.SitemapIndex {
		flags |= pageSitemapIndex
	}
	if p.Rendered != nil {
		flags |= pageRendered
	}
	w.byte(flags)
	for _, name := range headerFields {
		w.uvarint(uint64(len(p.Header[name])))
		for _, value := range p.Header[name] {
			w.string(value)
		}
	}
	w.links(p.Links)
	if r := p.Rendered; r != nil {
		w.string(r.Base)
		w.links(r.Links)
		for i := range r.Links {
			w.string(r.Selectors[i])
		}
		w.uvarint(uint64(len(r.Loaded)))
		for i := range r.Loaded {
			w.string(r.Loaded[i].URL)
			w.string(r.Loaded[i].Validators.ETag)
			w.string(r.Loaded[i].Validators.LastModified)
		}
	}
}

func (w *writer) links(links []extract.Link) {
	w.uvarint(uint64(len(links)))
	before := &extract.Link{}
	for i := range links {
		if l := &links[i]; l.Repeats > 0 && l.Repeats <= i && repeats(l, &links[l.Repeats-1]) {
			w.repeat(l, &links[l.Repeats-1], before)
		} else {
			w.link(l, before)
		}
		before = &links[i]
	}
}

// repeats reports whether a link differs from another only in position and text.
func repeats(l, other *extract.Link) bool {
	same := *l
	same.Line, same.Column, same.Text, same.Repeats = other.Line, other.Column, other.Text, other.Repeats
	return same == *other
}

// repeat writes a link that repeats another.
func (w *writer) repeat(l, other, before *extract.Link) {
	flags := byte(linkRepeats)
	if l.Text == other.Text {
		flags |= linkSame
	}
	w.byte(flags)
	w.varint(int64(l.Line - before.Line))
	w.varint(int64(l.Column))
	w.uvarint(uint64(l.Repeats))
	if flags&linkSame == 0 {
		w.string(l.Text)
	}
}

func (w *writer) link(l, before *extract.Link) {
	var flags byte
	set := func(on bool, flag byte) {
		if on {
			flags |= flag
		}
	}
	set(l.Element == before.Element && l.Attribute == before.Attribute, linkSame)
	set(l.Ref != l.Raw, linkRef)
	set(l.Base != "", linkBase)
	set(l.NoFollow, linkNoFollow)
	set(l.Ignored, linkIgnored)
	set(l.SameDocument, linkSamePage)
	set(l.AnyFragment, linkAnyFragment)
	w.byte(flags)
	same := flags&linkSame != 0
	flags = byte(l.Kind)
	set(l.Wiki, linkWiki)
	set(l.Acts, linkActs)
	set(l.Placeholder, linkPlaceholder)
	set(l.IgnoredCandidate, linkIgnoredCandidate)
	w.byte(flags)
	w.byte(byte(l.Expect))
	w.varint(int64(l.Line - before.Line))
	w.varint(int64(l.Column))
	if !same {
		w.string(l.Element)
		w.string(l.Attribute)
	}
	if l.Ref != l.Raw {
		w.string(l.Ref)
	}
	if l.Base != "" {
		w.string(l.Base)
	}
	w.string(l.Raw)
	w.string(l.Text)
}

// reader reads from the start of rest. After the first failure it returns zero values.
type reader struct {
	rest    []byte
	text    string // the whole body, of which the strings that are read are parts
	version byte
	failed  bool
}

func (r *reader) take(n uint64) []byte {
	if r.failed || n > uint64(len(r.rest)) {
		r.failed, r.rest = true, nil
		return nil
	}
	taken := r.rest[:n:n]
	r.rest = r.rest[n:]
	return taken
}

func (r *reader) byte() byte {
	if b := r.take(1); b != nil {
		return b[0]
	}
	return 0
}

func (r *reader) bool() bool {
	b := r.byte()
	r.failed = r.failed || b > 1
	return b == 1
}

func (r *reader) uvarint() uint64 {
	v, n := binary.Uvarint(r.rest)
	if n <= 0 {
		r.failed, r.rest = true, nil
		return 0
	}
	r.rest = r.rest[n:]
	return v
}

func (r *reader) varint() int64 {
	v, n := binary.Varint(r.rest)
	if n <= 0 {
		r.failed, r.rest = true, nil
		return 0
	}
	r.rest = r.rest[n:]
	return v
}

// place reads the difference of a line or a column from another.
func (r *reader) place(before int) int {
	const most = math.MaxInt32
	v := r.varint()
	if v < -most || v > most || int64(before)+v < 0 || int64(before)+v > most {
		r.failed = true
		return 0
	}
	return before + int(v)
}

func (r *reader) bytes() []byte { return r.take(r.uvarint()) }

func (r *reader) string() string {
	n := len(r.bytes())
	end := len(r.text) - len(r.rest)
	return r.text[end-n : end]
}

func (r *reader) page() *Page {
	p := &Page{Reader: r.string(), Format: r.string(), Base: r.string(), Charset: r.string(), Canonical: r.string()}
	flags := r.byte()
	r.failed = r.failed || flags&^allPageFlags != 0
	p.NoFollow, p.NoIndex, p.Shell, p.SitemapIndex = flags&pageNoFollow != 0, flags&pageNoIndex != 0, flags&pageShell != 0, flags&pageSitemapIndex != 0
	for _, name := range headerFields {
		for n := r.uvarint(); n > 0 && !r.failed; n-- {
			if p.Header == nil {
				p.Header = http.Header{}
			}
			p.Header[name] = append(p.Header[name], r.string())
		}
	}
	p.Links = r.links()
	if flags&pageRendered != 0 {
		p.Rendered = r.rendered()
	}
	return p
}

func (r *reader) rendered() *Rendered {
	found := &Rendered{Base: r.string(), Links: r.links()}
	for n := len(found.Links); n > 0 && !r.failed; n-- {
		found.Selectors = append(found.Selectors, r.string())
	}
	for n := r.uvarint(); n > 0 && !r.failed; n-- {
		found.Loaded = append(found.Loaded, Loaded{URL: r.string(), Validators: fetch.Validators{ETag: r.string(), LastModified: r.string()}})
	}
	return found
}

func (r *reader) links() (links []extract.Link) {
	const minLink = 4 // bytes
	n := r.uvarint()
	if n > uint64(len(r.rest)/minLink) || n > extract.MaxLinks+extract.MaxHeaderLinks {
		r.failed = true
		return nil
	}
	if n > 0 {
		links = newLinks(int(n))
	}
	before := &extract.Link{}
	for ; n > 0 && !r.failed; n-- {
		links = append(links, r.link(before, links))
		before = &links[len(links)-1]
	}
	return links
}

// repeats reads the number of the link that a link repeats.
func (r *reader) repeats(links []extract.Link) int {
	n := r.uvarint()
	if n == 0 || n > uint64(len(links)) {
		r.failed = true
		return 0
	}
	return int(n)
}

// repeat reads a link that repeats another.
func (r *reader) repeat(sameText bool, before *extract.Link, links []extract.Link) (l extract.Link) {
	line, column := r.place(before.Line), r.place(0)
	n := r.repeats(links)
	if n == 0 {
		return l
	}
	l = links[n-1]
	if l.Line, l.Column, l.Repeats = line, column, n; !sameText {
		l.Text = r.string()
	}
	return l
}

func (r *reader) link(before *extract.Link, links []extract.Link) extract.Link {
	flags := r.byte()
	if flags&linkRepeats != 0 && r.version > 1 {
		r.failed = r.failed || flags&^(linkRepeats|linkSame) != 0
		return r.repeat(flags&linkSame != 0, before, links)
	}
	kind := r.byte()
	l := extract.Link{Kind: extract.Kind(kind & kindMask), Expect: extract.Expect(r.byte()),
		Wiki: kind&linkWiki != 0, Acts: kind&linkActs != 0, Placeholder: kind&linkPlaceholder != 0, IgnoredCandidate: kind&linkIgnoredCandidate != 0,
		NoFollow: flags&linkNoFollow != 0, Ignored: flags&linkIgnored != 0, SameDocument: flags&linkSamePage != 0, AnyFragment: flags&linkAnyFragment != 0}
	if l.Kind > extract.Host || l.Expect > extract.ExpectStyle {
		r.failed = true
	}
	l.Line, l.Column = r.place(before.Line), r.place(0)
	l.Element, l.Attribute = before.Element, before.Attribute
	if flags&linkSame == 0 {
		l.Element, l.Attribute = r.string(), r.string()
	}
	if flags&linkRef != 0 {
		l.Ref = r.string()
	}
	if flags&linkBase != 0 {
		l.Base = r.string()
	}
	if flags&linkRepeats != 0 {
		l.Repeats = r.repeats(links)
	}
	l.Raw = r.string()
	if flags&linkRef == 0 {
		l.Ref = l.Raw
	}
	l.Text = r.string()
	return l
}
