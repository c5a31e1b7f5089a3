package extract

import "bytes"

// redirectsFormat is the _redirects file of Netlify, Cloudflare Pages and others: one rule
// per line,
//
//	from [name=value…] to [status][!] [condition=value…]
//
// Hosts obey the one in the root of a site alone, so any other is only read if the user names it.
// The destinations of the rules are links. One that contains a placeholder, such as :splat,
// is filled in for each request.
var redirectsFormat = format{
	name:      "redirects",
	names:     []string{"_redirects"},
	charset:   textCharset,
	onlyNamed: true,
	read:      readRedirects,
}

func readRedirects(h *harvest, in *Input) {
	h.doc.Static = true
	if in.AnchorsOnly {
		return
	}
	b := h.src.text
	for i := 0; i < len(b); i = nextLine(b, i) {
		to, ok := redirectDestination(b[i:endOfLine(b, i)])
		if !ok {
			continue
		}
		if f := h.add(&h.src, span{i + to.start, i + to.end}, nil); f != nil {
			f.Element, f.Attribute = "redirect", "to"
			f.Placeholder = holdsRedirectPlaceholder(b[i+to.start : i+to.end])
		}
	}
}

// redirectDestination returns the place of the destination in a line, and false for a line
// that is not a rule.
func redirectDestination(line []byte) (to span, ok bool) {
	pos := skipBlanks(line, 0)
	for first := true; pos < len(line); first = false {
		end := pos
		for end < len(line) && line[end] != ' ' && line[end] != '\t' {
			end++
		}
		field := line[pos:end]
		isPath := field[0] == '/'
		switch {
		case field[0] == '#', first && !isPath:
			return to, false
		case !first && (isPath || hasWebScheme(field)):
			return span{pos, end}, true
		}
		pos = skipBlanks(line, end)
	}
	return to, false
}

func hasWebScheme(field []byte) bool {
	return bytes.HasPrefix(field, []byte("https://")) || bytes.HasPrefix(field, []byte("http://"))
}

// holdsRedirectPlaceholder reports whether a segment or a parameter of a destination is a
// name with a colon before it.
func holdsRedirectPlaceholder(to []byte) bool {
	for i := 1; i+1 < len(to); i++ {
		c := to[i+1] | 0x20
		if to[i] == ':' && (to[i-1] == '/' || to[i-1] == '=') && c >= 'a' && c <= 'z' {
			return true
		}
	}
	return false
}
