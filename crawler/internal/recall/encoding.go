package recall

import (
	"encoding/binary"
	"errors"
	"math"
	"slices"
	"sync"
	"time"
	"unsafe"

	"github.com/klauspost/compress/s2"

	"github.com/orbweaver/orbweaver/crawler/check"
	"github.com/orbweaver/orbweaver/crawler/extract"
	"github.com/orbweaver/orbweaver/crawler/internal/cacheentry"
	"github.com/orbweaver/orbweaver/crawler/internal/judging"
	"github.com/orbweaver/orbweaver/crawler/internal/record"
	"github.com/orbweaver/orbweaver/crawler/internal/versions"
)

// The encoding of an Entry, version 3. Integers are varints. Strings have their length
// before them. A byte of 0 or 1 says whether an optional part follows.
//
//	1 byte   version
//	4 bytes  length of the next part, little-endian
//	part     compressed with s2:
//	           outcome: a string, by judging.AppendOutcome
//	           content: 1 byte
//	           etag, last-modified: strings
//	           expiry of the certificate: seconds since 1970, 0 for none
//	           [page: reader, format, canonical: strings; flags: 1 byte; number of links;
//	             [number of hidden links]; [checksum of the text]; targets: a string
//	             [rendered: number of loaded files, and for each its URL, etag and last-modified]]
//	rest     references of the page
//
// Pages of versions 1 and 2 had their links as they were extracted. They are read again, so
// entries with such pages count as missing; others have not changed.
const (
	encodingVersion = 3
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
	pageUnfollowed = 1 << iota
	pageShell
	pageNoIndex
	pageSitemapIndex
	pageRendered
	pageBlank
	pageHidden
	pageText
	headBytes = 1 + 4
)

var errEntry = errors.New("the entry is damaged")

// buffers are a body and its compressed form.
type buffers struct{ body, compressed []byte }

// encoders keeps buffers for encode.
var encoders = sync.Pool{New: func() any { return &buffers{} }}

// mostKept is the size from which a buffer is not kept, in bytes.
const mostKept = 1 << 20

// encode returns the stored form of an entry, nil if it is too large.
func encode(e *Entry) []byte {
	use := encoders.Get().(*buffers)
	defer use.giveBack()
	return use.encode(e)
}

// giveBack ends the use of the buffers.
func (use *buffers) giveBack() {
	if cap(use.body)+cap(use.compressed) <= mostKept {
		encoders.Put(use)
	}
}

func (use *buffers) encode(e *Entry) []byte {
	compressed := use.compress(e, judging.AppendOutcome(nil, &e.Outcome))
	if compressed == nil {
		return nil
	}
	var references []byte
	if e.Page != nil {
		references = e.Page.References
	}
	size := headBytes + len(compressed) + len(references)
	if size > maxRecord {
		return nil
	}
	b := append(make([]byte, 0, size+cacheentry.SealBytes), encodingVersion)
	b = binary.LittleEndian.AppendUint32(b, uint32(len(compressed)))
	return append(append(b, compressed...), references...)
}

// compress returns the compressed part of a record, nil if it is too large. It is valid until the
// next call.
func (use *buffers) compress(e *Entry, outcome []byte) []byte {
	b := record.AppendBool(record.AppendString(use.body[:0], outcome), e.Content)
	b = appendValidators(b, e.Validators)
	var end int64
	if !e.NotAfter.IsZero() {
		end = e.NotAfter.Unix()
	}
	b = record.AppendBool(binary.AppendVarint(b, end), e.Page != nil)
	if e.Page != nil {
		b = appendPage(b, e.Page)
	}
	if use.body = b; len(b) > maxBody {
		return nil
	}
	use.compressed = slices.Grow(use.compressed[:0], s2.MaxEncodedLen(len(b)))
	return s2.Encode(use.compressed[:cap(use.compressed)], b)
}

// encodePage returns what a store keeps of the entry of a page, apart from its outcome and its
// references, which the store has anyway; nil if it is too large.
func encodePage(key cacheentry.Key, e *Entry) []byte {
	use := encoders.Get().(*buffers)
	defer use.giveBack()
	compressed := use.compress(e, nil)
	if compressed == nil {
		return nil
	}
	b := append(make([]byte, 0, 1+len(key)+len(compressed)), encodingVersion)
	return append(append(b, key[:]...), compressed...)
}

// decodePage reads what encodePage returned. It returns nil if that is from another version, or was
// for another request. It is for stores that notice damage.
func decodePage(key cacheentry.Key, kept []byte, o *judging.Outcome, references []byte) *Entry {
	if len(kept) < 1+len(key) || kept[0] != encodingVersion || cacheentry.Key(kept[1:]) != key {
		return nil
	}
	e, err := decompress(kept[1+len(key):], func([]byte) (judging.Outcome, error) { return *o, nil }, encodingVersion)
	if err != nil || e.Page == nil {
		return nil
	}
	e.Page.References = references
	return e
}

// decode reads what encode returned. It returns nil for an entry that counts as missing. It
// allocates no more than a small multiple of the decompressed size, which is at most maxBody bytes.
// The references of a page are a part of the record.
func decode(data []byte) (*Entry, error) {
	if len(data) < 1 || len(data) > maxRecord || data[0] < firstEncoding || data[0] > encodingVersion {
		return nil, errEntry
	}
	version, compressed, references := data[0], data[1:], []byte(nil)
	if version >= 3 {
		if len(data) < headBytes {
			return nil, errEntry
		}
		n := binary.LittleEndian.Uint32(data[1:])
		if compressed = data[headBytes:]; uint64(n) > uint64(len(compressed)) {
			return nil, errEntry
		}
		compressed, references = compressed[:n], compressed[n:]
	}
	e, err := decompress(compressed, judging.DecodeOutcome, version)
	switch {
	case e == nil || err != nil:
		return nil, err
	case e.Page != nil:
		e.Page.References = references
	case len(references) > 0:
		return nil, errEntry
	}
	return e, nil
}

// decompress reads the compressed part of a record of a version. It returns nil for an entry that
// counts as missing.
func decompress(compressed []byte, decodeOutcome func([]byte) (judging.Outcome, error), version byte) (*Entry, error) {
	if n, err := s2.DecodedLen(compressed); err != nil || n > maxBody {
		return nil, errEntry
	}
	body, err := s2.Decode(nil, compressed)
	if err != nil {
		return nil, errEntry
	}
	// The strings of the entry are parts of the body, which does not change.
	r := record.NewReader(body, unsafe.String(unsafe.SliceData(body), len(body)))
	e := &Entry{}
	o, err := decodeOutcome(r.Bytes())
	if err != nil {
		return nil, errEntry
	}
	e.Outcome = o
	e.Content = r.Bool()
	e.Validators = readValidators(&r)
	if end := r.Varint(); end != 0 {
		e.NotAfter = time.Unix(end, 0).UTC()
	}
	if r.Bool() {
		if version < 3 {
			return nil, nil
		}
		e.Page = readPage(&r)
	}
	if !r.Done() || o.Code != check.CodeOK && o.Code != check.CodeRedirect {
		return nil, errEntry
	}
	return e, nil
}

func appendValidators(dst []byte, v versions.Validators) []byte {
	return record.AppendString(record.AppendString(dst, v.ETag), v.LastModified)
}

func readValidators(r *record.Reader) versions.Validators {
	return versions.Validators{ETag: r.String(), LastModified: r.String()}
}

func appendPage(dst []byte, p *Page) []byte {
	for _, s := range []string{p.Reader, p.Format, p.Canonical} {
		dst = record.AppendString(dst, s)
	}
	var flags byte
	for i, on := range []bool{p.Unfollowed, p.Shell, p.NoIndex, p.SitemapIndex, p.Rendered, p.Blank, p.Hidden > 0, p.Text != 0} {
		if on {
			flags |= 1 << i
		}
	}
	dst = binary.AppendUvarint(append(dst, flags), uint64(p.Listed))
	if p.Hidden > 0 {
		dst = binary.AppendUvarint(dst, uint64(p.Hidden))
	}
	if p.Text != 0 {
		dst = binary.AppendUvarint(dst, uint64(p.Text))
	}
	dst = record.AppendString(dst, p.Targets)
	if !p.Rendered {
		return dst
	}
	dst = binary.AppendUvarint(dst, uint64(len(p.Loaded)))
	for i := range p.Loaded {
		dst = appendValidators(record.AppendString(dst, p.Loaded[i].URL), p.Loaded[i].Validators)
	}
	return dst
}

func readPage(r *record.Reader) *Page {
	p := &Page{Reader: r.String(), Format: r.String(), Canonical: r.String()}
	flags := r.Byte()
	p.Unfollowed, p.Shell, p.NoIndex, p.SitemapIndex, p.Rendered, p.Blank = flags&pageUnfollowed != 0, flags&pageShell != 0, flags&pageNoIndex != 0, flags&pageSitemapIndex != 0, flags&pageRendered != 0, flags&pageBlank != 0
	p.Listed = r.Count(extract.MaxLinks)
	if flags&pageHidden != 0 {
		p.Hidden = r.Count(extract.MaxLinks)
	}
	if flags&pageText != 0 {
		text := r.Uvarint()
		if text > math.MaxUint32 {
			r.Fail()
		}
		p.Text = uint32(text)
	}
	p.Targets = r.Bytes()
	if !p.Rendered {
		return p
	}
	for n := r.Uvarint(); n > 0 && !r.Failed; n-- {
		p.Loaded = append(p.Loaded, Loaded{URL: r.String(), Validators: readValidators(r)})
	}
	return p
}
