package extract

import (
	"bytes"
	"strings"

	"github.com/orbweaver/orbweaver/urinorm"
)

// bareURIRules say which texts count as links in running text, in addition to URIs with
// a scheme.
type bareURIRules uint8

const (
	proseRules      bareURIRules = iota // hosts that begin with "www."
	markupRules                         // nothing else
	markupMailRules                     // mail addresses
	markdownRules                       // hosts that begin with "www.", and mail addresses
)

// mayHoldURI reports whether b may contain a URI. It rules out most texts cheaply.
func mayHoldURI(b []byte) bool {
	return bytes.IndexByte(b, ':') >= 0 || bytes.IndexByte(b, '@') >= 0 || bytes.Contains(b, []byte("www.")) || bytes.Contains(b, []byte("WWW."))
}

// addBareURIs adds the URIs in running text, which it finds by the rules of RFC 3986
// appendix C. Text that continues with a placeholder is not a URI (text_placeholder.go).
// The element of the links is "text".
func (h *harvest) addBareURIs(v *view, rules bareURIRules) {
	if !mayHoldURI(v.text) {
		return
	}
	opts := urinorm.TextOptions{WWW: rules == proseRules || rules == markdownRules, Mail: rules == markupMailRules || rules == markdownRules || rules == proseRules && h.input.Options.TextMail}
	for _, s := range urinorm.FindURIs(string(v.text), opts) {
		bracketed := s.Start > 0 && v.text[s.Start-1] == '<'
		if !bracketed && placeholderFollows(v.text, s.End) || s.Kind == urinorm.SpanMail && !isMailAlone(v.text, s.Start, s.End) {
			continue
		}
		end, uri := s.End, s.URI
		if s.Kind == urinorm.SpanURI && !rules.accept(uri) {
			continue
		}
		if rules == markdownRules && !bracketed {
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

// accept reports whether a URI counts as a link, by its scheme. A link with an unknown
// scheme would be reported as a problem, but an unknown scheme in running text is usually
// the notation of some program (gs://bucket) and not a link at all.
func (rules bareURIRules) accept(uri string) bool {
	scheme, _, _ := strings.Cut(uri, ":")
	if rules != markdownRules {
		return urinorm.KnownScheme(scheme)
	}
	switch strings.ToLower(scheme) { // the schemes of GitHub
	case "http", "https", "ftp", "mailto", "xmpp":
		return true
	}
	return false
}

// isMailAlone reports whether a mail address is not part of a longer construct, such as
// git@example.com:a/b.git or a/b@c.de.
func isMailAlone(b []byte, start, end int) bool {
	if start > 0 && bytes.IndexByte([]byte("/:=@#$"), b[start-1]) >= 0 {
		return false
	}
	return end >= len(b) || b[end] != '/' && !(b[end] == ':' && end+1 < len(b) && !isSpace(b[end+1]))
}
