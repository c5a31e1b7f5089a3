package migrate

import (
	"errors"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/orbweaver/orbweaver/cmd/orbweaver/internal/lazy"
)

// Configurations of some programs are programs: of Ruby, Python or JavaScript. They are not
// run. What they write down as it is, is read: texts, numbers, words for true and nothing,
// patterns, lists and tables. These look almost the same in the three languages.

// computed is a value that is known only when the program runs.
type computed struct{}

const computedReason = "its value is known only when the program runs"

// maxLiteral limits the levels of lists and tables.
const maxLiteral = 50

// literals reads values from the text of a program.
type literals struct {
	rest  string
	depth int
	// slashes is set for JavaScript, where // and /* begin comments as well.
	slashes   bool
	variables map[string]any // what was assigned before
}

// blanks skips white space and comments.
func (l *literals) blanks() {
	for {
		l.rest = strings.TrimLeft(l.rest, " \t\r\n")
		switch {
		case strings.HasPrefix(l.rest, "#"), l.slashes && strings.HasPrefix(l.rest, "//"):
			_, l.rest, _ = strings.Cut(l.rest, "\n")
		case l.slashes && strings.HasPrefix(l.rest, "/*"):
			_, l.rest, _ = strings.Cut(l.rest, "*/")
		default:
			return
		}
	}
}

// take skips a text, and reports whether it is next.
func (l *literals) take(s string) bool {
	rest, ok := strings.CutPrefix(l.rest, s)
	if ok {
		l.rest = rest
	}
	return ok
}

// values are words that are values, in the three languages.
var values = map[string]any{"true": true, "True": true, "false": false, "False": false, "nil": "", "None": "", "null": "", "undefined": ""}

var (
	wordNext   = lazy.Regexp(`^[A-Za-z_]\w*`)
	numberNext = lazy.Regexp(`^-?\d[\d_]*(\.\d+)?`)
	// prefixNext matches the letters before a text of Python.
	prefixNext = lazy.Regexp(`^[rRbBuU]{1,2}(["'])`)
	// regexpCall matches calls that make a pattern of a text.
	regexpCall = lazy.Regexp(`^(?:Regexp\.new|re\.compile|new RegExp|RegExp)\(\s*`)
)

// value reads one value. What comes after it, up to the next comma or bracket, must be
// nothing: otherwise it is a part of an expression, and computed.
func (l *literals) value() any {
	l.depth++
	defer func() { l.depth-- }()
	if l.depth > maxLiteral {
		l.rest = ""
		return computed{}
	}
	v := l.one()
	if _, isText := v.(string); isText {
		for l.space(); prefixNext().MatchString(l.rest) || strings.HasPrefix(l.rest, `"`) || strings.HasPrefix(l.rest, `'`); l.space() {
			more, ok := l.one().(string) // Python joins texts that follow each other
			if !ok {
				v = computed{}
				break
			}
			v = v.(string) + more
		}
	}
	l.space()
	if l.take(".freeze") || l.take("as const") {
		l.space()
	}
	if l.rest != "" && !strings.ContainsRune(",]})\n;#", rune(l.rest[0])) && !(l.slashes && strings.HasPrefix(l.rest, "//")) {
		l.skip()
		return computed{}
	}
	return v
}

// space skips blanks, and line breaks within brackets.
func (l *literals) space() {
	if l.depth > 1 {
		l.blanks()
	} else {
		l.rest = strings.TrimLeft(l.rest, " \t\r")
	}
}

// one reads one value without what follows it.
func (l *literals) one() any {
	l.blanks()
	if m := regexpCall().FindString(l.rest); m != "" {
		l.rest = l.rest[len(m):]
		v := l.one()
		l.blanks()
		if t, isText := v.(string); isText && l.take(")") {
			return aPattern(t)
		}
		return computed{}
	}
	if m := prefixNext().FindString(l.rest); m != "" {
		raw := strings.ContainsAny(m[:len(m)-1], "rR")
		l.rest = l.rest[len(m)-1:]
		return l.text(raw)
	}
	switch {
	case l.rest == "":
		return computed{}
	case l.rest[0] == '"' || l.rest[0] == '\'' || l.rest[0] == '`':
		return l.text(false)
	case l.take("["):
		return l.list(']')
	case l.take("("):
		return l.list(')')
	case l.take("{"):
		return l.table("}")
	case l.take("%r{"):
		return l.pattern('}')
	case l.take("%w["):
		words, rest, _ := strings.Cut(l.rest, "]")
		l.rest = rest
		var all []any
		for w := range strings.FieldsSeq(words) {
			all = append(all, w)
		}
		return all
	case l.take("/"):
		return l.pattern('/')
	case l.take(":"): // a symbol
		word := wordNext().FindString(l.rest)
		l.rest = l.rest[len(word):]
		return word
	}
	if m := numberNext().FindString(l.rest); m != "" {
		l.rest = l.rest[len(m):]
		n, err := strconv.ParseFloat(strings.ReplaceAll(m, "_", ""), 64)
		if err != nil {
			return computed{}
		}
		return n
	}
	word := wordNext().FindString(l.rest)
	l.rest = l.rest[len(word):]
	if v, known := values[word]; known {
		return v
	}
	if v, known := l.variables[word]; known {
		return v
	}
	return computed{}
}

func (l *literals) text(raw bool) any {
	quote := l.rest[:1]
	if three := strings.Repeat(quote, 3); strings.HasPrefix(l.rest, three) {
		quote = three
	}
	l.rest = l.rest[len(quote):]
	var b strings.Builder
	isComputed := false
	for !l.take(quote) {
		switch {
		case l.rest == "":
			return computed{}
		case l.rest[0] == '\\' && len(l.rest) > 1:
			if raw || !strings.ContainsRune("\\'\"`/\n", rune(l.rest[1])) {
				b.WriteByte('\\')
			}
			if l.rest[1] != '\n' {
				b.WriteByte(l.rest[1])
			}
			l.rest = l.rest[2:]
			continue
		case quote == `"` && strings.HasPrefix(l.rest, "#{"), quote == "`" && strings.HasPrefix(l.rest, "${"):
			isComputed = true
		}
		b.WriteByte(l.rest[0])
		l.rest = l.rest[1:]
	}
	if isComputed {
		return computed{}
	}
	return b.String()
}

// pattern reads a regular expression up to its closing delimiter, and its options.
func (l *literals) pattern(end byte) any {
	var b strings.Builder
	depth := 0
	for {
		switch {
		case l.rest == "" || l.rest[0] == '\n':
			return computed{}
		case l.rest[0] == '\\' && len(l.rest) > 1:
			if l.rest[1] != '/' {
				b.WriteByte('\\')
			}
			b.WriteByte(l.rest[1])
			l.rest = l.rest[2:]
			continue
		case end == '}' && l.rest[0] == '{':
			depth++
		case l.rest[0] == end && depth > 0:
			depth--
		case l.rest[0] == end:
			l.rest = l.rest[1:]
			options := wordNext().FindString(l.rest)
			l.rest = l.rest[len(options):]
			p := strings.NewReplacer(`\A`, "^", `\Z`, "$", `\h`, "[0-9a-fA-F]").Replace(b.String())
			if strings.Contains(options, "i") {
				p = "(?i)" + p
			}
			return aPattern(p)
		}
		b.WriteByte(l.rest[0])
		l.rest = l.rest[1:]
	}
}

// list reads up to the closing bracket. Parentheses around one value without a comma are not
// a list.
func (l *literals) list(end byte) any {
	all := []any{}
	commas := false
	for {
		l.blanks()
		if l.rest == "" {
			return computed{}
		}
		if l.rest[0] == end {
			l.rest = l.rest[1:]
			if end == ')' && !commas && len(all) == 1 {
				return all[0]
			}
			return all
		}
		before := len(l.rest)
		all = append(all, l.value())
		l.blanks()
		commas = l.take(",") || commas
		if len(l.rest) == before {
			return computed{}
		}
	}
}

// table reads up to the closing bracket.
func (l *literals) table(end string) any {
	all := map[string]any{}
	for {
		l.blanks()
		if l.rest == "" {
			return computed{}
		}
		if l.take(end) {
			return all
		}
		before := len(l.rest)
		if key, ok := l.key(); ok {
			all[key] = l.value()
		} else {
			l.skip()
		}
		l.blanks()
		_ = l.take(",")
		if len(l.rest) == before {
			return computed{}
		}
	}
}

// key reads NAME: or NAME =>.
func (l *literals) key() (string, bool) {
	_ = l.take(":") // a symbol
	var key string
	if w := wordNext().FindString(l.rest); w != "" && !prefixNext().MatchString(l.rest) {
		key = w
		l.rest = l.rest[len(w):]
	} else {
		switch v := l.one().(type) {
		case string:
			key = v
		case aPattern:
			key = string(v)
		default:
			return "", false
		}
	}
	l.blanks()
	return key, l.take("=>") || l.take(":")
}

// skip skips the rest of an expression: up to a comma or a bracket that does not belong to it.
func (l *literals) skip() {
	depth := 0
	for l.rest != "" {
		switch c := l.rest[0]; c {
		case '"', '\'', '`':
			l.text(false)
			continue
		case '(', '[', '{':
			depth++
		case ')', ']', '}':
			if depth--; depth < 0 {
				return
			}
		case ',', '\n', ';':
			if depth == 0 && (c == ',' || l.depth <= 1) {
				return
			}
		}
		l.rest = l.rest[1:]
	}
}

// assignments returns the values of the variables that a program sets. The last one applies.
// What is added to a list, or set in a table, is added to it.
func assignments(text string, slashes bool) (map[string]any, error) {
	all := map[string]any{}
	read := 0
	for _, m := range assigned().FindAllStringSubmatchIndex(text, -1) {
		l := &literals{rest: text[m[1]:], slashes: slashes, variables: all}
		v := l.value()
		if read += len(text) - m[1] - len(l.rest); read > maxRead {
			return nil, errors.New("it is too complicated")
		}
		name, adds := text[m[2]:m[3]], m[6] < m[7]
		had := all[name]
		switch had := had.(type) {
		case map[string]any:
			if m[4] >= 0 {
				had[text[m[4]:m[5]]] = v
				continue
			}
		case []any:
			if more, ok := v.([]any); ok && adds {
				v = append(slices.Clone(had), more...)
			}
		}
		if m[4] < 0 {
			all[name] = v
		}
	}
	return all, nil
}

// maxRead limits the bytes that are read for values. Values may be within others, and are then
// read twice.
const maxRead = 16 * MaxSize

// assigned matches NAME = of the three languages, NAME: TYPE = and NAME += of Python, and
// NAME[:KEY] = of Ruby.
var assigned = lazy.Regexp(`(?m)^[ \t]*(?:const |let |var )?(\w+)(?:\[[:"']?(\w+)["']?\])?(?:[ \t]*:[ \t]*[\w.\[\], ]+)?[ \t]*(\+?)=[ \t]*`)

// static takes out of a value what is known only when the program runs, and reports it.
func (c *Config) static(option string, v any) (any, bool) {
	switch v := v.(type) {
	case computed:
		c.skip(option, computedReason)
		return nil, false
	case []any:
		kept := []any{}
		for _, e := range v {
			if e, ok := c.static(option, e); ok {
				kept = append(kept, e)
			}
		}
		return kept, len(kept) == len(v) || len(kept) > 0
	case map[string]any:
		kept := map[string]any{}
		for _, key := range slices.Sorted(maps.Keys(v)) {
			if e, ok := c.static(option+"."+key, v[key]); ok {
				kept[key] = e
			}
		}
		return kept, true
	}
	return v, true
}

func (c *Config) carryStatic(rows map[string]row, options map[string]any) {
	known := map[string]any{}
	for _, option := range slices.Sorted(maps.Keys(options)) {
		if v, ok := c.static(option, options[option]); ok {
			known[option] = v
		}
	}
	c.carryAll(rows, known)
}
