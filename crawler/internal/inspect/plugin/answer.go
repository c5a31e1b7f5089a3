package plugin

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/orbweaver/orbweaver/crawler/check"
	"github.com/orbweaver/orbweaver/crawler/internal/judging"
)

// Limits of an answer.
const (
	maxFindings = 200
	maxLine     = 1 << 20 // bytes of a line, without its end
)

// Declared is a code that a plugin may report.
type Declared struct {
	Code    check.Code
	Verdict check.Verdict // Broken, Unverified, VerdictWarning or VerdictInfo
	Title   string        // the code if the plugin gives none
	Advice  string
}

// Answer is what a plugin says about a page.
type Answer struct {
	Findings []judging.Finding
	Links    []Link
}

// Link is a reference that a plugin found in a page, as written.
type Link struct {
	URL          string
	Line, Column int // as in judging.Finding
}

// severities are the words for Declared.Verdict.
var severities = map[string]check.Verdict{
	"": check.VerdictWarning, "broken": check.Broken, "unverified": check.Unverified,
	"warning": check.VerdictWarning, "info": check.VerdictInfo,
}

// parseHello reads the first line of a process: the codes of the plugin with a name, sorted.
func parseHello(line []byte, name string) ([]Declared, error) {
	var message struct {
		Hello *struct {
			Codes *[]struct{ Code, Title, Severity, Advice string }
		}
	}
	if err := unmarshal(line, &message); err != nil {
		return nil, fmt.Errorf("the answer to hello %w: %q (only answers belong on standard output; notes belong on standard error)", err, excerpt(line))
	}
	if message.Hello == nil || message.Hello.Codes == nil {
		return nil, fmt.Errorf(`the answer to hello is not {"hello":{"codes":[…]}}: %q`, excerpt(line))
	}
	var declared []Declared
	for _, c := range *message.Hello.Codes {
		own, ok := strings.CutPrefix(c.Code, name+"-")
		verdict, known := severities[c.Severity]
		code := check.Code(c.Code)
		_, taken := check.Lookup(code)
		switch {
		case !ok || !isName(own):
			return nil, fmt.Errorf("the code %q must begin with %q, followed by a-z, 0-9 and hyphens", excerpt([]byte(c.Code)), name+"-")
		case taken:
			return nil, fmt.Errorf("the code %s is one of Orbweaver's own: rename the plugin", code)
		case !known:
			return nil, fmt.Errorf("the code %s has the severity %q: use broken, unverified, warning or info", code, excerpt([]byte(c.Severity)))
		}
		if c.Title == "" {
			c.Title = c.Code
		}
		declared = append(declared, Declared{Code: code, Verdict: verdict, Title: c.Title, Advice: c.Advice})
	}
	slices.SortFunc(declared, func(a, b Declared) int { return strings.Compare(string(a.Code), string(b.Code)) })
	for i := 1; i < len(declared); i++ {
		if declared[i].Code == declared[i-1].Code {
			return nil, fmt.Errorf("the code %s is declared twice", declared[i].Code)
		}
	}
	return declared, nil
}

// parseAnswer reads the line for the page with an id. The error says what is wrong with it,
// in words that do not depend on the order of pages.
func parseAnswer(line []byte, id int64, codes map[check.Code]Declared) (Answer, error) {
	var message struct {
		ID       int64
		Findings findingList
		Links    linkList
	}
	if err := unmarshal(line, &message); errors.Is(err, errManyFindings) {
		return Answer{}, err
	} else if err != nil {
		return Answer{}, fmt.Errorf("the answer %w: %q", err, excerpt(line))
	}
	if message.ID != id {
		return Answer{}, errors.New("an answer has the id of another page")
	}
	var answer Answer
	for _, f := range message.Findings {
		declared, ok := codes[f.Code]
		if !ok {
			return Answer{}, fmt.Errorf("a finding has the code %q, which was not declared", excerpt([]byte(f.Code)))
		}
		if f.Message == "" {
			f.Message = declared.Title
		}
		found := judging.Finding{Code: f.Code, Verdict: declared.Verdict, Raw: f.Raw, Message: f.Message, Proposal: f.Proposal}
		found.Line, found.Column = place(f.Line, f.Column)
		answer.Findings = append(answer.Findings, found)
	}
	for _, l := range message.Links {
		l.Line, l.Column = place(l.Line, l.Column)
		answer.Links = append(answer.Links, l)
	}
	return answer, nil
}

// finding is an element of an answer's findings.
type finding struct {
	Code                   check.Code
	Line, Column           int
	Message, Proposal, Raw string
}

var errManyFindings = fmt.Errorf("the answer has more than %d findings", maxFindings)

// findingList is decoded element by element, so that a line of many empty findings takes no
// memory.
type findingList []finding

// UnmarshalJSON reads an array of at most maxFindings findings.
func (l *findingList) UnmarshalJSON(b []byte) error {
	*l = nil
	return elements(b, func(f finding) error {
		if len(*l) == maxFindings {
			return errManyFindings
		}
		*l = append(*l, f)
		return nil
	})
}

// linkList is decoded element by element.
type linkList []Link

// UnmarshalJSON reads an array of links. Those without a URL are left out.
func (l *linkList) UnmarshalJSON(b []byte) error {
	*l = nil
	return elements(b, func(link Link) error {
		if link.URL != "" {
			*l = append(*l, link)
		}
		return nil
	})
}

// elements calls f with each element of a JSON array. null is an empty array.
func elements[T any](b []byte, f func(T) error) error {
	if string(b) == "null" {
		return nil
	}
	if b[0] != '[' {
		return errors.New("has findings or links that are not an array")
	}
	decoder := json.NewDecoder(bytes.NewReader(b))
	if _, err := decoder.Token(); err != nil {
		return err
	}
	for decoder.More() {
		var element T
		if err := decoder.Decode(&element); err != nil {
			return err
		}
		if err := f(element); err != nil {
			return err
		}
	}
	return nil
}

// unmarshal reads a line of JSON. The error continues a sentence about the line.
func unmarshal(line []byte, message any) error {
	if !utf8.Valid(line) {
		return errors.New("is not JSON: it is not UTF-8")
	}
	err := json.Unmarshal(line, message)
	var wrongType *json.UnmarshalTypeError
	var syntax *json.SyntaxError
	switch {
	case err == nil, errors.Is(err, errManyFindings):
		return err
	case errors.As(err, &syntax):
		return fmt.Errorf("is not JSON: %w", err)
	case errors.As(err, &wrongType) && wrongType.Field != "":
		return fmt.Errorf("has a value of a wrong type: %s is %s", strings.ToLower(wrongType.Field), wrongType.Value)
	case wrongType != nil:
		return fmt.Errorf("is not an object: it is %s", wrongType.Value)
	}
	return err
}

// place returns a place as judging.Finding has it: without a line there is none, and without
// a column it is the beginning of the line.
func place(line, column int) (int, int) {
	if line < 1 {
		return 0, 0
	}
	return line, max(column, 1)
}

// excerpt returns the beginning of a text, for a message.
func excerpt(text []byte) string {
	runes := 0
	for i := range string(text[:min(len(text), judging.ExcerptLength*utf8.UTFMax)]) {
		if runes++; runes > judging.ExcerptLength {
			return string(text[:i]) + "…"
		}
	}
	return string(text)
}
