package extract

import "unicode/utf8"

// textFormat is plain text. Its links are what the author meant as URLs, by the rules of
// RFC 3986 appendix C and by common practice, and hosts that begin with "www.". Mail
// addresses are links only on request (Options.TextMail), because too many texts mention
// them for other reasons.
var textFormat = format{
	name:       "text",
	media:      []string{"text/plain"},
	extensions: []string{"txt", "text", "log"},
	onlyNamed:  true,
	charset:    textCharset,
	read: func(h *harvest, in *Input) {
		h.doc.Static = true
		if !in.AnchorsOnly {
			h.addBareURIs(&h.src, proseRules)
		}
	},
}

// IsText reports whether the first bytes of a document are text, for documents whose format
// is not known otherwise: valid UTF-8 that is not blank and has no control characters but
// white space and escape.
func IsText(head []byte) bool {
	head = withoutPartialRune(head[:min(len(head), SniffLength)])
	blank := true
	for _, c := range head {
		switch {
		case c == ' ' || '\t' <= c && c <= '\r':
		case c < ' ' && c != '\x1b' || c == '\x7f':
			return false
		default:
			blank = false
		}
	}
	return !blank && utf8.Valid(head)
}

// textCharset returns the encoding of text that does not declare one: UTF-8 if it is
// valid, otherwise windows-1252.
func textCharset(body []byte) string {
	if utf8.Valid(withoutPartialRune(body)) {
		return "utf-8"
	}
	return "windows-1252"
}
