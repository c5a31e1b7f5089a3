package extract

import (
	"bytes"
	"mime"
	"strings"
	"unicode/utf8"

	"golang.org/x/net/html/charset"
	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/htmlindex"
	"golang.org/x/text/encoding/simplifiedchinese"
	"golang.org/x/text/encoding/unicode"
)

// decode turns a document into UTF-8 and names the encoding it was in. The encoding is
// found as the HTML standard has it (13.2.3.2): a byte order mark; the charset of the
// media type; what fallback, the format's own rule, finds in the document.
//
// The result is valid UTF-8 without a byte order mark: what does not decode is
// U+FFFD. It shares memory with body where nothing had to change.
func decode(body []byte, contentType string, fallback func([]byte) string) (text []byte, name string) {
	body, name = CutByteOrderMark(body)
	if name == "" {
		name = declaredOutside(contentType)
	}
	if name == "" {
		name = fallback(body)
	}
	if name == "utf-8" || isASCII(body) && !unlikeASCII[name] {
		return validUTF8(body), name
	}
	e, err := htmlindex.Get(name)
	if err != nil || e == encoding.Nop {
		return validUTF8(body), name
	}
	switch name {
	case "iso-8859-8-i": // the logical order changes no character
		e = charmap.ISO8859_8
	case "gbk": // it is written without the characters of four bytes, but read with them (Encoding Standard 10.1.1)
		e = simplifiedchinese.GB18030
	}
	if table, ok := e.(*charmap.Charmap); ok {
		return decodeSingleByte(table, body), name
	}
	text, err = e.NewDecoder().Bytes(body)
	if err != nil {
		text = append(text, "\uFFFD"...) // decoders replace what is faulty; none fails for another reason
	}
	text, _ = CutByteOrderMark(text)
	return validUTF8(text), name
}

// decodeSingleByte decodes by a table of 256 characters. The standard's tables map
// to the C1 controls what means nothing else; those of x/text do not. UTF-8 that was
// declared windows-1252 is full of these, and its queries are encoded back.
func decodeSingleByte(table *charmap.Charmap, b []byte) []byte {
	text := make([]byte, 0, len(b)+len(b)/8)
	for len(b) > 0 {
		n := asciiLength(b)
		text = append(text, b[:n]...)
		near := b[n:min(n+64, len(b))] // asciiLength is rough
		b = b[n+len(near):]
		for _, c := range near {
			r := table.DecodeByte(c)
			if r == utf8.RuneError && c <= 0x9F {
				r = rune(c)
			}
			text = utf8.AppendRune(text, r)
		}
	}
	return text
}

// unlikeASCII are the encodings in which bytes below 0x80 may mean something else
// than in ASCII.
var unlikeASCII = map[string]bool{
	"utf-16le": true, "utf-16be": true, "iso-2022-jp": true, "replacement": true,
}

// CutByteOrderMark returns a document without its byte order mark, and the WHATWG name of
// the encoding that the mark stands for, which is empty without one.
func CutByteOrderMark(body []byte) (rest []byte, name string) {
	switch {
	case bytes.HasPrefix(body, []byte("\xEF\xBB\xBF")):
		return body[3:], "utf-8"
	case bytes.HasPrefix(body, []byte("\xFE\xFF")):
		return body[2:], "utf-16be"
	case bytes.HasPrefix(body, []byte("\xFF\xFE")):
		return body[2:], "utf-16le"
	}
	return body, ""
}

// validUTF8 decodes UTF-8 (Encoding Standard 8.1.1): each longest beginning of a
// character that does not end, and each other faulty byte, is one U+FFFD.
func validUTF8(b []byte) []byte {
	for rest := b[asciiLength(b):]; len(rest) > 0; rest = rest[asciiLength(rest):] {
		// What is not ASCII is seldom much: a little is looked at closely.
		n := wholeRunes(rest, 64)
		if !utf8.Valid(rest[:n]) {
			text, _ := unicode.UTF8.NewDecoder().Bytes(b) // fails at nothing
			return text
		}
		rest = rest[n:]
	}
	return b
}

// wholeRunes is how many of b's first bytes, about so many, cut no rune in two.
func wholeRunes(b []byte, about int) int {
	if len(b) <= about {
		return len(b)
	}
	for i := about; i > about-utf8.UTFMax; i-- {
		if utf8.RuneStart(b[i]) {
			return i
		}
	}
	return about // no UTF-8
}

// declaredOutside reads the charset parameter of a media type; "" when there is
// none that is known.
func declaredOutside(contentType string) string {
	if label, ok := plainCharset(contentType); ok {
		return lookup(label)
	}
	// A faulty parameter elsewhere must not hide the charset.
	if _, params, err := mime.ParseMediaType(contentType); err == nil || params != nil {
		if label, ok := params["charset"]; ok {
			return lookup([]byte(label))
		}
		return ""
	}
	return lookup(labelInContent([]byte(contentType)))
}

// plainCharset returns the charset of a media type as nearly all servers write it:
// "text/html" alone, or "text/html; charset=utf-8".
func plainCharset(contentType string) (label []byte, ok bool) {
	media, parameter, more := strings.Cut(contentType, ";")
	for i := range len(media) {
		if c := media[i]; !isAlphanumeric(c) && strings.IndexByte("/+-.", c) < 0 {
			return nil, false
		}
	}
	if !more {
		return nil, !strings.Contains(media, "charset")
	}
	const name = "charset="
	parameter = strings.TrimLeft(parameter, " ")
	if len(parameter) <= len(name) || !strings.EqualFold(parameter[:len(name)], name) || strings.Count(media, "/") != 1 {
		return nil, false
	}
	parameter = parameter[len(name):]
	for i := range len(parameter) {
		if c := parameter[i]; !isAlphanumeric(c) && c != '-' && c != '_' {
			return nil, false
		}
	}
	return []byte(parameter), true
}

// declaredInside returns the encoding for a label that the document itself bears.
func declaredInside(label []byte) string { return notFromInside(lookup(label)) }

// notFromInside corrects what no document can say of itself: one whose meta
// element can be read as ASCII is not in UTF-16.
func notFromInside(name string) string {
	switch name {
	case "utf-16le", "utf-16be":
		return "utf-8"
	case "x-user-defined":
		return "windows-1252"
	}
	return name
}

// lookup returns the name of the encoding that a label stands for (Encoding
// Standard 4.2), "" when there is none.
func lookup(label []byte) string {
	label = trimSpace(label)
	if len(label) == 0 {
		return ""
	}
	if equalFold(label, "utf-8") {
		return "utf-8"
	}
	if !isASCII(label) {
		return "" // charset.Lookup would trim Unicode's white space too
	}
	_, name := charset.Lookup(string(label))
	return name
}

// htmlCharset finds the encoding of an HTML document from what is inside.
func htmlCharset(body []byte) string {
	if name := prescan(body); name != "" {
		return name
	}
	if name := lateMeta(body); name != "" {
		return name
	}
	if body = withoutPartialRune(body); isASCII(body) || !utf8.Valid(body) {
		return "windows-1252"
	}
	return "utf-8"
}

// xhtmlCharset is that of XML: what the declaration says, else UTF-8.
func xhtmlCharset(body []byte) string {
	if name := xmlEncoding(body[:min(len(body), prescanned)]); name != "" {
		return name
	}
	return "utf-8"
}

// withoutPartialRune takes off a character that the end of a truncated document
// cuts in two.
func withoutPartialRune(b []byte) []byte {
	for i := 1; i <= utf8.UTFMax && i <= len(b); i++ {
		if c := b[len(b)-i]; utf8.RuneStart(c) {
			if !utf8.FullRune(b[len(b)-i:]) {
				return b[:len(b)-i]
			}
			break
		}
	}
	return b
}

// lateMeta finds the encoding that a meta element behind the first bytes
// declares: there browsers begin anew with it ("change the encoding",
// 13.2.3.4). Only a document that holds such a tag at all is tokenized.
func lateMeta(body []byte) string {
	if len(body) <= prescanned || !holdsMeta(body[prescanned-len("<meta"):]) {
		return ""
	}
	var t tokens
	t.reset(body)
	t.skip = skipText
	for {
		switch t.next() {
		case eventEnd:
			return ""
		case eventStartTag:
			if t.tag.element.role != roleMeta {
				continue
			}
			var m metaCharset
			raw := t.raw()
			s := attributeScanner{tag: raw, pos: tagName(raw).end}
			for {
				name, value, ok := s.next()
				if !ok {
					break
				}
				decoded, _ := unescape(nil, nil, raw[value.start:value.end], true)
				m.attribute(raw[name.start:name.end], decoded)
			}
			if encoding := m.encoding(); encoding != "" {
				return encoding
			}
		}
	}
}

func holdsMeta(b []byte) bool {
	for {
		n := bytes.IndexByte(b, '<')
		if n < 0 || n+len("<meta") > len(b) {
			return false
		}
		if equalFold(b[n:n+len("<meta")], "<meta") {
			return true
		}
		b = b[n+1:]
	}
}
