package extract

import (
	"bytes"
	"strconv"
	"unicode/utf16"
	"unicode/utf8"
)

// A jsonScanner walks through JSON and returns the strings that are values, each with its
// key: the key of the object member that contains the string, even if there are arrays in
// between. It continues after syntax errors, as long as it can recognize strings and
// brackets. It stores only the keys of the open brackets.
type jsonScanner struct {
	src   []byte
	pos   int
	key   span   // of the member being read
	open  []span // for each open bracket, the key that was current outside it
	value []byte // the last string, escapes decoded
	// context is the number of open brackets inside "@context", which maps names to
	// vocabularies and contains no links.
	context int
}

// jsonNesting is the maximum number of open brackets. Nothing nested more deeply is read.
const jsonNesting = 512

func (s *jsonScanner) reset(src []byte) {
	*s = jsonScanner{src: src, open: s.open[:0], value: s.value[:0]}
}

// next returns the next string value. ok is false at the end. text is valid until the next
// call.
func (s *jsonScanner) next() (key []byte, at span, text []byte, ok bool) {
	for s.pos < len(s.src) {
		switch s.src[s.pos] {
		case '{', '[':
			s.pos++
			if len(s.open) == jsonNesting {
				return nil, at, nil, false
			}
			s.open = append(s.open, s.key)
			if s.context > 0 || string(s.src[s.key.start:s.key.end]) == "@context" {
				s.context++
			}
		case '}', ']':
			s.pos++
			if n := len(s.open); n > 0 {
				s.key = s.open[n-1]
				s.open = s.open[:n-1]
			}
			if s.context > 0 {
				s.context--
			}
		case '"':
			at = s.string()
			if after := skipSpace(s.src, s.pos); after < len(s.src) && s.src[after] == ':' {
				s.pos = after + 1
				s.key = at
				continue
			}
			if key = s.src[s.key.start:s.key.end]; s.context == 0 && string(key) != "@context" {
				return key, at, s.decode(at), true
			}
		default:
			s.pos++
		}
	}
	return nil, at, nil, false
}

// string reads a string and returns the span between its quotes.
func (s *jsonScanner) string() span {
	s.pos++
	start := s.pos
	for s.pos < len(s.src) {
		switch s.src[s.pos] {
		case '"':
			s.pos++
			return span{start, s.pos - 1}
		case '\\':
			s.pos = min(s.pos+2, len(s.src))
		default:
			s.pos++
		}
	}
	return span{start, s.pos}
}

// decode returns a string's value (RFC 8259 section 7). An invalid escape represents itself.
func (s *jsonScanner) decode(at span) []byte {
	b := s.src[at.start:at.end]
	if bytes.IndexByte(b, '\\') < 0 {
		return b
	}
	s.value = s.value[:0]
	for i := 0; i < len(b); {
		if b[i] != '\\' || i+1 == len(b) {
			s.value = append(s.value, b[i])
			i++
			continue
		}
		c := b[i+1]
		if c == 'u' {
			if r, n := unicodeEscape(b[i:]); n > 0 {
				s.value = utf8.AppendRune(s.value, r)
				i += n
				continue
			}
		}
		if n := bytes.IndexByte([]byte(`bfnrt`), c); n >= 0 {
			c = "\b\f\n\r\t"[n]
		}
		s.value = append(s.value, c)
		i += 2
	}
	return s.value
}

// unicodeEscape reads \uXXXX, or two of these that form a surrogate pair.
func unicodeEscape(b []byte) (r rune, n int) {
	unit := func(b []byte) (rune, bool) {
		if len(b) < 6 || b[0] != '\\' || b[1] != 'u' {
			return 0, false
		}
		v, err := strconv.ParseUint(string(b[2:6]), 16, 16)
		return rune(v), err == nil
	}
	r, ok := unit(b)
	if !ok {
		return 0, 0
	}
	if utf16.IsSurrogate(r) {
		if low, ok := unit(b[6:]); ok {
			if pair := utf16.DecodeRune(r, low); pair != utf8.RuneError {
				return pair, 12
			}
		}
		return utf8.RuneError, 6
	}
	return r, 6
}

// urlKeys are the members of schema.org types and of JSON-LD whose values are URLs, including
// relative ones.
var urlKeys = map[string]bool{
	"@id": true, "url": true, "image": true, "logo": true, "sameAs": true, "contentUrl": true, "embedUrl": true,
	"thumbnailUrl": true, "thumbnail": true, "downloadUrl": true, "installUrl": true, "mainEntityOfPage": true,
	"item": true, "target": true, "photo": true, "screenshot": true, "hasMap": true, "menu": true, "hasMenu": true,
	"license": true, "discussionUrl": true, "relatedLink": true, "significantLink": true, "codeRepository": true,
	"primaryImageOfPage": true, "isPartOf": true, "archivedAt": true, "trailer": true, "ticketUrl": true,
}

// isLinkMember reports whether the value of a JSON-LD member is a link.
//
// An @id with a fragment, or without http, names a thing, not a document, so nothing needs to
// be there. Values at schema.org are terms of its vocabulary. A value with braces is a
// template; one with white space is prose.
func isLinkMember(key, value []byte) bool {
	if len(value) == 0 || bytes.ContainsAny(value, " \t\r\n{}") || string(key) == "@type" || string(key) == "@vocab" {
		return false
	}
	if absolute := webAddress(value); absolute != nil {
		host, _, _ := bytes.Cut(absolute, []byte{'/'})
		if equalFold(host, "schema.org") || equalFold(host, "www.schema.org") {
			return false
		}
		return string(key) != "@id" || bytes.IndexByte(value, '#') < 0
	}
	if !urlKeys[string(key)] || value[0] == '#' || bytes.IndexByte(value, '#') >= 0 && string(key) == "@id" {
		return false
	}
	segment, _, slash := bytes.Cut(value, []byte{'/'})
	return bytes.IndexByte(segment, ':') < 0 && (slash || bytes.IndexByte(value, '.') >= 0)
}

// webAddress returns the part of b after http:// or https://, or nil if b starts with
// neither.
func webAddress(b []byte) []byte {
	for _, scheme := range [...]string{"https://", "http://"} {
		if len(b) > len(scheme) && equalFold(b[:len(scheme)], scheme) {
			return b[len(scheme):]
		}
	}
	return nil
}

func isWebURL(ref []byte) bool { return webAddress(ref) != nil }

// keyName returns a key as it appears in a Link.
func keyName(key []byte) string { return string(key[:min(len(key), longestKnown)]) }

// addLinkedData adds the URLs of JSON-LD.
func (s *jsonScanner) addLinkedData(h *harvest, v *view) {
	s.reset(v.text)
	for {
		key, at, text, ok := s.next()
		if !ok {
			return
		}
		if !isLinkMember(key, text) {
			continue
		}
		f := h.add(v, at, text)
		if f == nil {
			return
		}
		f.Kind, f.Element, f.Attribute = Metadata, "script", keyName(key)
	}
}
