package validator

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/orbweaver/orbweaver/crawler/check"
	"github.com/orbweaver/orbweaver/crawler/internal/inspect/page"
	"github.com/orbweaver/orbweaver/crawler/internal/judging"
)

const (
	maxMessage = 500 // code points of a message
	maxRule    = 80  // bytes of a rule
	maxRaw     = 200 // bytes of the source text of a finding
)

// answer is the JSON of the Nu HTML Checker.
type answer struct {
	Messages []message `json:"messages"`
}

type message struct {
	Type    string `json:"type"`
	SubType string `json:"subType"`
	Message string `json:"message"`
	// Lines and columns count from 1, columns in UTF-16 code units. LastColumn belongs to the
	// place. What equals the last line or column is left out of the first one, and everything
	// if there is no place.
	FirstLine   int `json:"firstLine"`
	FirstColumn int `json:"firstColumn"`
	LastLine    int `json:"lastLine"`
	LastColumn  int `json:"lastColumn"`
}

// ruleNotChecked is the rule of a finding about a page that could not be checked.
const ruleNotChecked = "not-checked"

// notChecked is the finding about a page that could not be checked.
func notChecked(p *page.Page, why string) judging.Finding {
	return judging.Finding{
		Code:    codeOf(p, false),
		Verdict: check.VerdictInfo,
		Rule:    ruleNotChecked,
		Message: cut("the validator could not check this: "+why, maxMessage),
	}
}

func codeOf(p *page.Page, aboutCSS bool) check.Code {
	if aboutCSS || p.Format == "css" {
		return judging.CodeCSSSyntax
	}
	return judging.CodeHTMLSyntax
}

// findings returns the messages about a page as findings, in the order of their places.
func findings(p *page.Page, a *answer) []judging.Finding {
	var list []judging.Finding
	messages := a.Messages[:min(len(a.Messages), maxMessages)]
	for i := range messages {
		m := &messages[i]
		if m.FirstLine == 0 {
			m.FirstLine = m.LastLine
		}
		if m.FirstColumn == 0 {
			m.FirstColumn = m.LastColumn
		}
	}
	slices.SortStableFunc(messages, func(a, b message) int {
		return cmp.Or(cmp.Compare(a.FirstLine, b.FirstLine), cmp.Compare(a.FirstColumn, b.FirstColumn))
	})
	var at cursor
	for _, m := range messages {
		text, aboutCSS := strings.CutPrefix(m.Message, "CSS: ")
		f := judging.Finding{Code: codeOf(p, aboutCSS), Rule: slug(text), Message: cut(oneLine(text), maxMessage)}
		switch {
		case m.Type == "non-document-error":
			list = append(list, notChecked(p, sentence(m.Message)))
			continue
		case m.Type == "info" && m.SubType == "warning":
			f.Verdict = check.VerdictInfo
		case m.Type != "error", p.Charset != "utf-8" && strings.HasPrefix(m.Message, "Internal encoding declaration "):
			continue // the document is in UTF-8 only because it was decoded
		}
		if m.FirstLine > 0 {
			if at.lines == nil {
				at = newCursor(p.Text, true)
			}
			start := at.offset(m.FirstLine, m.FirstColumn)
			f.Line, f.Column = p.Places.At(start)
			f.Raw = string(p.Text[start:at.end(start, m.LastLine, m.LastColumn+1)])
			f.Text = cut(strings.Join(strings.Fields(f.Raw), " "), judging.ExcerptLength)
		}
		list = append(list, f)
	}
	if more := len(a.Messages) - maxMessages; more > 0 {
		list = append(list, judging.Finding{Code: codeOf(p, false), Rule: "more", Message: fmt.Sprintf("%d more messages", more)})
	}
	return list
}

// sentence returns a message as ours are: one line, without the capital letter at its
// beginning and the full stop at its end.
func sentence(message string) string {
	message = strings.TrimSuffix(oneLine(message), ".")
	if first, n := utf8.DecodeRuneInString(message); n > 0 {
		if second, _ := utf8.DecodeRuneInString(message[n:]); !unicode.IsUpper(second) {
			message = string(unicode.ToLower(first)) + message[n:]
		}
	}
	return cut(message, maxMessage)
}

// oneLine returns a message as the service has it, but as one line of characters that can be
// seen.
func oneLine(message string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsPrint(r) {
			return r
		}
		return utf8.RuneError
	}, strings.Join(strings.Fields(strings.ToValidUTF8(message, "\uFFFD")), " "))
}

// slug returns the rule of a message: the words of its first sentence in lower case, without
// what is quoted.
func slug(message string) string {
	var b strings.Builder
	quoted := false
	for i, r := range message {
		switch {
		case r == '“' || r == '"' && !quoted:
			quoted = true
		case r == '”' || r == '"':
			quoted = false
		case quoted, r == '\'', r == '’':
		case r == '.' && strings.HasPrefix(message[i+1:], " "):
			return words(b.String())
		default:
			b.WriteRune(r)
		}
	}
	return words(b.String())
}

// words joins the words of a text with hyphens, as many as a rule may have.
func words(text string) string {
	var b strings.Builder
	for word := range strings.FieldsFuncSeq(text, func(r rune) bool {
		return !('a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9')
	}) {
		if b.Len()+1+len(word) > maxRule {
			break
		}
		if b.Len() > 0 {
			b.WriteByte('-')
		}
		b.WriteString(strings.ToLower(word))
	}
	if b.Len() == 0 {
		return "message"
	}
	return b.String()
}

// cut returns the first n code points of a text.
func cut(text string, n int) string {
	for i := range text {
		if n == 0 {
			return text[:i]
		}
		n--
	}
	return text
}
