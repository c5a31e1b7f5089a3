package facts

import (
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"strings"
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
//	        and then a flag; the language; the size; a byte (algorithm, and 0x80 for a script)
//	        and the digests
//	target  width, height, digests
//
// A link is a place and two strings: its URL without what it has in common with the page's
// URL at the beginning, whose length precedes, and what it is in the source: twice the length
// and the string, or once more 1 and the length alone if the URL ends with it.
const (
	pageVersion   = 2
	targetVersion = 0x81
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
		self := byte(0)
		if c.Self {
			self = 1
		}
		e.dst = append(e.dst, self)
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
		e.dst = append(e.dst, kind)
		e.string(n.Digests)
	}
	return e.dst
}

const scriptFlag = 0x80

// AppendTarget appends the encoded facts of a target to dst.
func AppendTarget(dst []byte, t *Target) []byte {
	e := encoder{dst: append(dst, targetVersion)}
	e.int(t.Width)
	e.int(t.Height)
	e.string(string(t.Digests))
	return e.dst
}

type encoder struct {
	dst  []byte
	page string // the URL of the page
}

func (e *encoder) int(n int)       { e.dst = binary.AppendUvarint(e.dst, uint64(max(n, 0))) }
func (e *encoder) uint64(n uint64) { e.dst = binary.LittleEndian.AppendUint64(e.dst, n) }

func (e *encoder) string(s string) {
	e.int(len(s))
	e.dst = append(e.dst, s...)
}

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
	d := decoder{data: string(data)}
	*p = Page{Canonicals: p.Canonicals[:0], Alternates: p.Alternates[:0], Images: p.Images[:0], Integrities: p.Integrities[:0]}
	version, flags := d.byte(), d.byte()
	if version != pageVersion {
		return fmt.Errorf("decode facts of %d bytes: version %#x: %w", len(data), version, ErrMalformed)
	}
	p.HasIcon, p.NoIndex = flags&hasIcon != 0, flags&hasNoIndex != 0
	p.URL = d.string()
	d.page = p.URL
	if flags&hasTitle != 0 {
		p.Title = d.text()
	}
	if flags&hasDescription != 0 {
		p.Description = d.text()
	}
	if p.NoIndex {
		p.NoIndexPlace, p.NoIndexRaw = d.place(), d.string()
	}
	if flags&hasBody != 0 {
		p.Body = Fingerprint{Hash: d.uint64(), Similar: d.uint64(), Words: d.int()}
	}
	for range d.list() {
		p.Canonicals = append(p.Canonicals, Canonical{d.link(), d.byte() != 0})
	}
	for range d.list() {
		p.Alternates = append(p.Alternates, Alternate{d.link(), d.string()})
	}
	for range d.list() {
		p.Images = append(p.Images, Image{d.link(), d.int(), d.int()})
	}
	for range d.list() {
		p.Integrities = append(p.Integrities, d.integrity())
	}
	if d.failed || d.data != "" || flags >= hasBody<<1 {
		*p = Page{}
		return fmt.Errorf("decode facts of %d bytes: %w", len(data), ErrMalformed)
	}
	return nil
}

// IsPage reports whether encoded facts are those of a page.
func IsPage(data []byte) bool { return len(data) > 0 && data[0] == pageVersion }

// DecodeTarget decodes the facts of a target. Digests shares the memory of data.
func DecodeTarget(data []byte) (t Target, err error) {
	d := decoder{data: string(data)}
	version := d.byte()
	t = Target{Width: d.int(), Height: d.int()}
	n := d.length()
	if d.failed || version != targetVersion || n != len(d.data) || n != 0 && n != digestsSize {
		return Target{}, fmt.Errorf("decode facts of %d bytes: %w", len(data), ErrMalformed)
	}
	if n > 0 {
		t.Digests = data[len(data)-n:]
	}
	return t, nil
}

// decoder reads encoded facts. After a failure all that it returns is zero.
type decoder struct {
	data   string
	page   string // the URL of the page
	failed bool
}

func (d *decoder) fail() {
	d.failed, d.data = true, ""
}

func (d *decoder) take(n int) string {
	if n > len(d.data) {
		d.fail()
		return ""
	}
	taken := d.data[:n]
	d.data = d.data[n:]
	return taken
}

func (d *decoder) byte() byte {
	if b := d.take(1); b != "" {
		return b[0]
	}
	return 0
}

func (d *decoder) uint64() (n uint64) {
	if b := d.take(8); b != "" {
		for i := range 8 {
			n |= uint64(b[i]) << (8 * i)
		}
	}
	return n
}

// int reads a number below 2³¹.
func (d *decoder) int() int {
	n := uint64(0)
	for shift := 0; shift < 35; shift += 7 {
		b := d.byte()
		n |= uint64(b&0x7F) << shift
		if b < 0x80 {
			if n > math.MaxInt32 {
				break
			}
			return int(n)
		}
	}
	d.fail()
	return 0
}

// length reads the length of a string, which is at most that of what is left.
func (d *decoder) length() int {
	n := d.int()
	if n > len(d.data) {
		d.fail()
		return 0
	}
	return n
}

func (d *decoder) string() string { return d.take(d.length()) }

// list reads the number of entries of a list.
func (d *decoder) list() int {
	n := d.int()
	if n > MaxLinks {
		d.fail()
		return 0
	}
	return n
}

func (d *decoder) place() Place { return Place{d.int(), d.int()} }

func (d *decoder) text() Text {
	hash := d.uint64()
	t := Text{Hash: hash, Place: d.place(), Excerpt: d.string(), Raw: d.string()}
	t.Raw = cmp.Or(t.Raw, t.Excerpt)
	return t
}

func (d *decoder) link() (l Link) {
	l.Place = d.place()
	common, rest := d.int(), d.string()
	switch {
	case common > len(d.page), common+len(rest) > MaxURL:
		d.fail()
		return Link{}
	case rest == "":
		l.URL = d.page[:common]
	default:
		l.URL = d.page[:common] + rest
	}
	switch n := d.int(); {
	case n%2 == 0:
		l.Raw = d.take(n / 2)
	case n/2 > len(l.URL):
		d.fail()
	default:
		l.Raw = l.URL[len(l.URL)-n/2:]
	}
	return l
}

func (d *decoder) integrity() Integrity {
	link, kind, digests := d.link(), d.byte(), d.string()
	n := Integrity{Link: link, Script: kind&scriptFlag != 0, Algorithm: Algorithm(kind &^ scriptFlag), Digests: digests}
	if n.Algorithm < SHA256 || n.Algorithm > SHA512 || len(digests)%n.Algorithm.Size() != 0 {
		d.fail()
		return Integrity{}
	}
	return n
}
