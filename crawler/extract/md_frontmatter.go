package extract

import "bytes"

// frontMatter is the metadata that static site generators read at the beginning of a
// document.
type frontMatter struct {
	end   int    // the end of the metadata, where the document itself begins
	title string // the title of the document, with white space folded
}

// readFrontMatter finds YAML between lines of "---" (or up to "...") and TOML between
// lines of "+++". It does not parse them: it only reads a title on a line of its own,
// and URLs in front matter are not links of the document.
func readFrontMatter(b []byte) frontMatter {
	fence := firstLine(b)
	var yaml bool
	switch string(fence) {
	case "---":
		yaml = true
	case "+++":
	default:
		return frontMatter{}
	}
	m := frontMatter{}
	for at := nextLine(b, 0); at < len(b); {
		line := trimSpaceRight(b[at:endOfLine(b, at)])
		next := nextLine(b, at)
		if bytes.Equal(line, fence) || yaml && string(line) == "..." {
			m.end = next
			return m
		}
		if title, ok := frontMatterTitle(line, yaml); ok && m.title == "" {
			m.title = title
		}
		at = next
	}
	return frontMatter{} // never closed: a thematic break, or a line of text
}

func firstLine(b []byte) []byte { return trimSpaceRight(b[:endOfLine(b, 0)]) }

// nextLine returns the start of the line after the one that contains off.
func nextLine(b []byte, off int) int {
	off = endOfLine(b, off)
	if off < len(b) && b[off] == '\r' && off+1 < len(b) && b[off+1] == '\n' {
		off++
	}
	return min(off+1, len(b))
}

func frontMatterTitle(line []byte, yaml bool) (title string, ok bool) {
	value, ok := bytes.CutPrefix(line, []byte("title"))
	if !ok {
		return "", false
	}
	separator := byte('=')
	if yaml {
		separator = ':'
	}
	if value = trimSpace(value); len(value) < 2 || value[0] != separator {
		return "", false
	}
	value = trimSpace(value[1:])
	if n := len(value); n > 1 && (value[0] == '"' || value[0] == '\'') && value[n-1] == value[0] {
		value = value[1 : n-1]
	}
	title = string(trimFolded(foldSpace(nil, value)))
	return title, title != ""
}
