package disk

import (
	"bytes"
	"strings"
)

// ignorePattern is one line of a .gitignore file (gitignore(5)).
type ignorePattern struct {
	negated  bool   // "!": do not ignore
	dirOnly  bool   // a final "/": directories only
	nameOnly bool   // without "/": the last name of the path counts, at any depth
	prefix   string // the literal beginning
	rest     wildcard
	never    bool // malformed: matches nothing
	exact    bool // the pattern is the prefix alone
}

// parsePatterns parses the content of a .gitignore file.
func parsePatterns(text []byte, fold bool) []ignorePattern {
	text = bytes.TrimPrefix(text, []byte("\ufeff"))
	var patterns []ignorePattern
	for len(text) > 0 {
		var line []byte
		line, text, _ = bytes.Cut(text, []byte("\n"))
		if line = bytes.TrimSuffix(line, []byte("\r")); len(line) > 0 && line[0] != '#' {
			patterns = append(patterns, parsePattern(trimBlanks(line), fold))
		}
	}
	return patterns
}

// trimBlanks removes final spaces that are not escaped by a backslash.
func trimBlanks(line []byte) []byte {
	end := 0
	for i := 0; i < len(line); i++ {
		switch line[i] {
		case ' ':
			continue
		case '\\':
			i++
		}
		end = min(i+1, len(line))
	}
	return line[:end]
}

func parsePattern(line []byte, fold bool) (p ignorePattern) {
	line, p.negated = bytes.CutPrefix(line, []byte("!"))
	line, p.dirOnly = bytes.CutSuffix(line, []byte("/"))
	p.nameOnly = bytes.IndexByte(line, '/') < 0
	line = bytes.TrimPrefix(line, []byte("/"))
	special := bytes.IndexAny(line, `*?[\`)
	if p.exact = special < 0; p.exact {
		special = len(line)
	}
	p.prefix = string(line[:special])
	if fold {
		p.prefix = string(foldCase(line[:special]))
	}
	var ok bool
	p.rest, ok = compileWildcard(line[special:], !p.nameOnly, fold)
	p.never = !ok
	return p
}

// foldCase returns a copy with the letters of ASCII in lower case, as git compares names if
// core.ignoreCase is set.
func foldCase(text []byte) []byte {
	text = bytes.Clone(text)
	for i, c := range text {
		if 'A' <= c && c <= 'Z' {
			text[i] = c | 0x20
		}
	}
	return text
}

// match reports whether the pattern matches a path, given relative to the directory of
// its file.
func (p *ignorePattern) match(path string, dir bool) bool {
	if p.never || p.dirOnly && !dir {
		return false
	}
	if p.nameOnly {
		path = path[strings.LastIndexByte(path, '/')+1:]
	}
	rest, ok := strings.CutPrefix(path, p.prefix)
	if !ok || p.exact {
		return ok && rest == ""
	}
	return p.rest.match(rest)
}
