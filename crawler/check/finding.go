package check

// Finding is what a content check says about one page. Unlike a judgement it belongs to the
// page, not to the links that lead there.
type Finding struct {
	Code Code
	// Verdict is Broken, Unverified, VerdictWarning or VerdictInfo. OK stands for the
	// severity of the code in the table.
	Verdict Verdict
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
