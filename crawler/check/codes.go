package check

import (
	"cmp"
	"errors"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/agext/levenshtein"
)

// Code is a kind of finding: a row of the table in codes_table.go, or "http-" with a
// status, which has its texts from codes_http.go. Scripts depend on codes, so a code is
// never renamed and its meaning never changes.
//
// Messages begin in lower case and have no full stop. They say what happened to what,
// why, and what to do ("the certificate expired on 2 January 2026"). Titles follow the
// same rule; explanations and advice are whole sentences.
type Code string

// CodeRedirect is the Code of an Outcome whose Next answers for it. It is not a
// finding, has no row, and is never the code of a result.
const CodeRedirect Code = "redirect"

const (
	httpPrefix    = "http-"
	contentPrefix = "content-"
	lowestStatus  = 100
	highestStatus = 999
)

// Numbers of codes.
const (
	numberRedirect = 1
	maxNumber      = 253 // those above are for the formats that hold numbers
	unnumbered     = 255
)

// maxNearest is the longest input that Nearest looks at, in bytes.
const maxNearest = 64

// HTTPCode returns the code of a status: "http-404".
func HTTPCode(status int) Code { return Code(httpPrefix + strconv.Itoa(status)) }

// Status returns the status in a code of the http family.
func (c Code) Status() (status int, ok bool) {
	digits, ok := strings.CutPrefix(string(c), httpPrefix)
	if !ok || len(digits) != 3 {
		return 0, false
	}
	for i := range len(digits) {
		if digits[i] < '0' || digits[i] > '9' {
			return 0, false
		}
		status = status*10 + int(digits[i]-'0')
	}
	return status, status >= lowestStatus
}

// Number returns the number that stands for the code in what stores keep. It is false for a
// code without one: that of a status, of a content rule, or of no row.
func (c Code) Number() (number byte, ok bool) {
	switch c {
	case CodeOK:
		return 0, true
	case CodeRedirect:
		return numberRedirect, true
	}
	e := entryByCode[c]
	if e == nil || e.number == unnumbered {
		return 0, false
	}
	return e.number, true
}

// CodeNumbered returns the code with a number, "" if there is none.
func CodeNumbered(number byte) Code {
	if number > maxNumber {
		return ""
	}
	return codeByNumber[number]
}

// Verdict returns the verdict on a target whose outcome has the code: one of the user's own
// targets or another. It is Unverified for a code that proves nothing.
func (c Code) Verdict(ours bool) Verdict {
	if status, ok := c.Status(); ok {
		return judgeStatus(status, ours)
	}
	e := entryByCode[c]
	switch {
	case e == nil || e.Internal == OK && e.Code != CodeOK:
		return Unverified
	case ours:
		return e.Internal
	default:
		return e.External
	}
}

// Severity is how severe a finding can be at worst. A run counts verdicts; lists and
// catalogs of rules show severities.
type Severity uint8

const (
	// SeverityInfo is information that needs no action.
	SeverityInfo Severity = iota
	// SeverityWarning is something that a person should check.
	SeverityWarning
	// SeverityError is a link that no reader can use.
	SeverityError
)

var severityNames = [...]string{"info", "warning", "error"}

func (s Severity) String() string { return severityNames[s] }

// Entry is a row of the table of codes.
type Entry struct {
	Code Code
	// number stands for the code in what stores keep, unless it is unnumbered.
	number   byte
	Severity Severity
	// Internal and External are the verdicts on a target of one's own site and on any
	// other. They are OK for a code that is a warning.
	Internal, External Verdict
	// ofPage is true for a warning about a page's content or its server: it is reported
	// once, with the page itself, however many links lead there.
	ofPage bool
	// Group is the group of content checks that gives the code, as --check names it, or
	// GroupContent or GroupPlugins. It is empty for a code of links.
	Group       string
	Title       string // a few words, lower case
	Explanation string // what it means, in plain sentences
	Advice      string // what to do
	Example     string
}

// Groups of codes that no group of --check gives.
const (
	GroupContent = "content" // of rules about the content of pages
	GroupPlugins = "plugins"
)

var entryByCode, codeByNumber = indexEntries()

// indexEntries returns the rows by their codes, and the codes by their numbers.
// CodeRedirect has a number and no row.
func indexEntries() (byCode map[Code]*Entry, byNumber [maxNumber + 1]Code) {
	byCode = make(map[Code]*Entry, len(entries))
	byNumber[numberRedirect] = CodeRedirect
	for i := range entries {
		e := &entries[i]
		byCode[e.Code] = e
		if e.number != unnumbered {
			byNumber[e.number] = e.Code
		}
	}
	return byCode, byNumber
}

// OfPage reports whether a code has OfPage in the table.
func OfPage(c Code) bool {
	e := entryByCode[c]
	return e != nil && e.ofPage
}

// OfContent reports whether a code is one that content checks give.
func OfContent(c Code) bool {
	e, _ := Lookup(c)
	return e.Group != ""
}

// All returns the table, in the order of lists. The http family is one row,
// CodeHTTPNNN; Lookup gives each status its own texts.
func All() []Entry { return slices.Clone(entries) }

// IsFamily reports whether a code is the row of a family: of http-, with a status, or of
// content-, with the name of a content rule.
func IsFamily(c Code) bool { return c == CodeHTTPNNN || c == CodeContentNAME }

// Lookup returns the entry of a code. Every status from 100 to 999 has one,
// registered or not, and so has every name of a content rule.
func Lookup(c Code) (Entry, bool) {
	if e := entryByCode[c]; e != nil {
		return *e, true
	}
	if status, ok := c.Status(); ok {
		return statusEntry(status), true
	}
	if name, ok := strings.CutPrefix(string(c), contentPrefix); ok && name != "" {
		e := *entryByCode[CodeContentNAME]
		e.Code = c
		return e, true
	}
	return Entry{}, false
}

// Nearest returns the code that was probably meant by a mistyped one, such as "404" or
// "http404". It reports false if no code is close.
func Nearest(typed string) (Code, bool) {
	typed = strings.ToLower(strings.TrimSpace(typed))
	if typed == "" || len(typed) > maxNearest {
		return "", false
	}
	digits := strings.TrimLeft(strings.TrimPrefix(typed, "http"), "-_ ")
	if code := Code(httpPrefix + digits); len(digits) == 3 {
		if _, ok := code.Status(); ok {
			return code, true
		}
	}
	typed = strings.NewReplacer("_", "-", " ", "-").Replace(typed)

	type candidate struct {
		code     Code
		distance int
	}
	var candidates []candidate
	consider := func(c Code) {
		candidates = append(candidates, candidate{c, levenshtein.Distance(typed, string(c), nil)})
	}
	for i := range entries {
		if !IsFamily(entries[i].Code) {
			consider(entries[i].Code)
		}
	}
	for i := range statusRows {
		consider(HTTPCode(statusRows[i].status))
	}
	best := slices.MinFunc(candidates, func(a, b candidate) int {
		return cmp.Or(cmp.Compare(a.distance, b.distance), cmp.Compare(a.code, b.code))
	})
	if best.distance > max(1, len(typed)/3) {
		return "", false
	}
	return best.code, true
}

// Retryable reports whether another request may have a better outcome, as far as the code
// says. That is so for temporary failures, but not for definite answers such as 404 or 410,
// nor for bot walls, which stay.
func (c Code) Retryable() bool {
	switch c {
	case CodeTimeout, CodeConnectionReset, CodeConnectRefused, CodeDNSFailure, CodeRateLimited, CodeBodyTruncated:
		return true
	}
	status, ok := c.Status()
	return ok && (status == http.StatusRequestTimeout || status == http.StatusTooEarly || status >= 500 && status <= 599)
}

// ErrMalformed is wrapped by the errors of decoding what a store has kept: an outcome, an
// inspection, a job or the references of a page.
var ErrMalformed = errors.New("malformed data")
