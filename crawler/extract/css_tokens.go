package extract

import (
	"bytes"

	"github.com/orbweaver/orbweaver/crawler/internal/csstoken"
)

// A cssScanner finds the URLs of a style sheet or of a style attribute. Of the grammar above
// the tokens it tracks only what a URL needs: the function that a string is in, and the current
// at-rule.
type cssScanner struct {
	src    []byte
	tokens csstoken.Tokenizer
	// onPage is set if the style sheet is part of the page that it styles. Then a URL that is
	// only a fragment is a link. reset keeps it.
	onPage bool
	// value is the last URL that contained escapes, decoded.
	value []byte
	// functions has an entry for each open parenthesis: true if strings inside are URLs.
	functions []bool
	argument  bool // the next token is the argument of url() or src()
	prelude   prelude
	fontFace  bool // in an @font-face rule
}

// prelude says what the first URL or string of the current at-rule means.
type prelude uint8

const (
	preludeNone    prelude = iota
	preludeImport          // the style sheet to import
	preludeNothing         // a name or pattern, up to ';' or '{': @namespace, @document
)

// cssURL is a URL of a style sheet. text is its value, valid until the next URL is read.
type cssURL struct {
	at       span
	text     []byte
	imported bool // by @import
	font     bool // by @font-face
}

// cssNesting is the maximum number of open parentheses tracked. Strings in deeper ones are
// not URLs.
const cssNesting = 1024

func (s *cssScanner) reset(src []byte) {
	s.tokens.Reset(src)
	s.src, s.functions, s.argument, s.prelude, s.fontFace = src, s.functions[:0], false, preludeNone, false
}

// mayHoldURL reports whether a style sheet or a style attribute contains anything that can
// introduce a URL. Most do not, and need not be split into tokens.
func mayHoldURL(css []byte) bool {
	if bytes.IndexByte(css, '\\') >= 0 {
		return true // any name may be written with escapes
	}
	const rule = "import"
	for i := indexFrom(css, 0, '@') + 1; i < len(css); i = indexFrom(css, i, '@') + 1 {
		if len(css)-i > len(rule) && equalFold(css[i:i+len(rule)], rule) {
			return true
		}
	}
	for i := indexFrom(css, 0, '('); i < len(css); i = indexFrom(css, i+1, '(') {
		if name := css[max(0, i-len("url")):i]; equalFold(name, "url") || equalFold(name, "src") || equalFold(name, "set") { // image-set
			return true
		}
	}
	return false
}

// next returns the next URL. ok is false at the end.
func (s *cssScanner) next() (u cssURL, ok bool) {
	for s.tokens.Next() {
		t := &s.tokens.Token
		argument := s.argument
		s.argument = false
		switch t.Kind {
		case csstoken.String, csstoken.URL:
			if u = s.url(t); len(u.text) > 0 && s.means(&u, argument || t.Kind == csstoken.URL) {
				return u, true
			}
		case csstoken.Function:
			s.function(s.src[t.ValueStart:t.ValueEnd])
		case csstoken.AtKeyword:
			s.atRule(s.src[t.ValueStart:t.ValueEnd])
		case csstoken.OpenParenthesis:
			s.open(false)
		case csstoken.CloseParenthesis:
			if n := len(s.functions); n > 0 {
				s.functions = s.functions[:n-1]
			}
		case csstoken.Semicolon, csstoken.OpenBrace, csstoken.CloseBrace:
			s.prelude = preludeNone
			s.functions = s.functions[:0]
			s.fontFace = s.fontFace && t.Kind != csstoken.CloseBrace
		}
	}
	return cssURL{}, false
}

func (s *cssScanner) open(urls bool) {
	if len(s.functions) < cssNesting {
		s.functions = append(s.functions, urls)
	}
}

func (s *cssScanner) atRule(name []byte) {
	if len(name) == 0 {
		return
	}
	s.fontFace = csstoken.IsName(name, "font-face")
	switch {
	case csstoken.IsName(name, "import"):
		s.prelude = preludeImport
	case csstoken.IsName(name, "namespace"), csstoken.IsName(name, "document"), csstoken.IsName(name, "-moz-document"), csstoken.IsName(name, "charset"):
		s.prelude = preludeNothing
	default:
		s.prelude = preludeNone
	}
}

// function notes what strings mean inside a function.
func (s *cssScanner) function(name []byte) {
	s.argument = csstoken.IsName(name, "url") || csstoken.IsName(name, "src") // src(var(--x)) is only known when the page is shown
	s.open(csstoken.IsName(name, "image-set") || csstoken.IsName(name, "-webkit-image-set"))
}

// url returns the URL that is the value of a token.
func (s *cssScanner) url(t *csstoken.Token) cssURL {
	u := cssURL{at: span{t.ValueStart, t.ValueEnd}, text: s.src[t.ValueStart:t.ValueEnd]}
	if t.Escaped {
		s.value = csstoken.AppendUnescaped(s.value[:0], u.text)
		u.text = s.value
	}
	return u
}

// means applies the meaning of the current at-rule to a URL, and reports whether it is one.
// argument is set for that of url() or src(), which is one almost everywhere.
func (s *cssScanner) means(u *cssURL, argument bool) bool {
	n := len(s.functions)
	if s.prelude == preludeNothing || s.prelude == preludeNone && !argument && (n == 0 || !s.functions[n-1]) {
		return false
	}
	u.imported, u.font = s.prelude == preludeImport, argument && s.fontFace
	s.prelude = preludeNone
	return true
}
