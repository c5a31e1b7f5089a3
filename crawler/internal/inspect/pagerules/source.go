package pagerules

import (
	"unicode/utf8"

	"github.com/orbweaver/orbweaver/crawler/check"
	"github.com/orbweaver/orbweaver/crawler/internal/htmltoken"
	"github.com/orbweaver/orbweaver/crawler/internal/inspect/facts"
	"github.com/orbweaver/orbweaver/crawler/internal/inspect/page"
	"github.com/orbweaver/orbweaver/crawler/internal/judging"
	"github.com/orbweaver/orbweaver/urinorm"
)

// source is the page that is looked at, with its current token, and what was found so far.
type source struct {
	page     *page.Page
	groups   Groups
	z        *htmltoken.Tokenizer
	address  address
	document document
	facts    *facts.Page
	found    []found
	buffer   []byte // a text with white space collapsed
	// concealed is true if the current start tag is of a hidden element, or within one.
	concealed bool
	// headingLevel is the level of the element of the current start tag if its role is that of
	// a heading, 0 otherwise.
	headingLevel int
}

// found is a finding whose place is still an offset; -1 if it has none.
type found struct {
	offset  int
	finding judging.Finding
}

// document is what the start of a page says about all of it.
type document struct {
	html                   bool // there is an html element
	langMissing            bool // it has no language; its start tag is at htmlStart
	htmlStart, htmlEnd     int
	frameset               bool // the page consists of frames
	sendsOn                bool // a meta element refreshes the page with another one at once
	hasOGImage             bool
	script                 bool // there is a script
	hasText                bool // there is text that a reader sees
	inCode                 bool // the next text is a script, a style sheet or the title
	hasPolicy, hasReferrer bool // meta elements in place of headers
}

// report adds a finding at an offset, -1 if it has no place.
func (s *source) report(offset int, f judging.Finding) {
	if len(s.found) < judging.MaxFindings {
		s.found = append(s.found, found{offset, f})
	}
}

// reportTag adds a finding about the element whose start tag is the current token.
func (s *source) reportTag(code check.Code, message string) {
	t := &s.z.Token
	s.report(t.Start, judging.Finding{Code: code, Element: t.Element.String(), Raw: s.raw(t.Start, t.End), Message: message})
}

// reportAttribute adds a finding about an attribute of the current start tag.
func (s *source) reportAttribute(code check.Code, a *htmltoken.Attribute, message string) {
	s.report(a.ValueStart, judging.Finding{Code: code, Element: s.z.Token.Element.String(), Attribute: string(a.Name), Raw: s.raw(a.ValueStart, a.ValueEnd), Message: message})
}

// maxRaw is the length of the longest source text in a finding, in bytes.
const maxRaw = 200

// raw returns a part of the source.
func (s *source) raw(start, end int) string {
	return string(cut(s.page.Text[start:end], maxRaw))
}

// cut returns the beginning of a text in UTF-8, at most n bytes.
func cut(text []byte, n int) []byte {
	if len(text) <= n {
		return text
	}
	for n > 0 && !utf8.RuneStart(text[n]) {
		n--
	}
	return text[:n]
}

// place returns the place of an offset. Offsets must be asked for in ascending order, or else
// it takes long.
func (s *source) place(offset int) facts.Place {
	line, column := s.page.Places.At(offset)
	return facts.Place{Line: line, Column: column}
}

// value returns the value of an attribute of the current start tag, nil if there is none.
func (s *source) value(name string) []byte {
	if a := s.z.Token.Attribute(name); a != nil {
		if v := s.z.Value(a); v != nil {
			return v
		}
		return noValue
	}
	return nil
}

var noValue = []byte{}

// hasText reports whether the current start tag has an attribute that is not blank.
func (s *source) hasText(name string) bool { return !isBlank(s.value(name)) }

// resolve returns the URL of a reference, absolute and as facts have it. ok is false for
// references that lead to no document of the web or of a directory.
func (s *source) resolve(ref []byte) (u urinorm.URL, printed string, ok bool) {
	if s.page.Base == nil || len(ref) > facts.MaxURL {
		return u, "", false
	}
	u, _, err := s.page.Base.Resolve(string(ref))
	if err != nil {
		return u, "", false
	}
	switch u.Scheme() {
	case "http", "https", "file":
	default:
		return u, "", false
	}
	u = u.WithoutFragment().WithoutUserinfo()
	printed = u.Printed()
	return u, printed, len(printed) <= facts.MaxURL
}

// address is the address of the page.
type address struct {
	url     urinorm.URL
	printed string
	// published is false for the document of a directory whose address on the web is not
	// known.
	published bool
}

func addressOf(p *page.Page) address {
	u := p.Address.WithoutFragment().WithoutUserinfo()
	return address{u, u.Printed(), !p.MadeUp && u.Scheme() != "file"}
}

// sameOrigin reports whether two URLs have the same origin (HTML Standard 7.1.1).
func sameOrigin(a, b urinorm.URL) bool {
	return a.Scheme() == b.Scheme() && a.Host() == b.Host() && a.EffectivePort() == b.EffectivePort()
}
