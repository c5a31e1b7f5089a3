package htmlsyntax

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/orbweaver/orbweaver/crawler/internal/htmltoken"
	"github.com/orbweaver/orbweaver/crawler/internal/judging"
)

// problem is an error of the tokenizer, of nesting, or of the document as a whole.
type problem struct {
	offset int
	rule   string
	error  int // the number of an error of the tokenizer, or -1
	fault  *fault
}

// End ends the document and appends its findings to dst, in the order of the document. All
// have the code html-syntax. The places of findings beyond the maximum are left out: one more
// finding with the rule "more" says how many they are.
func (c *Checker) End(dst []judging.Finding) []judging.Finding {
	if !c.nesting.stack.tooDeep && !c.cutOff() {
		c.nesting.endOfText()
	}
	n := len(c.nesting.faults.faults) + len(c.tokenizer.Errors.List)
	if n == 0 && !c.noDoctype && c.lateCharset < 0 {
		return dst
	}
	problems := make([]problem, 0, n+2)
	if c.noDoctype {
		problems = append(problems, problem{0, missingDoctype, -1, nil})
	}
	if c.lateCharset >= 0 {
		problems = append(problems, problem{c.lateCharset, "late-charset", -1, nil})
	}
	for i := range c.nesting.faults.faults {
		f := &c.nesting.faults.faults[i]
		problems = append(problems, problem{f.start, faultRules[f.kind], -1, f})
	}
	for i, e := range c.tokenizer.Errors.List {
		if !c.nesting.xml || xmlRules[e.Rule] {
			problems = append(problems, problem{e.Offset, e.Rule, i, nil})
		}
	}
	slices.SortStableFunc(problems, func(a, b problem) int { return cmp.Compare(a.offset, b.offset) })
	all := len(problems) + c.nesting.faults.dropped + c.tokenizer.Errors.Dropped
	if len(problems) > c.max {
		problems = problems[:c.max]
	}
	for _, p := range problems {
		dst = append(dst, c.finding(p))
	}
	if more := all - len(problems); more > 0 {
		dst = append(dst, judging.Finding{Code: judging.CodeHTMLSyntax, Rule: "more", Message: fmt.Sprintf("%d more errors of syntax", more)})
	}
	return dst
}

// cutOff reports whether the document ends within a tag, a comment or a text without an end
// tag, so that open elements are its consequence. Only an element whose content is text is
// reported then.
func (c *Checker) cutOff() bool {
	for _, e := range c.tokenizer.Errors.List {
		if e.Offset == len(c.page.Text) && strings.HasPrefix(e.Rule, "eof-") && e.Rule != "eof-before-tag-name" {
			return true
		}
	}
	if c.nesting.xml || len(c.nesting.stack.open) == 0 {
		return false
	}
	e := &c.nesting.stack.open[len(c.nesting.stack.open)-1]
	if e.foreign || !isText[e.element] {
		return false
	}
	if e.fault == 0 && e.element != htmltoken.Plaintext {
		c.nesting.faults.add(fault{unclosedAtEnd, e.start, -1, -1})
	}
	return true
}

// isText marks the elements whose content is text.
var isText = [256]bool{
	htmltoken.Title: true, htmltoken.Textarea: true, htmltoken.Style: true, htmltoken.Xmp: true, htmltoken.Iframe: true,
	htmltoken.Noembed: true, htmltoken.Noframes: true, htmltoken.Script: true, htmltoken.Plaintext: true,
}

// missingDoctype is the rule of a document without a doctype. Its place is the beginning.
const missingDoctype = "missing-doctype"

// finding makes a finding of a problem.
func (c *Checker) finding(p problem) judging.Finding {
	f := judging.Finding{Code: judging.CodeHTMLSyntax, Rule: p.rule}
	f.Line, f.Column = c.page.Places.At(p.offset)
	if p.rule == missingDoctype {
		f.Message = "the document does not begin with <!DOCTYPE html>"
		return f
	}
	f.Text = c.excerpt(p.offset)
	switch {
	case p.fault != nil:
		f.Element = c.name(p.offset)
		f.Raw = c.tag(p.offset)
		f.Message = c.faultMessage(p.fault)
	case p.error < 0:
		f.Element, f.Attribute = "meta", "charset"
		f.Raw = string(c.page.Text[p.offset:min(c.lateCharsetEnd, p.offset+maxRaw)])
		f.Message = "the character encoding is declared behind the first 1024 bytes"
	default:
		c.describe(&f, p)
	}
	return f
}

// maxRaw is the length of the longest source text of a finding, in bytes.
const maxRaw = 200

// tag returns the source of the tag at an offset, as far as it is short.
func (c *Checker) tag(offset int) string {
	src := c.page.Text[offset:min(len(c.page.Text), offset+maxRaw)]
	quote := byte(0)
	for i, b := range src {
		switch {
		case quote != 0:
			if b == quote {
				quote = 0
			}
		case b == '>':
			return string(src[:i+1])
		case (b == '"' || b == '\'') && src[i-1] == '=':
			quote = b
		}
	}
	return strings.ToValidUTF8(string(src), "")
}

// name returns the name of the tag at an offset in lower case.
func (c *Checker) name(offset int) string {
	name := bytes.TrimPrefix(c.page.Text[offset+len("<"):], []byte("/"))
	if n := bytes.IndexAny(name[:min(len(name), maxRaw)], " \t\n\f\r/>"); n >= 0 {
		name = name[:n]
	}
	return strings.ToLower(strings.ToValidUTF8(string(name[:min(len(name), 40)]), ""))
}

// written returns the tag at an offset without its attributes, with its line.
func (c *Checker) written(offset int) string {
	slash := ""
	if c.page.Text[offset+1] == '/' {
		slash = "/"
	}
	line, _ := c.page.Places.At(offset)
	return fmt.Sprintf("<%s%s> in line %d", slash, c.name(offset), line)
}

// excerpt returns the source around an offset, within its line.
func (c *Checker) excerpt(offset int) string {
	const before = judging.ExcerptLength / 2
	start := offset
	for n := 0; start > 0 && n < before && c.page.Text[start-1] != '\n' && c.page.Text[start-1] != '\r'; n++ {
		_, size := utf8.DecodeLastRune(c.page.Text[:start])
		start -= size
	}
	end := start
	for n := 0; end < len(c.page.Text) && n < judging.ExcerptLength && c.page.Text[end] != '\n' && c.page.Text[end] != '\r'; n++ {
		_, size := utf8.DecodeRune(c.page.Text[end:])
		end += size
	}
	return strings.TrimSpace(strings.ToValidUTF8(string(c.page.Text[start:end]), ""))
}

func (c *Checker) faultMessage(f *fault) string {
	name := c.name(f.start)
	switch f.kind {
	case unclosed:
		return fmt.Sprintf("<%s> is not closed before %s", name, c.written(f.other))
	case unclosedAtEnd:
		return fmt.Sprintf("<%s> is not closed", name)
	case trailingSolidus:
		return fmt.Sprintf("\"/>\" does not close <%s>", name)
	case overlapping:
		return fmt.Sprintf("</%s> closes %s while %s is open", name, c.written(f.opened), c.written(f.other))
	case late:
		return fmt.Sprintf("</%s> is too late for %s, which %s has closed", name, c.written(f.opened), c.written(f.other))
	case outside:
		return fmt.Sprintf("</%s> cannot close %s while %s is open", name, c.written(f.opened), c.written(f.other))
	case mismatched:
		return fmt.Sprintf("</%s> closes %s", name, c.written(f.opened))
	}
	if f.opened >= 0 {
		return fmt.Sprintf("</%s> closes nothing: %s has closed %s", name, c.written(f.other), c.written(f.opened))
	}
	return fmt.Sprintf("</%s> closes nothing", name)
}

// describe completes the finding for an error of the tokenizer.
func (c *Checker) describe(f *judging.Finding, p problem) {
	for _, t := range c.tags {
		if t.from <= p.error && p.error < t.to {
			f.Element = strings.ToLower(string(c.page.Text[t.nameStart:t.nameEnd]))
		}
	}
	start, end := p.offset, p.offset
	switch p.rule {
	case "duplicate-attribute":
		for start > 0 && !strings.ContainsRune(" \t\n\f\r/\"'<", rune(c.page.Text[start-1])) {
			start--
		}
		f.Attribute = strings.ToLower(string(c.page.Text[start:end]))
	case "unknown-named-character-reference", "missing-semicolon-after-character-reference", "null-character-reference",
		"character-reference-outside-unicode-range", "surrogate-character-reference", "noncharacter-character-reference",
		"control-character-reference", "absence-of-digits-in-numeric-character-reference":
		start = max(bytes.LastIndexByte(c.page.Text[:start], '&'), 0)
		if end < len(c.page.Text) && c.page.Text[end] == ';' {
			end++
		}
	default:
		if end < len(c.page.Text) {
			_, size := utf8.DecodeRune(c.page.Text[end:])
			end += size
		}
	}
	f.Raw = string(c.page.Text[start:min(end, start+maxRaw)])
	f.Message = messages[p.rule]
	if strings.HasPrefix(f.Rule, "duplicate") {
		f.Message += " " + f.Attribute
	} else if start < p.offset {
		f.Message += " " + f.Raw
	}
}
