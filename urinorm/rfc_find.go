package urinorm

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// SpanKind is the kind of a [Span].
type SpanKind int

const (
	SpanURI    SpanKind = iota // a URI with its scheme
	SpanSuffix                 // "www.example.com/a" without a scheme (RFC 3986 section 4.5)
	SpanMail                   // "joe@example.com"
)

// Span is a URI found in running text.
type Span struct {
	Start, End int // its offsets in the text, delimiters excluded
	// URI is text[Start:End] for a SpanURI, with line breaks removed, and an https or
	// ftp URI for a SpanSuffix (see [FromSuffix]) and a mailto URI for a SpanMail.
	URI  string
	Kind SpanKind
	// HyphenBreak is true if a line break was removed after a hyphen. URI contains
	// the hyphen, but typesetting may have added it (appendix C).
	HyphenBreak bool
}

// TextOptions selects what FindURIs finds besides URIs.
type TextOptions struct {
	WWW  bool // hosts that begin with "www." and have no scheme
	Mail bool // mail addresses without "mailto:"
}

// FindURIs finds the URIs in running text, in order and without overlaps, by the
// rules of RFC 3986 appendix C and common conventions of writing:
//
//   - double quotes, angle brackets, spaces and all other characters that a URI
//     cannot contain end a URI; letters, digits and symbols beyond ASCII do not, as
//     texts contain IRIs as well (RFC 3987);
//   - within <…> a URI may contain line breaks; "URL:" before it is not part of it;
//   - a closing parenthesis or bracket is part of a URI if the opening one is;
//   - punctuation at the end is not part of a URI: . , ; : ! ? ' and "'s"; nor is the
//     end of a quotation or an emphasis ('…' *…* _…_ ~…~) that begins before it.
//
// Any scheme counts if "//" follows it; without "//" only those whose grammar
// distinguishes URIs from prose (mailto, tel, urn, doi, …). The URIs found are not
// guaranteed to parse. FindURIs takes linear time.
func FindURIs(text string, opts TextOptions) []Span {
	f := textFinder{text: text, opts: opts}
	for i := 0; i < len(text); {
		next := 0
		switch text[i] {
		case '<':
			next = f.bracketed(i)
		case ':':
			next = f.afterScheme(i)
		case 'w', 'W':
			if opts.WWW {
				next = f.suffix(i)
			}
		case '@':
			if opts.Mail {
				next = f.mail(i)
			}
		}
		if next > i {
			f.start = next
			i = next
		} else {
			i++
		}
	}
	return f.spans
}

type textFinder struct {
	text  string
	opts  TextOptions
	spans []Span
	start int // the text before it has been searched, or is part of earlier spans

	// Rejected candidates must not scan the same bytes again and again: at most
	// maxTries candidates may begin before scanned, the end of the last scan.
	scanned int
	tries   int
}

const maxTries = 8

// maxLocalPart (RFC 5321 4.5.3.1.1) and maxHostName (RFC 1035 2.3.4) limit the parts
// of a mail address, in bytes.
const (
	maxLocalPart = 64
	maxHostName  = 253
)

// mayScan reports whether a candidate at start may be scanned.
func (f *textFinder) mayScan(start int) bool {
	if start >= f.scanned {
		f.tries = 0
	}
	f.tries++
	return f.tries <= maxTries
}

func (f *textFinder) add(s Span) int {
	f.spans = append(f.spans, s)
	return s.End
}

// afterScheme looks for a URI whose scheme ends with the ':' at i, and returns the
// end of the URI, 0 if there is none.
func (f *textFinder) afterScheme(i int) int {
	hierarchical := strings.HasPrefix(f.text[i+1:], "//")
	start := f.schemeStart(i, hierarchical)
	if start < 0 || !f.mayScan(start) {
		return 0
	}
	scheme := rfcLowerASCII(f.text[start:i])
	if !hierarchical && !isTextScheme(scheme) {
		return 0
	}
	end := f.end(start, i+1)
	f.scanned = max(f.scanned, end)
	rest := f.text[i+1 : end]
	if hierarchical && !isAuthorityStart(scheme, rest) || !hierarchical && !isDistinctive(scheme, rest) {
		return 0
	}
	return f.add(Span{Start: start, End: end, URI: f.text[start:end]})
}

// schemeStart returns the start of the scheme that ends with the ':' at i, -1 if
// there is none. If the word before the ':' is not a scheme, the part after a '.',
// '+' or '-' may be one ("see.http://h/"), or a common scheme at its end
// ("Seehttp://h/").
func (f *textFinder) schemeStart(i int, hierarchical bool) int {
	low := max(f.start, i-maxSchemeTypo)
	start := i
	for start > low && rfcIs(f.text[start-1], rfcSchemeChar) {
		start--
	}
	cut := start > f.start && rfcIs(f.text[start-1], rfcSchemeChar) // the word begins further to the left
	for start < i && !rfcIs(f.text[start], rfcAlpha) {
		start++
	}
	word := f.text[start:i]
	if word == "" {
		return -1
	}
	if KnownScheme(word) && !cut {
		return start
	}
	for at := 1; at < len(word); at++ {
		if !rfcIs(word[at-1], rfcAlpha|rfcDigit) && rfcIs(word[at], rfcAlpha) && KnownScheme(word[at:]) {
			return start + at
		}
	}
	if !hierarchical || cut {
		return -1
	}
	for _, common := range []string{"https", "http", "ftp"} {
		if strings.HasSuffix(rfcLowerASCII(word), common) {
			return i - len(common)
		}
	}
	return start
}

// isTextScheme reports whether URIs of a scheme, in lower case, can be distinguished
// from prose without "//".
func isTextScheme(scheme string) bool {
	switch scheme {
	case "mailto", "tel", "sms", "geo", "urn", "doi", "magnet", "data", "sip", "sips", "xmpp":
		return true
	}
	return false
}

// isDistinctive reports whether rest, which follows "scheme:", can only be the rest
// of a URI.
func isDistinctive(scheme, rest string) bool {
	switch scheme {
	case "mailto":
		return strings.Contains(rest, "@") && CheckSyntax(scheme, rest) == nil
	case "sip", "sips", "xmpp":
		return strings.Contains(rest, "@")
	case "data":
		mediaType, _, found := strings.Cut(rest, ",")
		return found && strings.ContainsAny(mediaType, "/;")
	}
	return rest != "" && CheckSyntax(scheme, rest) == nil
}

// isAuthorityStart reports whether an authority may follow the "//" with which rest
// begins. Only in a file URI may it be empty.
func isAuthorityStart(scheme, rest string) bool {
	rest = rest[2:]
	if rest == "" {
		return false
	}
	c := rest[0]
	return c >= utf8.RuneSelf || rfcIs(c, rfcAlpha|rfcDigit) || c == '[' || c == '%' || c == '_' ||
		c == '/' && scheme == "file" && len(rest) > 1
}

// end returns the end of the URI that begins at start. The bytes before i are known
// to be part of it.
func (f *textFinder) end(start, i int) int {
	text, low := f.text, i
	before := byte(0)
	if start > 0 {
		before = text[start-1]
	}
	round, square := 0, 0 // open parentheses and brackets
scan:
	for i < len(text) {
		switch c := text[i]; {
		case c >= utf8.RuneSelf:
			r, size := utf8.DecodeRuneInString(text[i:])
			if r == utf8.RuneError || !unicode.In(r, unicode.L, unicode.N, unicode.M, unicode.So) {
				break scan
			}
			i += size
			continue
		case c == '(':
			round++
		case c == ')':
			if round == 0 {
				break scan
			}
			round--
		case c == '[':
			square++
		case c == ']':
			if square == 0 {
				break scan
			}
			square--
		case c == '\'' && before == '\'':
			break scan
		case c != '%' && !rfcIs(c, rfcTailChar) && c != '#':
			break scan
		}
		i++
	}
	return f.trimEnd(low, i, before)
}

// trimEnd removes the punctuation of the sentence from the end, down to low.
func (f *textFinder) trimEnd(low, end int, before byte) int {
	for end > low {
		c := f.text[end-1]
		switch {
		case strings.IndexByte(".,;:!?'([", c) >= 0:
		case strings.IndexByte("*_~", c) >= 0 && c == before:
		case c == 's' && end-2 > low && f.text[end-2] == '\'':
			end--
		default:
			return end
		}
		end--
	}
	return end
}

// bracketed looks for a URI in angle brackets that begin at i. It returns the
// offset after them, 0 if there is none.
func (f *textFinder) bracketed(i int) int {
	closing := strings.IndexAny(f.text[i+1:], "<>")
	if closing < 0 || f.text[i+1+closing] == '<' {
		return 0
	}
	const whitespace = " \t\r\n"
	start, end := i+1, i+1+closing
	trim := func() {
		start = end - len(strings.TrimLeft(f.text[start:end], whitespace))
		end = start + len(strings.TrimRight(f.text[start:end], whitespace))
	}
	trim()
	if end-start > 4 && strings.EqualFold(f.text[start:start+4], "URL:") {
		start += 4
		trim()
	}
	uri, hyphen, ok := joinLines(f.text[start:end])
	if !ok || !isBracketedURI(uri) {
		return 0
	}
	f.add(Span{Start: start, End: end, URI: uri, HyphenBreak: hyphen})
	return i + 1 + closing + 1
}

// joinLines removes line breaks and the white space around them from a URI. It
// reports whether one followed a hyphen; ok is false if there is other white space.
func joinLines(s string) (joined string, hyphen, ok bool) {
	const whitespace = " \t\r\n"
	if !strings.ContainsAny(s, whitespace) {
		return s, false, true
	}
	var b strings.Builder
	for s != "" {
		i := strings.IndexAny(s, whitespace)
		if i < 0 {
			b.WriteString(s)
			break
		}
		b.WriteString(s[:i])
		rest := strings.TrimLeft(s[i:], whitespace)
		if !strings.ContainsAny(s[i:len(s)-len(rest)], "\r\n") {
			return "", false, false
		}
		hyphen = hyphen || strings.HasSuffix(s[:i], "-")
		s = rest
	}
	return b.String(), hyphen, true
}

// isBracketedURI reports whether the text in angle brackets is a URI, and not markup
// or a comparison.
func isBracketedURI(s string) bool {
	scheme, rest, found := strings.Cut(s, ":")
	if !found || scheme == "" || rest == "" || len(scheme) > maxSchemeTypo || rfcCheckScheme(scheme) != nil {
		return false
	}
	if strings.HasPrefix(rest, "//") {
		if !isAuthorityStart(rfcLowerASCII(scheme), rest) {
			return false
		}
	} else if !KnownScheme(scheme) || CheckSyntax(scheme, rest) != nil {
		return false
	}
	ascii := strings.Map(func(c rune) rune { // an IRI is a URI with such characters
		if c >= utf8.RuneSelf && c != utf8.RuneError {
			return 'a'
		}
		return c
	}, s)
	return Split(ascii).check() == nil
}

// suffix looks for a suffix reference with "www." at i. It returns its end, 0 if
// there is none.
func (f *textFinder) suffix(i int) int {
	const prefix = "www."
	if len(f.text)-i <= len(prefix) || !strings.EqualFold(f.text[i:i+len(prefix)], prefix) {
		return 0
	}
	if i > f.start {
		if c := f.text[i-1]; rfcIs(c, rfcAlpha|rfcDigit) || strings.IndexByte("-._@/:", c) >= 0 {
			return 0
		}
	}
	if !f.mayScan(i) {
		return 0
	}
	end := f.end(i, i)
	f.scanned = max(f.scanned, end)
	uri, ok := FromSuffix(f.text[i:end])
	if !ok || len(rfcLabels(f.text[i:end])) < 3 {
		return 0
	}
	return f.add(Span{Start: i, End: end, URI: uri, Kind: SpanSuffix})
}

// rfcLabels returns the labels of the host that a suffix reference begins with.
func rfcLabels(suffix string) []string {
	host, _, _ := strings.Cut(rfcWithoutTail(suffix), "/")
	return strings.Split(strings.TrimSuffix(host, "."), ".")
}

// mail looks for a mail address around the '@' at i. It returns its end, 0 if there
// is none.
func (f *textFinder) mail(i int) int {
	isLocal := func(c byte) bool { return rfcIs(c, rfcAlpha|rfcDigit) || strings.IndexByte("._%+-", c) >= 0 }
	start := i
	for start > f.start && i-start < maxLocalPart && isLocal(f.text[start-1]) {
		start--
	}
	for start < i && !rfcIs(f.text[start], rfcAlpha|rfcDigit) {
		start++
	}
	end := i + 1
	for end < len(f.text) && end-i <= maxHostName &&
		(rfcIs(f.text[end], rfcAlpha|rfcDigit) || f.text[end] == '-' || f.text[end] == '.') {
		end++
	}
	for end > i+1 && !rfcIs(f.text[end-1], rfcAlpha|rfcDigit) {
		end--
	}
	if start == i || end == i+1 || !rfcIsSuffixHost(f.text[i+1:end]) || f.text[i-1] == '.' {
		return 0
	}
	if end < len(f.text) && f.text[end] == '@' || start > 0 && f.text[start-1] == '@' {
		return 0
	}
	return f.add(Span{Start: start, End: end, URI: "mailto:" + f.text[start:end], Kind: SpanMail})
}
