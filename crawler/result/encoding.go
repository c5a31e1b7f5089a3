package result

import (
	"encoding/binary"
	"errors"
	"math"
	"time"

	"github.com/orbweaver/orbweaver/crawler/check"
	"github.com/orbweaver/orbweaver/crawler/internal/record"
)

// A result is encoded as its fields in the order below. Numbers are varints, and strings
// have their length before them. A reference leaves out what it has in common with the one
// before, which is much: most references to a target are written alike.

// Flags of a result.
const (
	isInternal = 1 << iota
	isCached
	hasRarities // the fields of rarities
)

// Flags of a reference.
const (
	samePlace = 1 << iota // page
	sameKind              // element and attribute
	sameRaw
	sameText
	isKnownPlace
	hasSource
	hasUnaffected
	hasMore // a folder of bookmarks, the URL that was remapped, or a selector
)

// encoder appends to b.
type encoder struct{ b []byte }

func (e *encoder) int(n int64)     { e.b = binary.AppendVarint(e.b, n) }
func (e *encoder) string(s string) { e.b = record.AppendString(e.b, s) }

func (e *encoder) strings(all ...string) {
	for _, s := range all {
		e.string(s)
	}
}

// appendResult appends the encoded form of a result.
func appendResult(b []byte, r *Result) []byte {
	e := encoder{b}
	flags := byte(0)
	if r.Internal {
		flags |= isInternal
	}
	if r.Cached {
		flags |= isCached
	}
	rare := r.Archive != nil || r.Kind != "" || r.Level != "" || r.Rule != "" || r.Proposal != "" || r.RemappedFrom != "" || len(r.Known) > 0 || r.BrokenRuns != 0 || r.FailsAfter != 0 || !r.BrokenSince.IsZero()
	if rare {
		flags |= hasRarities
	}
	e.b = append(e.b, flags, byte(r.Verdict))
	e.strings(r.URL, string(r.Code), r.Message, r.FinalURL, r.Title, r.ContentType)
	for _, n := range [...]int64{int64(r.Status), int64(r.Attempts), int64(r.Elapsed), r.Size, int64(len(r.Redirects)), int64(len(r.Warnings)), int64(len(r.Suggestions)), int64(len(r.Targets))} {
		e.int(n)
	}
	for _, hop := range r.Redirects {
		e.string(hop.URL)
		e.int(int64(hop.Status))
	}
	for _, w := range r.Warnings {
		e.strings(string(w.Code), w.Message, w.Proposal, string(w.Level))
		e.drift(w.Drift)
	}
	for _, s := range r.Suggestions {
		e.strings(s.URL, s.Why)
		e.bool(s.Unique)
	}
	e.strings(r.Targets...)
	if rare {
		e.rarities(r)
	}
	e.references(r.References)
	return e.b
}

func (e *encoder) bool(is bool) { e.b = record.AppendBool(e.b, is) }

// time writes a time, whose location is not kept.
func (e *encoder) time(t time.Time) {
	e.bool(!t.IsZero())
	if !t.IsZero() {
		e.int(t.Unix())
		e.int(int64(t.Nanosecond()))
	}
}

// rarities writes the fields that few results have.
func (e *encoder) rarities(r *Result) {
	e.strings(string(r.Kind), string(r.Level), r.Rule, r.Proposal, r.RemappedFrom)
	e.int(int64(r.BrokenRuns))
	e.int(int64(r.FailsAfter))
	e.time(r.BrokenSince)
	e.int(int64(len(r.Known)))
	for _, code := range r.Known {
		e.string(string(code))
	}
	e.archived(r.Archive)
}

func (e *encoder) archived(a *check.Archived) {
	if e.bool(a != nil); a == nil {
		return
	}
	e.strings(a.Service, a.Class, a.MovedTo)
	e.time(a.FirstSeen)
	e.time(a.LastSeen)
	if e.bool(a.LastGood != nil); a.LastGood != nil {
		e.string(a.LastGood.URL)
		e.time(a.LastGood.Time)
	}
}

func (e *encoder) drift(d *check.Drift) {
	if e.bool(d != nil); d == nil {
		return
	}
	e.int(int64(math.Float64bits(d.Similarity)))
	e.time(d.FirstSeen)
	e.time(d.LastSame)
	e.strings(d.Change, d.TitleWas, d.TitleIs)
}

func (e *encoder) references(all []Reference) {
	e.int(int64(len(all)))
	before := &Reference{}
	for i := range all {
		r := &all[i]
		var flags byte
		set := func(is bool, flag byte) {
			if is {
				flags |= flag
			}
		}
		set(r.Page == before.Page, samePlace)
		set(r.Element == before.Element && r.Attribute == before.Attribute, sameKind)
		set(r.Raw == before.Raw, sameRaw)
		set(r.Text == before.Text, sameText)
		set(r.Known, isKnownPlace)
		set(r.Source != nil, hasSource)
		set(r.Unaffected != "", hasUnaffected)
		set(r.Folder != "" || r.RemappedFrom != "" || r.Rendered, hasMore)
		e.b = append(e.b, flags)
		e.int(int64(r.Line))
		e.int(int64(r.Column))
		if flags&samePlace == 0 {
			e.string(r.Page)
		}
		if flags&sameKind == 0 {
			e.strings(r.Element, r.Attribute)
		}
		if flags&sameRaw == 0 {
			e.string(r.Raw)
		}
		if flags&sameText == 0 {
			e.string(r.Text)
		}
		if s := r.Source; s != nil {
			e.strings(s.File, s.Raw)
			e.int(int64(s.Line))
			e.int(int64(s.Column))
		}
		if r.Unaffected != "" {
			e.string(r.Unaffected)
		}
		if flags&hasMore != 0 {
			e.strings(r.Folder, r.RemappedFrom, r.Selector)
			e.bool(r.Rendered)
		}
		before = r
	}
}

// decoder reads the parts of a result.
type decoder struct{ record.Reader }

func (d *decoder) time() time.Time {
	if !d.Bool() {
		return time.Time{}
	}
	return time.Unix(d.Varint(), d.Varint()).UTC()
}

// count reads the length of a list whose elements take at least a byte each.
func (d *decoder) count() int {
	n := d.Varint()
	if n < 0 || n > int64(len(d.Rest)) {
		d.Fail()
		return 0
	}
	return int(n)
}

var errDamaged = errors.New("it is damaged")

// decodeResult is the inverse of appendResult. The result does not refer to data.
func decodeResult(data []byte) (*Result, error) {
	d := decoder{record.NewReader(data, string(data))}
	r := &Result{}
	flags := d.Byte()
	r.Internal, r.Cached = flags&isInternal != 0, flags&isCached != 0
	r.Verdict = check.Verdict(d.Byte())
	r.URL, r.Code, r.Message, r.FinalURL, r.Title, r.ContentType = d.String(), check.Code(d.String()), d.String(), d.String(), d.String(), d.String()
	r.Status, r.Attempts, r.Elapsed, r.Size = int(d.Varint()), int(d.Varint()), time.Duration(d.Varint()), d.Varint()
	hops, warnings, suggestions, targets := d.count(), d.count(), d.count(), d.count()
	r.Redirects, r.Suggestions = make([]Hop, 0, hops), make([]check.Suggestion, 0, suggestions)
	for range hops {
		r.Redirects = append(r.Redirects, Hop{URL: d.String(), Status: int(d.Varint())})
	}
	for range warnings {
		r.Warnings = append(r.Warnings, check.Warning{Code: check.Code(d.String()), Message: d.String(), Proposal: d.String(), Level: check.Level(d.String()), Drift: d.drift()})
	}
	for range suggestions {
		r.Suggestions = append(r.Suggestions, check.Suggestion{URL: d.String(), Why: d.String(), Unique: d.Bool()})
	}
	for range targets {
		r.Targets = append(r.Targets, d.String())
	}
	if flags&hasRarities != 0 {
		d.rarities(r)
	}
	d.references(r)
	if !d.Done() {
		return nil, errDamaged
	}
	return r, nil
}

func (d *decoder) rarities(r *Result) {
	r.Kind, r.Level, r.Rule, r.Proposal, r.RemappedFrom = Kind(d.String()), check.Level(d.String()), d.String(), d.String(), d.String()
	r.BrokenRuns, r.FailsAfter = int(d.Varint()), int(d.Varint())
	r.BrokenSince = d.time()
	for range d.count() {
		r.Known = append(r.Known, check.Code(d.String()))
	}
	if d.Bool() {
		r.Archive = &check.Archived{Service: d.String(), Class: d.String(), MovedTo: d.String(), FirstSeen: d.time(), LastSeen: d.time()}
		if d.Bool() {
			r.Archive.LastGood = &check.Copy{URL: d.String(), Time: d.time()}
		}
	}
}

func (d *decoder) drift() *check.Drift {
	if !d.Bool() {
		return nil
	}
	return &check.Drift{Similarity: math.Float64frombits(uint64(d.Varint())), FirstSeen: d.time(), LastSame: d.time(), Change: d.String(), TitleWas: d.String(), TitleIs: d.String()}
}

func (d *decoder) references(r *Result) {
	n := d.count()
	if n == 0 {
		return
	}
	r.References = make([]Reference, n)
	before := &Reference{}
	for i := range r.References {
		if d.Failed {
			return
		}
		ref := &r.References[i]
		flags := d.Byte()
		ref.Line, ref.Column = int(d.Varint()), int(d.Varint())
		ref.Page, ref.Element, ref.Attribute, ref.Raw, ref.Text = before.Page, before.Element, before.Attribute, before.Raw, before.Text
		if flags&samePlace == 0 {
			ref.Page = d.String()
		}
		if flags&sameKind == 0 {
			ref.Element, ref.Attribute = d.String(), d.String()
		}
		if flags&sameRaw == 0 {
			ref.Raw = d.String()
		}
		if flags&sameText == 0 {
			ref.Text = d.String()
		}
		ref.Known = flags&isKnownPlace != 0
		if flags&hasSource != 0 {
			ref.Source = &Place{File: d.String(), Raw: d.String(), Line: int(d.Varint()), Column: int(d.Varint())}
		}
		if flags&hasUnaffected != 0 {
			ref.Unaffected = d.String()
		}
		if flags&hasMore != 0 {
			ref.Folder, ref.RemappedFrom, ref.Selector, ref.Rendered = d.String(), d.String(), d.String(), d.Bool()
		}
		before = ref
	}
}
