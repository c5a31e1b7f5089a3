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

// decode converts a document to UTF-8 and returns the name of its encoding. The encoding is
// determined as in the HTML standard (13.2.3.2): by a byte order mark, by the charset of the
// media type, or by fallback, which applies the format's own rule to the document.
//
// The result is valid UTF-8 without a byte order mark; bytes that cannot be decoded become
// U+FFFD. It shares memory with body if nothing had to change.
func decode(body []byte, contentType string, fallback func([]byte) string) (text []byte, name string) {
	body, name = CutByteOrderMark(body)
	if name == "" {
		name = mediaTypeCharset(contentType)
	}
	if name == "" {
		name = fallback(body)
	}
	if name == "utf-8" || isASCII(body) && !asciiIncompatible[name] {
		return validUTF8(body), name
	}
	e, err := htmlindex.Get(name)
	if err != nil || e == encoding.Nop {
		return validUTF8(body), name
	}
	switch name {
	case "iso-2022-jp":
		text, _ = CutByteOrderMark(decodeISO2022JP(body))
		return text, name
	case "iso-8859-8-i": // logical order does not change the characters
		e = charmap.ISO8859_8
	case "gbk": // the encoder omits four-byte characters, the decoder accepts them (Encoding Standard 10.1.1)
		e = simplifiedchinese.GB18030
	}
	if table, ok := e.(*charmap.Charmap); ok {
		return decodeSingleByte(table, body), name
	}
	text, err = e.NewDecoder().Bytes(body)
	if err != nil {
		text = append(text, "\uFFFD"...) // decoders replace invalid input, so this is the only error
	}
	text, _ = CutByteOrderMark(text)
	return validUTF8(text), name
}

// decodeSingleByte decodes text with a table of 256 characters. The standard's tables map
// unassigned bytes to the C1 controls; those of x/text do not. UTF-8 text that is declared as
// windows-1252 contains many such bytes, and the queries of its URLs must be encoded back to
// them.
func decodeSingleByte(table *charmap.Charmap, b []byte) []byte {
	text := make([]byte, 0, len(b)+len(b)/8)
	for len(b) > 0 {
		n := asciiLength(b)
		text = append(text, b[:n]...)
		near := b[n:min(n+64, len(b))] // asciiLength may stop early
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

// asciiIncompatible are the encodings in which bytes below 0x80 do not always mean ASCII.
var asciiIncompatible = map[string]bool{
	"utf-16le": true, "utf-16be": true, "iso-2022-jp": true, "replacement": true,
}

// CutByteOrderMark returns a document without its byte order mark, and the WHATWG name of the
// encoding that the mark indicates. The name is empty if there is no mark.
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

// validUTF8 decodes UTF-8 (Encoding Standard 8.1.1): each maximal prefix of an incomplete
// character, and each other invalid byte, becomes one U+FFFD.
func validUTF8(b []byte) []byte {
	for rest := b[asciiLength(b):]; len(rest) > 0; rest = rest[asciiLength(rest):] {
		// Non-ASCII runs are usually short, so validate only a little at a time.
		n := wholeRunes(rest, 64)
		if !utf8.Valid(rest[:n]) {
			text, _ := unicode.UTF8.NewDecoder().Bytes(b) // never fails
			return text
		}
		rest = rest[n:]
	}
	return b
}

// wholeRunes returns a length of about the given number of bytes at which b can be cut
// without splitting a rune.
func wholeRunes(b []byte, about int) int {
	if len(b) <= about {
		return len(b)
	}
	for i := about; i > about-utf8.UTFMax; i-- {
		if utf8.RuneStart(b[i]) {
			return i
		}
	}
	return about // not UTF-8
}

// mediaTypeCharset returns the encoding named by the charset parameter of a media type, or ""
// if there is none or it is unknown.
func mediaTypeCharset(contentType string) string {
	if label, ok := plainCharset(contentType); ok {
		return lookup(label)
	}
	// An invalid parameter must not hide the charset.
	if _, params, err := mime.ParseMediaType(contentType); err == nil || params != nil {
		if label, ok := params["charset"]; ok {
			return lookup([]byte(label))
		}
		return ""
	}
	return lookup(labelInContent([]byte(contentType)))
}

// plainCharset returns the charset of a media type in one of the forms that nearly all
// servers use: "text/html" alone, or "text/html; charset=utf-8".
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

// documentCharset returns the encoding for a label found inside the document.
func documentCharset(label []byte) string { return correctDocumentCharset(lookup(label)) }

// correctDocumentCharset replaces encodings that a document cannot declare for itself: if its
// meta element can be read as ASCII, the document is not in UTF-16.
func correctDocumentCharset(name string) string {
	switch name {
	case "utf-16le", "utf-16be":
		return "utf-8"
	case "x-user-defined":
		return "windows-1252"
	}
	return name
}

// lookup returns the name of the encoding that has the given label (Encoding Standard 4.2),
// or "" if there is none.
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

// htmlCharset determines the encoding of an HTML document from its content.
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

// xhtmlCharset determines the encoding of XML: that of the XML declaration, else UTF-8.
func xhtmlCharset(body []byte) string {
	if name := xmlEncoding(body[:min(len(body), prescanLength)]); name != "" {
		return name
	}
	return "utf-8"
}

// withoutPartialRune removes a character at the end that is incomplete because the document
// is truncated.
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

// lateMeta returns the encoding declared by a meta element after the first bytes. Browsers
// then start again with that encoding ("change the encoding", 13.2.3.4). Only documents that
// contain such a tag are tokenized.
func lateMeta(body []byte) string {
	if len(body) <= prescanLength || !holdsMeta(body[prescanLength-len("<meta"):]) {
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
			for i := range t.z.Token.Attributes {
				a := &t.z.Token.Attributes[i]
				decoded, _ := unescape(nil, nil, t.doc[a.ValueStart:a.ValueEnd], true)
				m.attribute(a.Name, decoded)
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
