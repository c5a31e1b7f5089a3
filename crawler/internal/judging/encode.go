package judging

import (
	"encoding/binary"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/orbweaver/orbweaver/crawler/check"
	"github.com/orbweaver/orbweaver/crawler/internal/gap"
	"github.com/orbweaver/orbweaver/crawler/internal/record"
)

// An encoded Outcome, of version 1; 2 with an Inspection; 3 with a Sketch; 4 with both. Integers are varints unless said otherwise;
// strings have their length before them.
//
//	1 byte   version
//	2 bytes  flags, little-endian: which of the parts below follow, and the booleans
//	anchors  their number, then 8 bytes each, little-endian and ascending
//	1 byte   code: its number in the table of codes, or one of the two escapes below
//	         status                           (flag; else 200)
//	1 byte   content type: its place in typeBook, 0 for none, or the escape
//	         size, requests
//	         elapsed, modified, path, next, title, message, warnings, names (flags)
//	         the inspection, in versions 2 and 4
//	         the sketch, in versions 3 and 4
//
// The anchors come first so that they can be looked up without reading the rest.
// Numbers and places are part of the format: they never change.
const (
	encodingVersion = 1
	withInspection  = 1 // added to encodingVersion
	withSketch      = 2 // likewise
)

const (
	codeLiteral = 255 // the code follows as a string
	codeStatus  = 254 // the code is http- and the status
	typeLiteral = 255 // the media type follows as a string
)

const (
	hasRead uint16 = 1 << iota
	hasStatic
	hasLogin
	hasLocalLimit
	hasAnchors
	hasStatus
	hasElapsed
	hasModified
	hasPath
	hasNext
	hasTitle
	hasMessage
	hasWarnings
	hasNames
	hasCached
	hasTemporary
	allFlags = 1<<iota - 1
)

// The numbers of the two codes that are decoded without the table.
const (
	numberOK     = 0
	numberOfNext = 1
)

var typeBook = [...]string{
	"", "text/html", "application/xhtml+xml", "text/plain", "text/css", "text/javascript", "application/javascript",
	"application/json", "application/xml", "text/xml", "application/pdf", "application/octet-stream", "application/zip",
	"image/png", "image/jpeg", "image/gif", "image/svg+xml", "image/webp", "image/avif", "image/x-icon", "image/vnd.microsoft.icon",
	"font/woff2", "font/woff", "video/mp4", "audio/mpeg", "text/markdown", "application/atom+xml", "application/rss+xml",
	"application/gzip", "application/x-gzip", "application/manifest+json",
}

// AppendOutcome appends the encoded outcome to dst. An ordinary page takes fewer than
// 40 bytes, plus 8 for each anchor. Modified is stored in UTC. Anchors must be in
// ascending order, as from NewAnchors.
func AppendOutcome(dst []byte, o *Outcome) []byte {
	var flags uint16
	set := func(there bool, flag uint16) {
		if there {
			flags |= flag
		}
	}
	set(o.Read, hasRead)
	set(o.Static, hasStatic)
	set(o.Login, hasLogin)
	set(o.LocalLimit, hasLocalLimit)
	set(o.Cached, hasCached)
	set(o.Temporary, hasTemporary)
	set(len(o.Anchors) > 0, hasAnchors)
	set(o.Status != 200, hasStatus)
	set(o.Elapsed != 0, hasElapsed)
	set(!o.Modified.IsZero(), hasModified)
	set(o.Path != "", hasPath)
	set(o.Next != "", hasNext)
	set(o.Title != "", hasTitle)
	set(o.Message != "", hasMessage)
	set(len(o.Warnings) > 0, hasWarnings)
	set(o.Names != "", hasNames)

	const most = 100 // bytes, without the parts that are counted below
	dst = slices.Grow(dst, most+8*len(o.Anchors)+len(o.Path)+len(o.Title)+len(o.Names))
	version := byte(encodingVersion)
	if o.Inspection != nil {
		version += withInspection
	}
	if o.Sketch != nil {
		version += withSketch
	}
	dst = append(dst, version)
	dst = binary.LittleEndian.AppendUint16(dst, flags)
	if flags&hasAnchors != 0 {
		dst = binary.AppendUvarint(dst, uint64(len(o.Anchors)))
		for _, hash := range o.Anchors {
			dst = binary.LittleEndian.AppendUint64(dst, hash)
		}
	}
	dst = appendCode(dst, o.Code, o.Status)
	if flags&hasStatus != 0 {
		dst = binary.AppendVarint(dst, int64(o.Status))
	}
	if i := slices.Index(typeBook[:], o.ContentType); i >= 0 {
		dst = append(dst, byte(i))
	} else {
		dst = record.AppendString(append(dst, typeLiteral), o.ContentType)
	}
	dst = binary.AppendVarint(dst, o.Size)
	dst = binary.AppendVarint(dst, int64(o.Requests))
	if flags&hasElapsed != 0 {
		dst = binary.AppendVarint(dst, int64(o.Elapsed))
	}
	if flags&hasModified != 0 {
		dst = binary.AppendVarint(dst, o.Modified.Unix())
		dst = binary.AppendUvarint(dst, uint64(o.Modified.Nanosecond()))
	}
	for _, part := range [...]struct {
		flag  uint16
		value string
	}{{hasPath, o.Path}, {hasNext, o.Next}, {hasTitle, o.Title}, {hasMessage, o.Message}} {
		if flags&part.flag != 0 {
			dst = record.AppendString(dst, part.value)
		}
	}
	if flags&hasWarnings != 0 {
		dst = binary.AppendUvarint(dst, uint64(len(o.Warnings)))
		for _, w := range o.Warnings {
			dst = appendCode(dst, w.Code, 0)
			dst = record.AppendString(dst, w.Message)
			dst = record.AppendString(dst, w.Proposal)
		}
	}
	if flags&hasNames != 0 {
		dst = record.AppendString(dst, string(o.Names))
	}
	if o.Inspection != nil {
		dst = record.AppendString(dst, o.Inspection)
	}
	if o.Sketch != nil {
		dst = record.AppendString(dst, o.Sketch)
	}
	return dst
}

// appendCode appends a code. The status is the outcome's, or 0 for a warning.
func appendCode(dst []byte, c check.Code, status int) []byte {
	if number, ok := c.Number(); ok {
		return append(dst, number)
	}
	if named, ok := c.Status(); ok && named == status {
		return append(dst, codeStatus)
	}
	return record.AppendString(append(dst, codeLiteral), string(c))
}

// AppendObserved appends the part of an encoded outcome that is about the target. The rest is about how it
// was observed: how many requests that took, how long, and whether an earlier run sent them.
func AppendObserved(dst, data []byte) ([]byte, error) {
	d := decoderOf(data)
	flags, _, _ := d.header()
	d.anchors(flags)
	if d.Byte() == codeLiteral {
		d.Bytes()
	}
	if flags&hasStatus != 0 {
		d.Varint()
	}
	if d.Byte() == typeLiteral {
		d.Bytes()
	}
	d.Varint() // size
	before := len(data) - len(d.Rest)
	d.Varint() // requests
	if flags&hasElapsed != 0 {
		d.Varint()
	}
	if d.Failed {
		return dst, fmt.Errorf("read an outcome of %d bytes: %w", len(data), check.ErrMalformed)
	}
	at := len(dst) + 1 // after the version
	dst = append(append(dst, data[:before]...), d.Rest...)
	binary.LittleEndian.PutUint16(dst[at:], flags&^(hasElapsed|hasCached))
	return dst, nil
}

// DecodeOutcome decodes an outcome that AppendOutcome encoded. It is an error if bytes
// follow it. The result does not refer to data. The memory it takes is at most a small
// multiple of the length of data, even if data is malformed.
func DecodeOutcome(data []byte) (Outcome, error) {
	o, anchors, err := DecodeHead(data)
	if err != nil {
		return Outcome{}, err
	}
	o.Anchors = anchors.Decode()
	return o, nil
}

// DecodeHead decodes an outcome without its anchors, which it returns as a part of data
// for JudgeIn. They are valid as long as data does not change.
func DecodeHead(data []byte) (Outcome, EncodedAnchors, error) {
	d := decoderOf(data)
	flags, inspected, sketched := d.header()
	anchors := d.anchors(flags)
	o := Outcome{
		Status:     200,
		Content:    Content{Read: flags&hasRead != 0, Static: flags&hasStatic != 0, Login: flags&hasLogin != 0},
		LocalLimit: flags&hasLocalLimit != 0,
		Cached:     flags&hasCached != 0,
		Temporary:  flags&hasTemporary != 0,
	}
	code := d.Byte()
	if code == codeLiteral {
		o.Code = check.Code(d.String())
	}
	if flags&hasStatus != 0 {
		o.Status = d.int()
	}
	switch {
	case code == codeStatus:
		o.Code = check.HTTPCode(o.Status)
		if _, ok := o.Code.Status(); !ok {
			d.Fail()
		}
	case code != codeLiteral:
		o.Code = d.code(code)
	}
	switch kind := d.Byte(); {
	case kind == typeLiteral:
		o.ContentType = d.String()
	case int(kind) < len(typeBook):
		o.ContentType = typeBook[kind]
	default:
		d.Fail()
	}
	o.Size = d.Varint()
	if o.Requests = d.int(); o.LocalLimit || o.Code == check.CodeLimit && o.Requests > 0 {
		o.Gap = gap.Machine // other limits are reached without a request
	}
	if flags&hasElapsed != 0 {
		o.Elapsed = time.Duration(d.Varint())
	}
	if flags&hasModified != 0 {
		o.Modified = d.time()
	}
	for _, part := range [...]struct {
		flag  uint16
		value *string
	}{{hasPath, &o.Path}, {hasNext, &o.Next}, {hasTitle, &o.Title}, {hasMessage, &o.Message}} {
		if flags&part.flag != 0 {
			*part.value = d.String()
		}
	}
	if flags&hasWarnings != 0 {
		o.Warnings = d.warnings()
	}
	if flags&hasNames != 0 {
		o.Names = Names(d.String())
	}
	if inspected {
		o.Inspection = slices.Clone(d.Bytes())
	}
	if sketched {
		o.Sketch = slices.Clone(d.Bytes())
	}
	if !d.Done() {
		return Outcome{}, nil, fmt.Errorf("decode outcome of %d bytes: %w", len(data), check.ErrMalformed)
	}
	return o, anchors, nil
}

// Glance is what GlanceAt reads from an encoded outcome without decoding all of it.
type Glance struct {
	Code        check.Code // empty if the code is encoded as a status or a string
	OK          bool       // its code is ok
	Redirect    bool       // another target answers for it
	HasNext     bool       // there is a Next: of a redirect, or of a page that redirects its readers
	HasWarnings bool       // there are warnings
	OfPage      bool       // OfPage is true for all of them
	Read        bool
	Cached      bool           // the outcome is from an earlier run
	Inspected   bool           // content checks looked at it
	Sketched    bool           // its text is compared with that of an earlier run
	HTML        bool           // the content type is HTML or XHTML
	Anchors     EncodedAnchors // part of data; valid as long as data does not change
	Path        []byte         // likewise
}

// GlanceAt reads the beginning of an encoded outcome and the codes of its warnings,
// without allocation.
func GlanceAt(data []byte) (Glance, error) {
	d := decoderOf(data)
	flags, inspected, sketched := d.header()
	g := Glance{Inspected: inspected, Sketched: sketched, HasNext: flags&hasNext != 0, HasWarnings: flags&hasWarnings != 0, Read: flags&hasRead != 0, Cached: flags&hasCached != 0, Anchors: d.anchors(flags)}
	code := d.Byte()
	g.Code = check.CodeNumbered(code)
	switch code {
	case numberOK:
		g.OK = true
	case numberOfNext:
		g.Redirect = true
	case codeLiteral:
		d.Bytes()
	}
	if flags&hasStatus != 0 {
		d.Varint()
	}
	switch kind := d.Byte(); kind {
	case typeLiteral:
		g.HTML = isHTML(string(d.Bytes())) // types of typeBook are not encoded as strings
	default:
		g.HTML = int(kind) < len(typeBook) && isHTML(typeBook[kind])
	}
	d.Varint() // size
	d.Varint() // requests
	if flags&hasElapsed != 0 {
		d.Varint()
	}
	if flags&hasModified != 0 {
		d.Varint()
		d.Uvarint()
	}
	if flags&hasPath != 0 {
		g.Path = d.Bytes()
	}
	if g.HasWarnings {
		for flag := hasPath << 1; flag <= hasMessage; flag <<= 1 {
			if flags&flag != 0 {
				d.Bytes()
			}
		}
		g.OfPage = d.warnedOfPage()
	}
	if d.Failed {
		return Glance{}, fmt.Errorf("read the head of an outcome of %d bytes: %w", len(data), check.ErrMalformed)
	}
	return g, nil
}

// decoder reads the parts of outcomes and inspections.
type decoder struct{ record.Reader }

func decoderOf(data []byte) decoder { return decoder{record.Reader{Rest: data}} }

// warnedOfPage reports whether OfPage is true for all warnings.
func (d *decoder) warnedOfPage() bool {
	all := true
	for range d.warningCount() {
		switch code := d.Byte(); code {
		case codeLiteral:
			all = check.OfPage(check.Code(d.Bytes())) && all
		default:
			all = check.OfPage(d.code(code)) && all
		}
		d.Bytes() // message
		d.Bytes() // proposal
	}
	return all && !d.Failed
}

func (d *decoder) header() (flags uint16, inspected, sketched bool) {
	with := d.Byte() - encodingVersion
	if with > withInspection+withSketch {
		d.Fail()
	}
	if b := d.Take(2); b != nil {
		flags = binary.LittleEndian.Uint16(b)
	}
	if flags&^allFlags != 0 {
		d.Fail()
	}
	return flags, with&withInspection != 0, with&withSketch != 0
}

func (d *decoder) anchors(flags uint16) EncodedAnchors {
	if flags&hasAnchors == 0 {
		return nil
	}
	n := d.Uvarint()
	if n > MaxAnchors {
		d.Fail()
	}
	return EncodedAnchors(d.Take(8 * n))
}

// int reads a number that must fit into 32 bits.
func (d *decoder) int() int {
	v := d.Varint()
	if v < math.MinInt32 || v > math.MaxInt32 {
		d.Fail()
		return 0
	}
	return int(v)
}

// code returns the code with a number.
func (d *decoder) code(number byte) check.Code {
	code := check.CodeNumbered(number)
	if code == "" {
		d.Fail()
	}
	return code
}

func (d *decoder) time() time.Time {
	seconds, nanos := d.Varint(), d.Uvarint()
	if d.Failed || nanos >= uint64(time.Second) {
		d.Fail()
		return time.Time{}
	}
	return time.Unix(seconds, int64(nanos)).UTC()
}

// warningCount reads the number of warnings. It is 0 only if the decoder has failed.
func (d *decoder) warningCount() int {
	const least = 3 // bytes of the smallest warning
	n := d.Entries(least)
	if n == 0 {
		d.Fail()
	}
	return n
}

func (d *decoder) warnings() []check.Warning {
	n := d.warningCount()
	if n == 0 {
		return nil
	}
	warnings := make([]check.Warning, n)
	for i := range warnings {
		switch code := d.Byte(); code {
		case codeLiteral:
			warnings[i].Code = check.Code(d.String())
		default:
			warnings[i].Code = d.code(code)
		}
		warnings[i].Message = d.String()
		warnings[i].Proposal = d.String()
	}
	return warnings
}
