package judging

import (
	"cmp"
	"encoding/binary"
	"fmt"

	"github.com/orbweaver/orbweaver/crawler/check"
	"github.com/orbweaver/orbweaver/crawler/internal/record"
)

// Finding is what a content check says about one page. Unlike a judgement it belongs to the
// page, not to the links that lead there.
type Finding struct {
	Code check.Code
	// Verdict is Broken, Unverified, VerdictWarning or VerdictInfo. OK stands for the
	// severity of the code in the table.
	Verdict check.Verdict
	// Rule names the kind if the code has several, such as a parse error of the HTML
	// Standard.
	Rule string
	// Line and Column count from 1, columns in code points. Both are 0 if there is no place:
	// for something missing, and for a header.
	Line, Column int
	// Element and Attribute are lower-case names, empty if there are none.
	Element, Attribute string
	Raw                string // the source text at fault
	Text               string // an excerpt of at most ExcerptLength characters
	Message            string // lower case, without a full stop
	Proposal           string // what to write in place of Raw
}

// ExcerptLength is the length of the longest excerpt in a Finding, in code points.
const ExcerptLength = 40

// VerdictOf returns the verdict of a finding before the user's levels.
func (f *Finding) VerdictOf() check.Verdict {
	if f.Verdict != check.OK {
		return f.Verdict
	}
	switch e, known := check.Lookup(f.Code); {
	case known && e.Severity == check.SeverityError:
		return check.Broken
	case known && e.Severity == check.SeverityInfo:
		return check.VerdictInfo
	}
	return check.VerdictWarning
}

// CompareFindings orders the findings of a page: by place, code, rule and message.
func CompareFindings(a, b Finding) int {
	return cmp.Or(cmp.Compare(a.Line, b.Line), cmp.Compare(a.Column, b.Column), cmp.Compare(a.Code, b.Code),
		cmp.Compare(a.Rule, b.Rule), cmp.Compare(a.Message, b.Message))
}

// Inspection is what content checks brought for a document.
type Inspection struct {
	// Checks identifies the checks that were made. The inspection of an unchanged document
	// is reused by a run with the same checks.
	Checks   uint64
	Findings []Finding
	// Facts are what the checks need to know of the document when all are known; see package
	// facts. They are opaque here, and empty if there are none.
	Facts []byte
}

// MaxFindings is the most findings of one document that are kept.
const MaxFindings = 1000

// Encode returns the inspection as bytes:
//
//	8 bytes  Checks, little-endian
//	         number of findings
//	         for each: code, verdict (1 byte), line, column, and the strings rule, element,
//	         attribute, raw, text, message, proposal
//	         facts: a string
func (in *Inspection) Encode() []byte {
	dst := binary.LittleEndian.AppendUint64(nil, in.Checks)
	dst = binary.AppendUvarint(dst, uint64(min(len(in.Findings), MaxFindings)))
	for i := range in.Findings[:min(len(in.Findings), MaxFindings)] {
		f := &in.Findings[i]
		dst = append(appendCode(dst, f.Code, 0), byte(f.Verdict))
		dst = binary.AppendUvarint(dst, uint64(max(f.Line, 0)))
		dst = binary.AppendUvarint(dst, uint64(max(f.Column, 0)))
		for _, s := range [findingStrings]string{f.Rule, f.Element, f.Attribute, f.Raw, f.Text, f.Message, f.Proposal} {
			dst = record.AppendString(dst, s)
		}
	}
	return record.AppendString(dst, in.Facts)
}

// MadeChecks returns Checks of an encoded inspection, and false if there is none.
func MadeChecks(inspection []byte) (checks uint64, made bool) {
	if len(inspection) < 8 {
		return 0, false
	}
	return binary.LittleEndian.Uint64(inspection), true
}

// FactsOf returns the facts of an encoded inspection, as a part of data.
func FactsOf(data []byte) ([]byte, error) {
	d := decoderOf(data)
	d.Take(8) // checks
	for range d.findingCount() {
		if d.Byte() == codeLiteral {
			d.Bytes()
		}
		d.Byte() // verdict
		d.Uvarint()
		d.Uvarint() // line and column
		for range findingStrings {
			d.Bytes()
		}
	}
	facts := d.Bytes()
	if !d.Done() {
		return nil, fmt.Errorf("decode the facts of an inspection of %d bytes: %w", len(data), check.ErrMalformed)
	}
	return facts, nil
}

// findingStrings is the number of strings of an encoded finding.
const findingStrings = 7

// findingCount reads the number of findings. It is 0 if the decoder has failed.
func (d *decoder) findingCount() int {
	const least = 4 + findingStrings // bytes of the smallest finding
	n := d.Entries(least)
	if n > MaxFindings {
		d.Fail()
		return 0
	}
	return n
}

// DecodeInspection decodes what Encode returned. The result does not refer to data, apart
// from Facts.
func DecodeInspection(data []byte) (*Inspection, error) {
	d := decoderOf(data)
	in := &Inspection{}
	if b := d.Take(8); b != nil {
		in.Checks = binary.LittleEndian.Uint64(b)
	}
	if n := d.findingCount(); n > 0 {
		in.Findings = make([]Finding, n)
	}
	for i := range in.Findings {
		f := &in.Findings[i]
		switch code := d.Byte(); code {
		case codeLiteral:
			f.Code = check.Code(d.String())
		default:
			f.Code = d.code(code)
		}
		if f.Verdict = check.Verdict(d.Byte()); f.Verdict > check.VerdictInfo {
			d.Fail()
			f.Verdict = check.OK
		}
		f.Line, f.Column = d.Int(), d.Int()
		for _, s := range [findingStrings]*string{&f.Rule, &f.Element, &f.Attribute, &f.Raw, &f.Text, &f.Message, &f.Proposal} {
			*s = d.String()
		}
	}
	if facts := d.Bytes(); len(facts) > 0 {
		in.Facts = facts
	}
	if !d.Done() {
		return nil, fmt.Errorf("decode an inspection of %d bytes: %w", len(data), check.ErrMalformed)
	}
	return in, nil
}
