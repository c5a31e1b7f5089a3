package urinorm

import (
	"strings"
	"unicode/utf8"
)

// MIMEType is a parsed MIME type (MIME Sniffing Standard 4.1). Type, Subtype and
// the names of parameters are in lower case, values as written.
type MIMEType struct {
	Type, Subtype string
	Params        []MIMEParam
}

// MIMEParam is a parameter of a MIME type, such as charset=utf-8.
type MIMEParam struct{ Name, Value string }

// Essence returns "type/subtype".
func (m MIMEType) Essence() string { return m.Type + "/" + m.Subtype }

// Param returns the value of a parameter, whose name is given in lower case.
func (m MIMEType) Param(name string) (string, bool) {
	for _, p := range m.Params {
		if p.Name == name {
			return p.Value, true
		}
	}
	return "", false
}

// String returns the serialized type (MIME Sniffing Standard 4.5).
func (m MIMEType) String() string {
	var b strings.Builder
	b.WriteString(m.Essence())
	for _, p := range m.Params {
		b.WriteString(";" + p.Name + "=")
		if p.Value != "" && isHTTPToken(p.Value) {
			b.WriteString(p.Value)
			continue
		}
		b.WriteByte('"')
		for i := range len(p.Value) {
			if c := p.Value[i]; c == '"' || c == '\\' {
				b.WriteByte('\\')
			}
			b.WriteByte(p.Value[i])
		}
		b.WriteByte('"')
	}
	return b.String()
}

// maxMIMEParams is the most parameters that ParseMIME keeps; it ignores the others.
const maxMIMEParams = 1000

// ParseMIME parses a MIME type as browsers parse a Content-Type (MIME Sniffing
// Standard 4.4). It reports false if the type or the subtype is missing or
// invalid. Malformed parameters are ignored, and so are all but the first of the
// same name. Bytes that are not UTF-8 count as one character each.
func ParseMIME(s string) (MIMEType, bool) {
	const whitespace = "\t\n\r "
	s = strings.Trim(s, whitespace)
	kind, rest, found := strings.Cut(s, "/")
	if !found || kind == "" || !isHTTPToken(kind) {
		return MIMEType{}, false
	}
	subtype, rest, more := strings.Cut(rest, ";")
	subtype = strings.TrimRight(subtype, whitespace)
	if subtype == "" || !isHTTPToken(subtype) {
		return MIMEType{}, false
	}
	m := MIMEType{Type: rfcLowerASCII(kind), Subtype: rfcLowerASCII(subtype)}
	seen := make(map[string]bool)
	for more {
		rest = strings.TrimLeft(rest, whitespace)
		end := strings.IndexAny(rest, ";=")
		if end < 0 {
			break // the last name has no value
		}
		name := rfcLowerASCII(rest[:end])
		hasValue := rest[end] == '='
		rest = rest[end+1:]
		if !hasValue {
			continue
		}
		var value string
		var quoted bool
		if quoted = strings.HasPrefix(rest, `"`); quoted {
			value, rest = httpQuotedString(rest)
			_, rest, more = strings.Cut(rest, ";")
		} else {
			value, rest, more = strings.Cut(rest, ";")
			value = strings.TrimRight(value, whitespace)
		}
		if name == "" || value == "" && !quoted || !isHTTPToken(name) || !isQuotable(value) ||
			seen[name] || len(m.Params) == maxMIMEParams {
			continue
		}
		seen[name] = true
		m.Params = append(m.Params, MIMEParam{name, value})
	}
	return m, true
}

// httpQuotedString reads a quoted string (Fetch Standard 2.2, "collect an HTTP
// quoted string") and returns its value and what follows it.
func httpQuotedString(s string) (value, rest string) {
	var b strings.Builder
	for i := 1; i < len(s); i++ {
		switch s[i] {
		case '"':
			return b.String(), s[i+1:]
		case '\\':
			if i+1 == len(s) {
				b.WriteByte('\\') // nothing left to escape
				break
			}
			i++
			b.WriteByte(s[i])
		default:
			b.WriteByte(s[i])
		}
	}
	return b.String(), ""
}

// isHTTPToken reports whether s contains only HTTP token code points.
func isHTTPToken(s string) bool {
	for i := range len(s) {
		if !rfcIs(s[i], rfcAlpha|rfcDigit) && strings.IndexByte("!#$%&'*+-.^_`|~", s[i]) < 0 {
			return false
		}
	}
	return true
}

// isQuotable reports whether s contains only HTTP quoted-string token code points:
// tab, and the characters from space to U+00FF except DEL. A byte that is not
// UTF-8 is the character with its value.
func isQuotable(s string) bool {
	for s != "" {
		c, size := utf8.DecodeRuneInString(s)
		if stray := c == utf8.RuneError && size == 1; !stray && c != '\t' && (c < ' ' || c == 0x7F || c > 0xFF) {
			return false
		}
		s = s[size:]
	}
	return true
}
