package content

import (
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strings"

	"github.com/andybalholm/cascadia"
	"github.com/cespare/xxhash/v2"
	"golang.org/x/net/http/httpguts"

	"github.com/orbweaver/orbweaver/crawler/check"
	"github.com/orbweaver/orbweaver/crawler/internal/inspect/page"
	"github.com/orbweaver/orbweaver/crawler/internal/inspect/visible"
)

// The limits of a set of rules.
const (
	MaxRules   = 1_000
	MaxStrings = 10_000 // plain strings and patterns of all rules
	// MaxPatterns is the number of patterns of all rules.
	MaxPatterns = 1_000
	// MaxLength is the length of a plain string, a pattern or a selector, in bytes.
	MaxLength = 4_096
	// MaxTotal is the length of all plain strings, in bytes.
	MaxTotal = 1 << 20
	// MaxPlaces is the number of places on a page that one rule reports.
	MaxPlaces = 20
)

// Rule is a [[content]] block of the configuration.
type Rule struct {
	// Name has characters a-z, 0-9 and "-". The code of the findings is "content-" and Name.
	Name string
	// Match selects the pages that the rule applies to.
	Match page.Glob
	// Types are the media types of the pages, without parameters; text/html and
	// application/xhtml+xml if there are none.
	Types []string
	// Must and Not are plain strings, or "re:" and a regular expression of RE2. A page must
	// contain all of Must, and nothing of Not.
	Must, Not []string
	// In is "text" (also if empty), "source", "title", "css:SELECTOR" or "header:NAME".
	In string
	// Level is "broken", "unverified", "warning" (also if empty), "info" or "off".
	Level string
}

// Errors are the faults of a set of rules.
type Errors []*Error

func (e Errors) Error() string {
	lines := make([]string, len(e))
	for i := range e {
		lines[i] = e[i].Error()
	}
	return strings.Join(lines, "\n")
}

// Unwrap returns the faults.
func (e Errors) Unwrap() []error {
	faults := make([]error, len(e))
	for i := range e {
		faults[i] = e[i]
	}
	return faults
}

// Error is a fault of one rule.
type Error struct {
	Number int    // the number of the rule, from 1
	Name   string // the name of the rule, which may be missing or wrong
	Key    string // the key at fault, such as "not"; empty if the rule as a whole is at fault
	Value  string // the value at fault, empty if there is none
	// Offset is where a pattern is wrong, in code points behind "re:", and -1 for other
	// faults.
	Offset int
	Err    error
}

func (e *Error) Unwrap() error { return e.Err }

func (e *Error) Error() string {
	var b strings.Builder
	if e.Name != "" {
		fmt.Fprintf(&b, "content rule %q: ", e.Name)
	} else {
		fmt.Fprintf(&b, "content rule %d: ", e.Number)
	}
	if e.Key != "" {
		b.WriteString(e.Key + ": ")
	}
	if e.Value != "" {
		b.WriteString(quoted(e.Value) + ": ")
	}
	if e.Offset >= 0 {
		fmt.Fprintf(&b, "offset %d: ", e.Offset)
	}
	b.WriteString(e.Err.Error())
	return b.String()
}

// quoted quotes a string for a message, without what is beyond 100 code points.
func quoted(s string) string {
	s = strings.TrimSpace(visible.Collapse(s))
	n := 0
	for i := range s {
		if n++; n > 100 {
			s = s[:i] + "…"
			break
		}
	}
	return `"` + s + `"`
}

// Set is a set of compiled rules. It is safe for concurrent use.
type Set struct {
	rules       []rule
	entries     []entry
	areas       []area
	fingerprint uint64
}

// Fingerprint identifies what the rules look for: sets of the same rules have the same one.
func (s *Set) Fingerprint() uint64 { return s.fingerprint }

// rule is a compiled rule.
type rule struct {
	code        check.Code
	verdict     check.Verdict
	match       page.Glob
	types       []string
	area        int
	first, last int // its entries
}

// entry is a string or a pattern of a rule.
type entry struct {
	rule    int
	must    bool
	message string
	plain   string         // folded
	pattern *regexp.Regexp // nil for a plain string
}

// Compile compiles rules. The error is of type [Errors].
func Compile(rules []Rule) (*Set, error) {
	c := &compiler{set: &Set{}, areas: map[string]int{}, names: map[string]bool{}}
	hash := xxhash.New()
	for i := range rules {
		r := &rules[i]
		fmt.Fprintf(hash, "%q %q %q %q %q %q %q\n", r.Name, r.Match, r.Types, r.Must, r.Not, r.In, r.Level)
		c.number, c.rule = i+1, r
		c.compile()
	}
	c.set.fingerprint = hash.Sum64()
	if len(rules) > MaxRules {
		c.failAt("", "", "there are more than %d rules", MaxRules)
	}
	switch {
	case c.strings > MaxStrings:
		c.failAt("", "", "all rules together have more than %d strings", MaxStrings)
	case c.patterns > MaxPatterns:
		c.failAt("", "", "all rules together have more than %d patterns: use plain strings, which cost less", MaxPatterns)
	case c.total > MaxTotal:
		c.failAt("", "", "the strings of all rules are longer than %d bytes together", MaxTotal)
	}
	if c.faults != nil {
		return nil, c.faults
	}
	for i := range c.set.areas {
		c.set.buildArea(i)
	}
	return c.set, nil
}

type compiler struct {
	set    *Set
	areas  map[string]int // by the value of in
	names  map[string]bool
	faults Errors

	strings, patterns, total int

	number int // the current rule
	rule   *Rule
}

func (c *compiler) failAt(key, value, format string, args ...any) {
	c.faults = append(c.faults, &Error{Number: c.number, Name: c.rule.Name, Key: key, Value: value, Offset: -1, Err: fmt.Errorf(format, args...)})
}

func (c *compiler) compile() {
	r := c.rule
	c.checkName()
	compiled := rule{code: check.Code("content-" + r.Name), match: r.Match, types: r.Types, first: len(c.set.entries)}
	if len(r.Types) == 0 {
		compiled.types = defaultTypes
	}
	for _, t := range compiled.types {
		if !strings.Contains(t, "/") {
			c.failAt("type", t, "use a media type such as text/html")
		}
	}
	off := false
	switch r.Level {
	case "", "warning":
		compiled.verdict = check.VerdictWarning
	case "broken":
		compiled.verdict = check.Broken
	case "unverified":
		compiled.verdict = check.Unverified
	case "info":
		compiled.verdict = check.VerdictInfo
	case "off":
		off = true
	default:
		c.failAt("level", r.Level, "use broken, unverified, warning, info or off")
	}
	var found bool
	if compiled.area, found = c.area(); !found {
		return
	}
	if len(r.Must)+len(r.Not) == 0 {
		c.failAt("", "", "must or not is missing: say what a page must or must not contain")
	}
	for _, s := range r.Must {
		c.entry(&compiled, "must", s)
	}
	for _, s := range r.Not {
		c.entry(&compiled, "not", s)
	}
	if compiled.last = len(c.set.entries); off {
		c.set.entries = c.set.entries[:compiled.first]
		return
	}
	c.set.rules = append(c.set.rules, compiled)
}

var defaultTypes = []string{"text/html", "application/xhtml+xml"}

func (c *compiler) checkName() {
	name := c.rule.Name
	switch {
	case name == "":
		c.failAt("name", "", "a rule needs a name")
	case strings.Trim(name, "abcdefghijklmnopqrstuvwxyz0123456789-") != "":
		c.failAt("name", "", "use the characters a-z, 0-9 and - only")
	case len(name) > 100:
		c.failAt("name", "", "use at most 100 characters")
	case c.names[name]:
		c.failAt("name", "", "another rule has this name")
	}
	c.names[name] = true
}

// area returns the index of the area that the rule looks at, and whether its name is right.
func (c *compiler) area() (int, bool) {
	in := c.rule.In
	kind, name, named := strings.Cut(in, ":")
	a := area{}
	switch {
	case in == "" || in == "text":
		a.kind, a.words = inText, "the text"
	case in == "source":
		a.kind, a.words = inSource, "the source"
	case in == "title":
		a.kind, a.words = inTitle, "the title"
	case named && kind == "css":
		name = strings.TrimSpace(name)
		a.kind, a.words = inElements, "element "+quoted(name)
		if len(name) > MaxLength {
			c.failAt("in", in, "use a selector of at most %d bytes", MaxLength)
			return 0, false
		}
		var err error
		if a.selector, err = cascadia.ParseGroup(name); err != nil {
			c.failAt("in", in, "not a CSS selector: %w", err)
			return 0, false
		}
	case named && kind == "header":
		a.kind = inHeader
		if !httpguts.ValidHeaderFieldName(name) {
			c.failAt("in", in, "use the name of a header field, such as header:content-type")
			return 0, false
		}
		a.words, a.header = "the header "+strings.ToLower(name), http.CanonicalHeaderKey(name)
		name = a.header
	default:
		c.failAt("in", in, "use text, source, title, css:SELECTOR or header:NAME")
		return 0, false
	}
	key := fmt.Sprint(a.kind, " ", name)
	if a.kind < inElements {
		key = fmt.Sprint(a.kind)
	}
	i, known := c.areas[key]
	if !known {
		i = len(c.set.areas)
		c.areas[key] = i
		c.set.areas = append(c.set.areas, a)
	}
	return i, true
}

// anyText is a text that only a pattern for any text matches. It is a character for private use. Such a
// pattern says nothing about the text of a page, but it tells whether there is an element or a header.
const anyText = "\uE000"

// entry compiles a string of a rule.
func (c *compiler) entry(r *rule, key, s string) {
	a := &c.set.areas[r.area]
	e := entry{rule: len(c.set.rules), must: key == "must"}
	c.strings++
	pattern, isPattern := strings.CutPrefix(s, "re:")
	verb := "contain"
	switch {
	case s == "":
		c.failAt(key, "", "the string is empty")
		return
	case len(s) > MaxLength:
		c.failAt(key, s, "use at most %d bytes", MaxLength)
		return
	case isPattern:
		verb = "match"
		c.patterns++
		re, offset, err := compilePattern(pattern)
		if err != nil {
			c.failAt(key, s, "%w", err)
			c.faults[len(c.faults)-1].Offset = offset
			return
		}
		if a.kind < inElements && re.MatchString("") && re.MatchString(anyText) {
			c.failAt(key, s, "the pattern also matches nothing, so it matches every text")
			return
		}
		e.pattern = re
	default:
		if a.kind != inSource && a.kind != inHeader {
			s = visible.Collapse(s)
		}
		e.plain = string(appendFolded(nil, s))
		c.total += len(e.plain)
		if e.plain == "" {
			c.failAt(key, "", "the string has only characters that a reader does not see")
			return
		}
	}
	e.message = a.message(e.must, verb, quoted(s))
	c.set.entries = append(c.set.entries, e)
}

// message says what is wrong on a page.
func (a *area) message(must bool, verb, what string) string {
	switch {
	case must && a.kind == inElements:
		if verb == "match" {
			return "no " + a.words + " matches " + what
		}
		return "no " + a.words + " contains " + what
	case must:
		return a.words + " does not " + verb + " " + what
	case verb == "match":
		return a.words + " matches " + what
	}
	return a.words + " contains " + what
}

// area is a part of a page that rules look at.
type area struct {
	kind     kind
	words    string // its name in messages
	header   string // canonical
	selector cascadia.SelectorGroup

	rules []int // the rules that look at it

	strings *automaton // nil if there are no plain strings
	users   [][]int    // the entries of each string of the automaton
	regexps []int      // the entries with a pattern
}

type kind uint8

const (
	inText kind = iota
	inSource
	inTitle
	inElements
	inHeader
)

// buildArea collects the entries of an area and builds its automaton.
func (s *Set) buildArea(i int) {
	a := &s.areas[i]
	var plain []int
	for n := range s.rules {
		r := &s.rules[n]
		if r.area != i {
			continue
		}
		a.rules = append(a.rules, n)
		for e := r.first; e < r.last; e++ {
			if s.entries[e].pattern != nil {
				a.regexps = append(a.regexps, e)
			} else {
				plain = append(plain, e)
			}
		}
	}
	if len(plain) == 0 {
		return
	}
	slices.SortStableFunc(plain, func(x, y int) int { return strings.Compare(s.entries[x].plain, s.entries[y].plain) })
	var different []string
	for _, e := range plain {
		if n := len(different); n == 0 || different[n-1] != s.entries[e].plain {
			different = append(different, s.entries[e].plain)
			a.users = append(a.users, nil)
		}
		a.users[len(a.users)-1] = append(a.users[len(a.users)-1], e)
	}
	a.strings = newAutomaton(different)
}
