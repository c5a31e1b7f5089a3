package extract

import (
	"bytes"
	"strings"

	"github.com/orbweaver/orbweaver/urinorm"
)

// A habit says what else than a URI with its scheme counts in running text.
type habit uint8

const (
	inProse    habit = iota // hosts that begin with www.
	inMarkup                // nothing: the markup makes links of URIs only
	withMail                // mail addresses
	inMarkdown              // hosts that begin with www., and mail addresses
)

// mayHoldURI tells most stretches of text from those that need a closer look.
func mayHoldURI(b []byte) bool {
	return bytes.IndexByte(b, ':') >= 0 || bytes.IndexByte(b, '@') >= 0 || bytes.Contains(b, []byte("www.")) || bytes.Contains(b, []byte("WWW."))
}

// running notes the URIs in running text, by the rules of RFC 3986 appendix C. What
// goes on with a placeholder is none (text_placeholder.go). The element is "text".
func (h *harvest) running(v *view, how habit) {
	if !mayHoldURI(v.text) {
		return
	}
	opts := urinorm.TextOptions{WWW: how == inProse || how == inMarkdown, Mail: how == withMail || how == inMarkdown}
	for _, s := range urinorm.FindURIs(string(v.text), opts) {
		bracketed := s.Start > 0 && v.text[s.Start-1] == '<'
		if !bracketed && goesOnWithPlaceholder(v.text, s.End) || s.Kind == urinorm.SpanMail && !isMailAlone(v.text, s.Start, s.End) {
			continue
		}
		end, uri := s.End, s.URI
		if s.Kind == urinorm.SpanURI && !how.takes(uri) {
			continue
		}
		if how == inMarkdown && !bracketed {
			for end > s.Start && bytes.IndexByte([]byte("*_~.,:;!?'"), v.text[end-1]) >= 0 {
				end--
			}
			uri = uri[:max(0, len(uri)-(s.End-end))]
		}
		var ref []byte
		if uri != string(v.text[s.Start:end]) {
			ref = []byte(uri)
		}
		f := h.add(v, span{s.Start, end}, ref)
		if f == nil {
			return
		}
		f.Element = "text"
	}
}

// takes reports whether a URI counts, by its scheme. An unknown one would be a
// finding; what looks like one in running text is most often the notation of some
// program (gs://bucket), and nobody's link.
func (how habit) takes(uri string) bool {
	scheme, _, _ := strings.Cut(uri, ":")
	if how != inMarkdown {
		return urinorm.KnownScheme(scheme)
	}
	switch strings.ToLower(scheme) { // those of GitHub
	case "http", "https", "ftp", "mailto", "xmpp":
		return true
	}
	return false
}

// isMailAlone reports whether what looks like a mail address is no part of
// something longer: git@example.com:a/b.git, a/b@c.de.
func isMailAlone(b []byte, start, end int) bool {
	if start > 0 && bytes.IndexByte([]byte("/:=@#$"), b[start-1]) >= 0 {
		return false
	}
	return end >= len(b) || b[end] != '/' && !(b[end] == ':' && end+1 < len(b) && !isSpace(b[end+1]))
}
