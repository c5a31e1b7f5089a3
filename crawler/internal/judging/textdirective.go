package judging

import (
	"regexp"
	"strings"

	"github.com/orbweaver/orbweaver/crawler/check"
)

// A TextDirective names a text on a page: #:~:text=[prefix-,]start[,end][,-suffix] (URL
// Fragment Text Directives 3).
type TextDirective struct {
	written                    string // as in the fragment, without "text="
	prefix, start, end, suffix string // decoded
}

const textDirective = "text="

// HasTextDirective reports whether a fragment has a text directive.
func HasTextDirective(fragment string) bool {
	_, directives, ok := strings.Cut(fragment, directiveDelimiter)
	return ok && (strings.HasPrefix(directives, textDirective) || strings.Contains(directives, "&"+textDirective))
}

// maxTextDirectives is the maximum number of directives of one fragment that are read.
const maxTextDirectives = 16

// TextDirectives returns the text directives of a fragment. Invalid ones are left out, as
// browsers ignore them.
func TextDirectives(fragment string) []TextDirective {
	_, directives, _ := strings.Cut(fragment, directiveDelimiter)
	var all []TextDirective
	for directive := range strings.SplitSeq(directives, "&") {
		written, ok := strings.CutPrefix(directive, textDirective)
		if !ok || len(all) == maxTextDirectives {
			continue
		}
		if d, ok := parseTextDirective(written); ok {
			all = append(all, d)
		}
	}
	return all
}

func parseTextDirective(written string) (d TextDirective, ok bool) {
	d.written = written
	parts := strings.Split(written, ",")
	if first := parts[0]; strings.HasSuffix(first, "-") {
		d.prefix, parts = percentDecode(first[:len(first)-1]), parts[1:]
		if d.prefix == "" {
			return d, false
		}
	}
	if n := len(parts); n > 0 && strings.HasPrefix(parts[n-1], "-") {
		d.suffix, parts = percentDecode(parts[n-1][1:]), parts[:n-1]
		if d.suffix == "" {
			return d, false
		}
	}
	switch len(parts) {
	case 2:
		if d.end = percentDecode(parts[1]); d.end == "" {
			return d, false
		}
		fallthrough
	case 1:
		d.start = percentDecode(parts[0])
	}
	return d, d.start != ""
}

// maxDirectiveText is the maximum length of a text that is looked for, in bytes.
const maxDirectiveText = 4 << 10

// isOn reports whether a page with a visible text has the text of the directive. Letter case
// and white space do not matter, and the text begins and ends at the border of a word.
func (d *TextDirective) isOn(text string) bool {
	if len(d.written) > maxDirectiveText {
		return true
	}
	pattern := phrase(d.start)
	if d.prefix != "" {
		pattern = phrase(d.prefix) + `\s*` + pattern
	}
	if d.end != "" {
		pattern += `(?s:.*?)` + phrase(d.end)
	}
	if d.suffix != "" {
		pattern += `\s*` + phrase(d.suffix)
	}
	re, err := regexp.Compile(`(?i)(?:^|[^\pL\pN])` + pattern + `(?:$|[^\pL\pN])`)
	return err != nil || re.MatchString(text)
}

// phrase returns a pattern for words with any white space between them.
func phrase(words string) string {
	fields := strings.Fields(words)
	for i := range fields {
		fields[i] = regexp.QuoteMeta(fields[i])
	}
	return strings.Join(fields, `\s+`)
}

// JudgeTexts returns the judgement on a page that is OK for a fragment with text directives.
// failure is why the page could not be read again, or "".
func (o *Outcome) JudgeTexts(q Question, text, failure string) Judgement {
	for _, d := range TextDirectives(q.Fragment) {
		switch {
		case failure != "":
			return Judgement{Verdict: check.Unverified, Code: check.CodeFragmentUnverified, Message: "the text " + quoteName(d.start) + " could not be looked for: " + failure}
		case d.isOn(text):
		case q.ours() || o.Static:
			return Judgement{Verdict: check.Broken, Code: check.CodeFragmentMissing, Message: "the page does not contain the text " + quoteName(d.start)}
		default:
			return Judgement{Verdict: check.Unverified, Code: check.CodeFragmentUnverified, Message: "the delivered HTML does not contain the text " + quoteName(d.start) + "; a script may create it"}
		}
	}
	return Judgement{Verdict: check.OK, Code: check.CodeOK}
}
