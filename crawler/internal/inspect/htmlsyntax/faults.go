package htmlsyntax

// faultKind says how elements are nested wrongly.
type faultKind uint8

const (
	// unclosed: the element at start is still open at the tag at other.
	unclosed faultKind = iota
	// unclosedAtEnd: the element at start is still open at the end of the document.
	unclosedAtEnd
	// trailingSolidus: the start tag at start ends with "/>", which closes nothing.
	trailingSolidus
	// overlapping: the end tag at start closes the element at opened, while the one at other,
	// which began inside, is open.
	overlapping
	// late: the end tag at start is that of the element at opened, which the tag at other has
	// closed.
	late
	// outside: the end tag at start is that of the element at opened, which it cannot reach
	// from inside the element at other.
	outside
	// mismatched: the end tag at start closes a heading of another level, at opened.
	mismatched
	// stray: the end tag at start closes nothing.
	stray
)

// rules of faults.
var faultRules = [...]string{
	unclosed:        "unclosed-element",
	unclosedAtEnd:   "unclosed-element",
	trailingSolidus: "non-void-html-element-start-tag-with-trailing-solidus",
	overlapping:     "misnested-element",
	late:            "misnested-element",
	outside:         "misnested-element",
	mismatched:      "misnested-element",
	stray:           "stray-end-tag",
}

// fault is an error of nesting. All places are offsets of tags in the text.
type fault struct {
	kind          faultKind
	start         int
	opened, other int // -1 if there is none
}

// maxFaults is the number of faults of a document that are kept.
const maxFaults = 1000

// reported is the number of a fault that is not to be changed any more.
const reported = -1

// faultList are the faults of a document, numbered from 1.
type faultList struct {
	faults  []fault
	dropped int // faults beyond maxFaults
}

// add keeps a fault and returns its number, or reported if it is not kept.
func (l *faultList) add(f fault) int {
	if len(l.faults) == maxFaults {
		l.dropped++
		return reported
	}
	l.faults = append(l.faults, f)
	return len(l.faults)
}

// replace makes an element that is not closed one whose end tag, at start, is too late,
// because the tag at by has closed the element.
func (l *faultList) replace(number, start, by int) {
	if number <= 0 {
		return
	}
	if f := &l.faults[number-1]; f.kind == unclosed {
		*f = fault{late, start, f.start, by}
	}
}
