package urinorm

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// SpanKind says what was found in a text.
type SpanKind int

const (
	SpanURI    SpanKind = iota // a URI with its scheme
	SpanSuffix                 // "www.example.com/a" without a scheme (RFC 3986 section 4.5)
	SpanMail                   // "joe@example.com"
)

// Span is a URI found in running text.
type Span struct {
	Start, End int // its bytes in the text, without delimiters around it
	// URI is text[Start:End] for a SpanURI, unless the text broke it across lines;
	// a SpanSuffix is completed to an https URI, a SpanMail to a mailto URI.
	URI  string
	Kind SpanKind
	// HyphenBreak tells that the text was broken behind a hyphen. The hyphen is
	// kept, but it may be the typesetter's and no part of the URI (appendix C).
	HyphenBreak bool
}

// TextOptions widens what FindURIs finds. The zero value finds URIs only.
type TextOptions struct {
	WWW  bool // hosts that begin with "www." and have no scheme
	Mail bool // mail addresses without "mailto:"
}

// FindURIs finds the URIs in running text by the rules of RFC 3986 appendix C
// and the habits of writers, in order and without overlaps:
//
//   - double quotes, angle brackets, blanks and all characters that no URI may
//     hold end a URI; letters, digits and symbols beyond ASCII do not, as IRIs
//     are written in texts too (RFC 3987);
//   - within <…> a URI may be broken across lines; "URL:" before it is no part of
//     it;
//   - a closing parenthesis or bracket belongs to it if its opening one does;
//   - punctuation at its end belongs to the sentence: . , ; : ! ? ' and "'s";
//     so do quotes and emphasis ('…' *…* _…_ ~…~) that begin right before it.
//
// A scheme that is followed by "//" may be any; without it, only those count
// whose URIs have a grammar to tell them from prose (mailto, tel, urn, doi, …).
// Found URIs are not checked further: resolve them with the web profile, or parse
// them. The time taken is in proportion to the length of the text.
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
			f.floor = next
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
	floor int // everything before it belongs to earlier spans

	// Candidates that come to nothing must not cost a scan of the same bytes each:
	// only maxTries of them may begin within what one has scanned.
	scanned int
	tries   int
}

const maxTries = 8

// maxLocalPart bounds how far back a mail address is looked for (RFC 5321
// 4.5.3.1.1), maxHostName how far on (RFC 1035 2.3.4), in bytes.
const (
	maxLocalPart = 64
	maxHostName  = 253
)

// may reports whether a candidate at start may be scanned.
func (f *textFinder) may(start int) bool {
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

// afterScheme looks at the ':' at i and returns the end of the URI whose scheme
// it ends, 0 if there is none.
func (f *textFinder) afterScheme(i int) int {
	hierarchical := strings.HasPrefix(f.text[i+1:], "//")
	start := f.schemeStart(i, hierarchical)
	if start < 0 || !f.may(start) {
		return 0
	}
	scheme := rfcLowerASCII(f.text[start:i])
	if !hierarchical && !isTextScheme(scheme) {
		return 0
	}
	end := f.end(start, i+1)
	f.scanned = max(f.scanned, end)
	rest := f.text[i+1 : end]
	if hierarchical && !isAuthorityStart(scheme, rest) || !hierarchical && !isProseProof(scheme, rest) {
		return 0
	}
	return f.add(Span{Start: start, End: end, URI: f.text[start:end]})
}

// schemeStart returns where the scheme begins that the ':' at i ends, -1 if there
// is none. Of a word that is no scheme, the part behind its last '.', '+' or '-'
// may be one ("see.http://h/"), or a familiar end ("Seehttp://h/").
func (f *textFinder) schemeStart(i int, hierarchical bool) int {
	low := max(f.floor, i-maxSchemeTypo)
	start := i
	for start > low && rfcIs(f.text[start-1], rfcSchemeChar) {
		start--
	}
	cut := start > f.floor && rfcIs(f.text[start-1], rfcSchemeChar) // the word goes on to the left
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
	for _, familiar := range []string{"https", "http", "ftp"} {
		if strings.HasSuffix(rfcLowerASCII(word), familiar) {
			return i - len(familiar)
		}
	}
	return start
}

// isTextScheme reports whether a scheme, in lower case, is told from prose when
// no "//" follows it.
func isTextScheme(scheme string) bool {
	switch scheme {
	case "mailto", "tel", "sms", "geo", "urn", "doi", "magnet", "data", "sip", "sips", "xmpp":
		return true
	}
	return false
}

// isProseProof reports whether rest, found behind "scheme:", can be nothing but
// the rest of a URI.
func isProseProof(scheme, rest string) bool {
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

// isAuthorityStart reports whether rest, which begins with "//", goes on like an
// authority. Only file URIs do without one.
func isAuthorityStart(scheme, rest string) bool {
	rest = rest[2:]
	if rest == "" {
		return false
	}
	c := rest[0]
	return c >= utf8.RuneSelf || rfcIs(c, rfcAlpha|rfcDigit) || c == '[' || c == '%' || c == '_' ||
		c == '/' && scheme == "file" && len(rest) > 1
}

// end returns where the URI ends that begins at start and whose bytes from i on
// are still to be looked at.
func (f *textFinder) end(start, i int) int {
	text, low := f.text, i
	before := byte(0)
	if start > 0 {
		before = text[start-1]
	}
	round, square := 0, 0 // parentheses and brackets that are open
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

// trimEnd gives the sentence its punctuation back, down to low.
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

// bracketed looks at the '<' at i. It returns what follows the URI in angle
// brackets, 0 if there is none.
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

// joinLines takes line breaks and the whitespace around them out of a URI. It
// reports whether one stood behind a hyphen, and false if there is whitespace
// that breaks no line.
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

// isBracketedURI reports whether what stands in angle brackets is a URI, and no
// markup or comparison.
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
	ascii := strings.Map(func(c rune) rune { // an IRI is a URI but for these
		if c >= utf8.RuneSelf && c != utf8.RuneError {
			return 'a'
		}
		return c
	}, s)
	return Split(ascii).check() == nil
}

// suffix looks for "www." at i.
func (f *textFinder) suffix(i int) int {
	const prefix = "www."
	if len(f.text)-i <= len(prefix) || !strings.EqualFold(f.text[i:i+len(prefix)], prefix) {
		return 0
	}
	if i > f.floor {
		if c := f.text[i-1]; rfcIs(c, rfcAlpha|rfcDigit) || strings.IndexByte("-._@/:", c) >= 0 {
			return 0
		}
	}
	if !f.may(i) {
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

// mail looks for an address around the '@' at i.
func (f *textFinder) mail(i int) int {
	isLocal := func(c byte) bool { return rfcIs(c, rfcAlpha|rfcDigit) || strings.IndexByte("._%+-", c) >= 0 }
	start := i
	for start > f.floor && i-start < maxLocalPart && isLocal(f.text[start-1]) {
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
