package edit

import (
	"bytes"
	"errors"
	"fmt"
	"io"

	"github.com/orbweaver/orbweaver/crawler/extract"
)

// CleanNetscape copies a Netscape bookmark file without the bookmarks that broken
// reports, each with its DT, its description (DD) and its line; the rest is
// copied byte for byte. It returns how many it left out. Broken is asked in the order of the file, with the
// reference and the place that the Link of extract.Extract bears; it is not asked about
// stored searches (place:), which are not links and stay.
//
// The file is held in memory, extract.MaxBody bytes at most. Nothing is written when it
// is not a bookmark file, or in an encoding whose bytes cannot be told apart.
func CleanNetscape(w io.Writer, r io.Reader, broken func(href string, line, column int) bool) (removed int, err error) {
	body, err := io.ReadAll(io.LimitReader(r, extract.MaxBody+1))
	switch {
	case err != nil:
		return 0, fmt.Errorf("read bookmarks: %w", err)
	case len(body) > extract.MaxBody:
		return 0, fmt.Errorf("read bookmarks: longer than %d bytes", extract.MaxBody)
	}
	text, charset, _ := extract.Decode(extract.Input{Body: body, ContentType: "text/html"})
	type stretch struct{ start, end int }
	var cuts []stretch
	ok := extract.NetscapeBookmarks(text, func(b extract.NetscapeBookmark) {
		if broken(b.Ref, b.Line, b.Column) {
			start, end := wholeLines(text, b.Start, b.End)
			cuts = append(cuts, stretch{start, end})
		}
	})
	if !ok {
		return 0, errors.New("read bookmarks: no Netscape bookmark file")
	}
	source, err := newOffsets(body, text, charset)
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

// wholeLines widens a stretch to the lines that it fills but for white space.
func wholeLines(text []byte, start, end int) (int, int) {
	first, last := start, end
	for first > 0 && (text[first-1] == ' ' || text[first-1] == '\t') {
		first--
	}
	if first > 0 && text[first-1] != '\n' && text[first-1] != '\r' {
		return start, end
	}
	for last < len(text) && (text[last] == ' ' || text[last] == '\t') {
		last++
	}
	switch {
	case last == len(text):
	case bytes.HasPrefix(text[last:], []byte("\r\n")):
		last += 2
	case text[last] == '\n' || text[last] == '\r':
		last++
	default:
		return start, end
	}
	return first, last
}
