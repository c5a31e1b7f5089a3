package fix

import (
	"bytes"
	"errors"
	"fmt"
	"io"

	"github.com/orbweaver/orbweaver/crawler/extract"
)

// CleanNetscape copies a Netscape bookmark file without the bookmarks for which broken
// returns true. It removes a bookmark with its DT, its description (DD) and its line, and
// copies the rest byte for byte. It returns the number of removed bookmarks. It calls
// broken in the order of the file, with the reference and the position of the Link that
// extract.Extract returns. It does not call broken for stored searches (place:), which are
// not links and are never removed.
//
// The file is read into memory and may have at most extract.MaxBody bytes. Nothing is
// written if it is not a bookmark file, or if its encoding makes it impossible to locate
// the bookmarks in the source.
func CleanNetscape(w io.Writer, r io.Reader, broken func(href string, line, column int) bool) (removed int, err error) {
	body, err := io.ReadAll(io.LimitReader(r, extract.MaxBody+1))
	switch {
	case err != nil:
		return 0, fmt.Errorf("read bookmarks: %w", err)
	case len(body) > extract.MaxBody:
		return 0, fmt.Errorf("read bookmarks: longer than %d bytes", extract.MaxBody)
	}
	text, charset, _ := extract.Decode(extract.Input{Body: body, ContentType: "text/html"})
	type span struct{ start, end int }
	var cuts []span
	ok := extract.NetscapeBookmarks(text, func(l extract.Link, start, end int) {
		if broken(l.Ref, l.Line, l.Column) {
			start, end = expandToLines(text, start, end)
			cuts = append(cuts, span{start, end})
		}
	})
	if !ok {
		return 0, errors.New("read bookmarks: not a Netscape bookmark file")
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

// expandToLines expands a range of text to whole lines if they contain nothing else but
// white space.
func expandToLines(text []byte, start, end int) (int, int) {
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
