package facts

import (
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"strings"

	"github.com/orbweaver/orbweaver/crawler/internal/record"
)

// Encoded facts begin with a byte that is their version and their kind. Numbers are varints
// unless said otherwise; strings have their length before them; a place is line and column.
//
//	page    flags: which of the single facts follow
//	        URL
//	        title, description: hash (8 bytes, little-endian), place, excerpt, and the source
//	        or "" if it is like the excerpt
//	        place and source of noindex
//	        fingerprint: hash and simhash (8 bytes each, little-endian), number of words
//	        canonicals, alternates, images, integrities: their number, and for each the link
//	        and then a flag; the language; the size; a byte (algorithm, 0x80 for a script, 0x40 for one without CORS)
//	        and the digests
//	target  width, height, digests
//
// A link is a place and two strings: its URL without what it has in common with the page's
// URL at the beginning, whose length precedes, and what it is in the source: twice the length
// and the string, or once more 1 and the length alone if the URL ends with it.
const (
	pageVersion   = 3
	targetVersion = 0x82
)

const (
	hasIcon = 1 << iota
	hasNoIndex
	hasTitle
	hasDescription
	hasBody
)

// ErrMalformed is wrapped by the errors of decoding data that is not encoded facts.
var ErrMalformed = errors.New("malformed facts")

// AppendPage appends the encoded facts of a page to dst. Of each list the first MaxLinks are
// encoded.
func AppendPage(dst []byte, p *Page) []byte {
	flags := byte(0)
	for i, there := range [...]bool{p.HasIcon, p.NoIndex, p.Title.Hash != 0, p.Description.Hash != 0, p.Body.Hash != 0} {
		if there {
			flags |= 1 << i
		}
	}
	e := encoder{append(dst, pageVersion, flags), p.URL}
	e.string(p.URL)
	for _, t := range [...]*Text{&p.Title, &p.Description} {
		if t.Hash != 0 {
			e.uint64(t.Hash)
			e.place(t.Place)
			e.string(t.Excerpt)
			if t.Raw == t.Excerpt {
				e.string("")
			} else {
				e.string(t.Raw)
			}
		}
	}
	if p.NoIndex {
		e.place(p.NoIndexPlace)
		e.string(p.NoIndexRaw)
	}
	if p.Body.Hash != 0 {
		e.uint64(p.Body.Hash)
		e.uint64(p.Body.Similar)
		e.int(p.Body.Words)
	}
	for i := range e.list(len(p.Canonicals)) {
		c := &p.Canonicals[i]
		e.link(&c.Link)
		e.dst = record.AppendBool(e.dst, c.Self)
	}
	for i := range e.list(len(p.Alternates)) {
		a := &p.Alternates[i]
		e.link(&a.Link)
		e.string(a.Language)
	}
	for i := range e.list(len(p.Images)) {
		m := &p.Images[i]
		e.link(&m.Link)
		e.int(m.Width)
		e.int(m.Height)
	}
	for i := range e.list(len(p.Integrities)) {
		n := &p.Integrities[i]
		e.link(&n.Link)
		kind := byte(n.Algorithm)
		if n.Script {
			kind |= scriptFlag
		}
		if n.Opaque {
			kind |= opaqueFlag
		}
		e.dst = append(e.dst, kind)
		e.string(n.Digests)
		e.string(n.Origin)
	}
	return e.dst
}

// Flags beside the algorithm of a script or style sheet.
const (
	scriptFlag = 0x80
	opaqueFlag = 0x40
)

// AppendTarget appends the encoded facts of a target to dst.
func AppendTarget(dst []byte, t *Target) []byte {
	e := encoder{dst: append(dst, targetVersion)}
	e.int(t.Width)
	e.int(t.Height)
	e.string(string(t.Digests))
	e.string(Cut(t.Origin))
	e.string(Cut(t.AllowOrigin))
	return e.dst
}

type encoder struct {
	dst  []byte
	page string // the URL of the page
}

func (e *encoder) int(n int)       { e.dst = binary.AppendUvarint(e.dst, uint64(max(n, 0))) }
func (e *encoder) uint64(n uint64) { e.dst = binary.LittleEndian.AppendUint64(e.dst, n) }

func (e *encoder) string(s string) { e.dst = record.AppendString(e.dst, s) }

func (e *encoder) place(p Place) {
	e.int(p.Line)
	e.int(p.Column)
}

// list writes the number of entries of a list, and returns it.
func (e *encoder) list(n int) int {
	n = min(n, MaxLinks)
	e.int(n)
	return n
}

func (e *encoder) link(l *Link) {
	e.place(l.Place)
	common := 0
	for common < min(len(l.URL), len(e.page)) && l.URL[common] == e.page[common] {
		common++
	}
	e.int(common)
	e.string(l.URL[common:])
	if strings.HasSuffix(l.URL, l.Raw) {
		e.int(2*len(l.Raw) + 1)
		return
	}
	e.int(2 * len(l.Raw))
	e.dst = append(e.dst, l.Raw...)
}

// Decode sets p to encoded facts of a page and keeps the memory of its lists. Its strings share
// one copy of the data. On error, which wraps ErrMalformed, p is empty.
func (p *Page) Decode(data []byte) error {
	d := decoder{Reader: record.NewReader(data, string(data))}
	*p = Page{Canonicals: p.Canonicals[:0], Alternates: p.Alternates[:0], Images: p.Images[:0], Integrities: p.Integrities[:0]}
	version, flags := d.Byte(), d.Byte()
	if version != pageVersion {
		return fmt.Errorf("decode facts of %d bytes: version %#x: %w", len(data), version, ErrMalformed)
	}
	p.HasIcon, p.NoIndex = flags&hasIcon != 0, flags&hasNoIndex != 0
	p.URL = d.String()
	d.page = p.URL
	if flags&hasTitle != 0 {
		p.Title = d.text()
	}
	if flags&hasDescription != 0 {
		p.Description = d.text()
	}
	if p.NoIndex {
		p.NoIndexPlace, p.NoIndexRaw = d.place(), d.String()
	}
	if flags&hasBody != 0 {
		p.Body = Fingerprint{Hash: d.Uint64(), Similar: d.Uint64(), Words: d.Int()}
	}
	for range d.Count(MaxLinks) {
		p.Canonicals = append(p.Canonicals, Canonical{d.link(), d.Byte() != 0})
	}
	for range d.Count(MaxLinks) {
		p.Alternates = append(p.Alternates, Alternate{d.link(), d.String()})
	}
	for range d.Count(MaxLinks) {
		p.Images = append(p.Images, Image{d.link(), d.Int(), d.Int()})
	}
	for range d.Count(MaxLinks) {
		p.Integrities = append(p.Integrities, d.integrity())
	}
	if !d.Done() || flags >= hasBody<<1 {
		*p = Page{}
		return fmt.Errorf("decode facts of %d bytes: %w", len(data), ErrMalformed)
	}
	return nil
}

// IsPage reports whether encoded facts are those of a page.
func IsPage(data []byte) bool { return len(data) > 0 && data[0] == pageVersion }

// DecodeTarget decodes the facts of a target. Digests shares the memory of data.
func DecodeTarget(data []byte) (t Target, err error) {
	d := record.Reader{Rest: data}
	version := d.Byte()
	t = Target{Width: d.Int(), Height: d.Int()}
	digests := d.Bytes()
	t.Origin, t.AllowOrigin = string(d.Bytes()), string(d.Bytes())
	if !d.Done() || version != targetVersion || len(digests) != 0 && len(digests) != digestsSize {
		return Target{}, fmt.Errorf("decode facts of %d bytes: %w", len(data), ErrMalformed)
	}
	if len(digests) > 0 {
		t.Digests = digests
	}
	return t, nil
}

// decoder reads encoded facts.
type decoder struct {
	record.Reader
	page string // the URL of the page
}

func (d *decoder) place() Place { return Place{d.Int(), d.Int()} }

func (d *decoder) text() Text {
	hash := d.Uint64()
	t := Text{Hash: hash, Place: d.place(), Excerpt: d.String(), Raw: d.String()}
	t.Raw = cmp.Or(t.Raw, t.Excerpt)
	return t
}

func (d *decoder) link() (l Link) {
	l.Place = d.place()
	common, rest := d.Int(), d.String()
	switch {
	case common > len(d.page), common+len(rest) > MaxURL:
		d.Fail()
		return Link{}
	case rest == "":
		l.URL = d.page[:common]
	default:
		l.URL = d.page[:common] + rest
	}
	switch n := d.Int(); {
	case n%2 == 0:
		l.Raw = d.TakeString(uint64(n / 2))
	case n/2 > len(l.URL):
		d.Fail()
	default:
		l.Raw = l.URL[len(l.URL)-n/2:]
	}
	return l
}

func (d *decoder) integrity() Integrity {
	link, kind, digests, origin := d.link(), d.Byte(), d.String(), d.String()
	n := Integrity{Link: link, Script: kind&scriptFlag != 0, Opaque: kind&opaqueFlag != 0, Algorithm: Algorithm(kind &^ (scriptFlag | opaqueFlag)), Digests: digests, Origin: origin}
	if n.Algorithm < SHA256 || n.Algorithm > SHA512 || len(digests)%n.Algorithm.Size() != 0 {
		d.Fail()
		return Integrity{}
	}
	return n
}
