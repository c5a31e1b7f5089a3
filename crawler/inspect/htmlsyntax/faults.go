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

// add keeps a fault and returns its number for convert, or reported if it is not kept.
func (n *nesting) add(f fault) int {
	if len(n.faults) == maxFaults {
		n.dropped++
		return reported
	}
	n.faults = append(n.faults, f)
	return len(n.faults)
}

// reported is the number of a fault that is not to be changed any more.
const reported = -1
