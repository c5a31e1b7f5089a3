package extract

import (
	"bytes"
	"errors"
	"fmt"
	"io"
)

// CleanNetscape copies a Netscape bookmark file without the bookmarks that broken
// reports, each with its DT, its description (DD) and its line; the rest is
// copied byte for byte. It returns how many it left out. Broken is asked in the order of the file, with the
// reference and the place that the Link of Extract bears; it is not asked about
// stored searches (place:), which are no links and stay.
//
// The file is held in memory, MaxBody bytes at most. Nothing is written when it
// is no bookmark file, or in an encoding whose bytes cannot be told apart.
func CleanNetscape(w io.Writer, r io.Reader, broken func(href string, line, column int) bool) (removed int, err error) {
	body, err := io.ReadAll(io.LimitReader(r, MaxBody+1))
	switch {
	case err != nil:
		return 0, fmt.Errorf("read bookmarks: %w", err)
	case len(body) > MaxBody:
		return 0, fmt.Errorf("read bookmarks: longer than %d bytes", MaxBody)
	}
	text, name := decode(body, "", htmlCharset)
	if !sniffNetscape(text) {
		return 0, errors.New("read bookmarks: no Netscape bookmark file")
	}
	cuts := brokenMarks(text, broken)
	source, err := newSourceOffsets(body, text, name)
	if err != nil {
		return 0, fmt.Errorf("write bookmarks: %w", err)
	}
	copied := 0
	for _, cut := range cuts {
		start, end := source.at(cut.start), source.at(cut.end)
		if _, err := w.Write(body[copied:start]); err != nil {
			return 0, fmt.Errorf("write bookmarks: %w", err)
		}
		copied = end
	}
	if _, err := w.Write(body[copied:]); err != nil {
		return 0, fmt.Errorf("write bookmarks: %w", err)
	}
	return len(cuts), nil
}

// brokenMarks returns the stretches of the text to leave out, in rising order.
func brokenMarks(text []byte, broken func(href string, line, column int) bool) []span {
	var cuts []span
	places := newPlaces(text)
	r := netscapeReader{text: text, folder: -1}
	r.openFolder = func(int32, string) int32 { return 0 }
	r.emit = func(m *netscapeMark) {
		ref := m.value(m.href)
		if len(trimSpace(ref)) == 0 || isPlaceQuery(ref) {
			return
		}
		if line, column := places.at(m.href.start); broken(string(ref), line, column) {
			cuts = append(cuts, wholeLines(text, span{m.start, m.end}))
		}
	}
	r.read()
	return cuts
}

// wholeLines widens a stretch to the lines it fills but for white space.
func wholeLines(text []byte, at span) span {
	start, end := at.start, at.end
	for start > 0 && (text[start-1] == ' ' || text[start-1] == '\t') {
		start--
	}
	if start > 0 && text[start-1] != '\n' && text[start-1] != '\r' {
		return at
	}
	for end < len(text) && (text[end] == ' ' || text[end] == '\t') {
		end++
	}
	switch {
	case end == len(text):
	case bytes.HasPrefix(text[end:], []byte("\r\n")):
		end += 2
	case text[end] == '\n' || text[end] == '\r':
		end++
	default:
		return at
	}
	return span{start, end}
}
