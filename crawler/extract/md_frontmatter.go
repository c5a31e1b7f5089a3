package extract

import "bytes"

// matter is the metadata that static site generators put in front of a document.
type matter struct {
	end   int    // where the document begins
	title string // its title, white space folded
}

// frontMatter finds YAML between lines of "---" (or up to "...") and TOML between
// lines of "+++". It is not parsed: a title on a line of its own is all that is
// read, and URLs in it are no links of the document.
func frontMatter(b []byte) matter {
	fence := firstLine(b)
	var yaml bool
	switch string(fence) {
	case "---":
		yaml = true
	case "+++":
	default:
		return matter{}
	}
	m := matter{}
	for at := nextLine(b, 0); at < len(b); {
		line := trimSpaceRight(b[at:endOfLine(b, at)])
		next := nextLine(b, at)
		if bytes.Equal(line, fence) || yaml && string(line) == "..." {
			m.end = next
			return m
		}
		if title, ok := matterTitle(line, yaml); ok && m.title == "" {
			m.title = title
		}
		at = next
	}
	return matter{} // it has no end: a thematic break, or a line of text
}

func firstLine(b []byte) []byte { return trimSpaceRight(b[:endOfLine(b, 0)]) }

// nextLine returns where the line behind that at off begins.
func nextLine(b []byte, off int) int {
	off = endOfLine(b, off)
	if off < len(b) && b[off] == '\r' && off+1 < len(b) && b[off+1] == '\n' {
		off++
	}
	return min(off+1, len(b))
}

func matterTitle(line []byte, yaml bool) (title string, ok bool) {
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
