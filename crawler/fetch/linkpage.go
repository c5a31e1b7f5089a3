package fetch

import (
	"html"
	"io"
	"strings"
	"unicode/utf8"
)

// linkPage writes an FTP directory listing or a gopher menu as an HTML document with
// the same links, so that the reader of HTML pages can extract them.
type linkPage struct{ strings.Builder }

func newLinkPage(title string) *linkPage {
	p := &linkPage{}
	p.WriteString("<!DOCTYPE html>\n<html lang=\"\"><head><meta charset=\"utf-8\"><title>")
	p.WriteString(escapeText(title))
	p.WriteString("</title></head>\n<body><ul>\n")
	return p
}

// link adds a link. href is percent-encoded; text is as sent by the server.
func (p *linkPage) link(href, text string) {
	p.WriteString("<li><a href=\"")
	p.WriteString(html.EscapeString(href))
	p.WriteString("\">")
	p.WriteString(escapeText(text))
	p.WriteString("</a></li>\n")
}

// line adds a line without a link.
func (p *linkPage) line(text string) {
	p.WriteString("<li>")
	p.WriteString(escapeText(text))
	p.WriteString("</li>\n")
}

// body completes the document and returns it.
func (p *linkPage) body() io.Reader {
	p.WriteString("</ul></body></html>\n")
	return strings.NewReader(p.String())
}

const linkPageType = "text/html;charset=utf-8"

// escapeText converts any bytes to text for an HTML document. It treats bytes that are
// not UTF-8 as Latin-1 and replaces control characters with blanks.
func escapeText(s string) string {
	var b strings.Builder
	for len(s) > 0 {
		r, size := utf8.DecodeRuneInString(s)
		if r == utf8.RuneError && size == 1 {
			r = rune(s[0])
		}
		if r < 0x20 || r >= 0x7F && r < 0xA0 {
			r = ' '
		}
		b.WriteRune(r)
		s = s[size:]
	}
	return html.EscapeString(b.String())
}

// escapeSegment percent-encodes all bytes that are not unreserved (RFC 3986 section
// 2.3). The result is always a single path segment, never a scheme, a parameter or a
// query.
func escapeSegment(name string) string { return escapeBut(name, "") }

// escapeBut is like escapeSegment but keeps some more characters.
func escapeBut(s, kept string) string {
	const hex = "0123456789ABCDEF"
	var b strings.Builder
	for i := range len(s) {
		c := s[i]
		if 'a' <= c|0x20 && c|0x20 <= 'z' || '0' <= c && c <= '9' || strings.IndexByte("-._~", c) >= 0 || strings.IndexByte(kept, c) >= 0 {
			b.WriteByte(c)
			continue
		}
		b.WriteByte('%')
		b.WriteByte(hex[c>>4])
		b.WriteByte(hex[c&15])
	}
	return b.String()
}
