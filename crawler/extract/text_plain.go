package extract

import "unicode/utf8"

// Plain text: what its writer meant as a URL, by the rules of RFC 3986 appendix C
// and the habits of writers, and hosts that begin with "www.". Mail addresses are
// not taken: they stand in too many texts that are no links.
var textFormat = format{
	name:       "text",
	media:      []string{"text/plain"},
	extensions: []string{"txt", "text", "log"},
	onlyNamed:  true,
	charset:    textCharset,
	read: func(h *harvest, in *Input) {
		h.doc.Static = true
		if !in.AnchorsOnly {
			h.running(&h.src, inProse)
		}
	},
}

// textCharset is that of text which says nothing of its encoding: UTF-8 when it is
// valid, else windows-1252.
func textCharset(body []byte) string {
	if utf8.Valid(withoutPartialRune(body)) {
		return "utf-8"
	}
	return "windows-1252"
}
