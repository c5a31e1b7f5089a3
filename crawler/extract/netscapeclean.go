package extract

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"unicode/utf8"

	"golang.org/x/net/html/charset"
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
		return 0, err
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

// sourceOffsets leads from offsets of a decoded document to those of its source.
type sourceOffsets struct {
	skipped int // the byte order mark
	text    []byte
	// encoded returns the length of a stretch of the text in the source; nil where
	// both are the same bytes.
	encoded func(text []byte) (int, error)
	off     int // of the text, counted up to here
	source  int
}

func newSourceOffsets(body, text []byte, name string) (*sourceOffsets, error) {
	rest, _ := cutMark(body)
	o := &sourceOffsets{skipped: len(body) - len(rest), text: text}
	if bytes.Equal(rest, text) {
		return o, nil
	}
	if name == "utf-8" {
		o.encoded = (&faultyUTF8{source: rest}).length
		return o, nil
	}
	e, _ := charset.Lookup(name)
	if e == nil {
		return nil, fmt.Errorf("write bookmarks: their encoding %s cannot be kept", name)
	}
	// Only where encoding the text gives the very source, its parts stand where
	// their encoded lengths say; one with a state, or a fault, gives something else.
	back, err := e.NewEncoder().Bytes(text)
	if err != nil || !bytes.Equal(back, rest) {
		return nil, fmt.Errorf("write bookmarks: not every byte of them is valid %s", name)
	}
	o.encoded = func(part []byte) (int, error) {
		b, err := e.NewEncoder().Bytes(part)
		return len(b), err
	}
	return o, nil
}

// at asks for offsets in rising order.
func (o *sourceOffsets) at(off int) int {
	if o.encoded == nil {
		return o.skipped + off
	}
	n, err := o.encoded(o.text[o.off:off])
	if err == nil { // the whole could be encoded
		o.off, o.source = off, o.source+n
	}
	return o.skipped + o.source
}

// faultyUTF8 is a source in which runs of bytes that are no UTF-8 stand where
// the text has U+FFFD.
type faultyUTF8 struct{ source []byte }

// length steps over a stretch of the text; the error is always nil.
func (f *faultyUTF8) length(text []byte) (int, error) {
	n := 0
	for len(text) > 0 {
		r, size := utf8.DecodeRune(text)
		text = text[size:]
		if _, faulty := utf8.DecodeRune(f.source[n:]); r != utf8.RuneError || faulty != 1 {
			n += size
			continue
		}
		for n < len(f.source) {
			if r, size := utf8.DecodeRune(f.source[n:]); r != utf8.RuneError || size != 1 {
				break
			}
			n++
		}
	}
	f.source = f.source[n:]
	return n, nil
}
