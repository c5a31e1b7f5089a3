package extract

import (
	"bytes"

	"github.com/orbweaver/orbweaver/crawler/internal/htmltoken"
)

// netscapeFormat is the bookmark file that every browser exports, named after the first
// browser that wrote it. There is no standard; Chrome, Firefox, Safari, Delicious and
// Pinboard each write a dialect.
var netscapeFormat = format{
	name:       "netscape-bookmarks",
	media:      []string{"text/html"},
	extensions: []string{"html", "htm"},
	sniff:      sniffNetscape,
	mustSniff:  true,
	charset:    htmlCharset,
	read:       readNetscape,
	pieces:     true,
}

const netscapeDoctype = "<!doctype netscape-bookmark-file-1"

func sniffNetscape(head []byte) bool {
	head = trimByteOrderMark(head)
	head = head[skipSpace(head, 0):]
	if len(head) < len(netscapeDoctype) {
		return false
	}
	for i := range len(netscapeDoctype) {
		c := netscapeDoctype[i]
		if lowerByte(head[i]) != c && !(c == ' ' && isSpace(head[i])) {
			return false
		}
	}
	return true
}

// readNetscape adds the HREF of each bookmark and, if there is one, its feed (FEEDURL,
// FEED). Its icon (ICON_URI) is not a link: icons concern only the browser, and a missing
// icon does not break a bookmark.
func readNetscape(h *harvest, in *Input) {
	expected := countFold(h.src.text, "href")
	r := netscapeReader{text: h.src.text, folder: -1}
	if h.pieces != nil {
		expected = int(float64(expected) * max(1, float64(in.Length)/float64(max(1, len(h.src.text)))))
		r.more = h.more
	}
	list := newBookmarkList(h, in, "a", expected)
	r.tokens.slowPath = h.slowPath
	r.pending.folder = -1
	r.openFolder = list.folder
	r.emit = func(m *netscapeBookmark) {
		s := foundBookmark{
			attribute: "href", at: m.href.start, raw: m.source(m.href), ref: m.value(m.href),
			title: m.title, folder: m.folder, added: unixTime(m.value(m.added)),
		}
		if m.tags != (span{}) {
			s.tags = splitTags(string(m.value(m.tags)))
		}
		if s.added.IsZero() {
			s.added = unixTime(m.value(m.modified))
		}
		before := list.count
		list.add(&s)
		if ref := m.value(m.feed); !isPlaceQuery(s.ref) {
			s.attribute, s.at, s.raw, s.ref = "feedurl", m.feed.start, m.source(m.feed), ref
			s.kind, s.sameBookmark = Metadata, list.count > before
			list.add(&s)
		}
	}
	r.read()
	switch {
	case r.tooDeep:
		h.fault("read bookmarks: folders are nested deeper than %d", maxFolderNesting)
	case len(r.open) > 0: // every browser closes all folders
		h.fault("read bookmarks: the file ends inside a folder")
	}
	h.doc.Title = string(trimFolded(foldSpace(nil, r.title)))
	list.finish()
}

// more reads another piece of the document, like pieces.more.
func (h *harvest) more(from int) (text []byte, ok bool) {
	line, column := h.places.at(from)
	if !h.pieces.more(from) {
		return h.src.text, false
	}
	h.src.text = h.pieces.text
	h.places = newPlacesFrom(h.src.text, line, column)
	return h.src.text, true
}

// countFold counts the attributes with a name, regardless of case. The name must be in
// lower case.
func countFold(b []byte, word string) int {
	n := 0
	for {
		i := bytes.IndexByte(b, '=')
		if i < 0 {
			return n
		}
		if i >= len(word) && equalFold(b[i-len(word):i], word) {
			n++
		}
		b = b[i+1:]
	}
}

// NetscapeBookmarks calls each, in order, for those bookmarks of a Netscape bookmark file
// that Extract returns as links: with the Ref and the place of the link, the offset of its DT in the
// text, or of its A if it has no DT, and the end of its description, or of its title if it has no
// description. The text is the file in UTF-8, as Decode returns it. NetscapeBookmarks reports
// whether the text is such a file.
func NetscapeBookmarks(text []byte, each func(l Link, start, end int)) bool {
	if !sniffNetscape(text) {
		return false
	}
	places := newPlaces(text)
	r := netscapeReader{text: text, folder: -1}
	r.openFolder = func(int32, string) int32 { return 0 }
	r.emit = func(m *netscapeBookmark) {
		ref := m.value(m.href)
		if len(trimSpace(ref)) == 0 || isPlaceQuery(ref) {
			return
		}
		line, column := places.at(m.href.start)
		each(Link{Ref: string(ref), Line: line, Column: column}, m.start, m.end)
	}
	r.read()
	return true
}

// netscapeBookmark is one A element with its attributes and its title. Positions are
// offsets in the text.
type netscapeBookmark struct {
	text                              []byte
	start, end                        int // from DT, or A, to the end of the title or the description
	href, feed, added, modified, tags span
	title                             []byte
	folder                            int32
	open                              bool
}

func (m *netscapeBookmark) source(at span) []byte { return m.text[at.start:at.end] }

// value returns the value of an attribute with character references decoded.
func (m *netscapeBookmark) value(at span) []byte {
	raw := m.source(at)
	if !needsUnescape(raw) {
		return raw
	}
	value, _ := unescape(nil, nil, raw, true)
	return value
}

// netscapeReader reads a bookmark file from its tokens rather than from a tree, because
// DT, DD and P are never closed and parsers build different trees. The H1 element names
// the root folder; any other heading names the folder whose DL (or UL, MENU) follows.
type netscapeReader struct {
	text       []byte
	tokens     tokens
	openFolder func(parent int32, name string) int32
	emit       func(*netscapeBookmark)

	current netscapeBookmark
	title   []byte
	heading []byte
	inside  netscapeText
	folder  int32   // the open folder, -1 for none
	open    []int32 // the folders around it
	pending struct {
		named  bool
		folder int32
	}
	tooDeep bool
	content htmltoken.Element // whose content is next and is text
	item    int               // the start of the last DT, -1 if another element followed it

	// more, if it is not nil, reads text that follows and discards the text before an
	// offset. It reports false at the end of the document.
	more func(from int) (text []byte, ok bool)
}

// netscapeText says where the text being read belongs.
type netscapeText uint8

const (
	textOutside netscapeText = iota
	textTitle                // the title of the document
	textHeading
	textBookmark
	textDescription
)

func (r *netscapeReader) read() {
	r.tokens.reset(r.text)
	r.item = -1
	for {
		switch r.next() {
		case eventEnd:
			r.flush()
			return
		case eventStartTag:
			r.startTag()
			r.discard()
		case eventEndTag:
			r.endTag()
		case eventText:
			r.gather()
		}
	}
}

// next returns the next event. An event at the very end of the text may be incomplete, so
// next reads it again with more text.
func (r *netscapeReader) next() event {
	for {
		end, content := r.tokens.end, r.content
		r.content = htmltoken.Unknown
		e := r.tokens.next()
		if r.more == nil || e != eventEnd && r.tokens.end < len(r.text) || !r.readMore(0) {
			return e
		}
		r.tokens.end, r.content = end, content
		r.tokens.z.Enter(content)
	}
}

// discard discards the text before an item, where no bookmark is open, if it is at least
// half of the text.
func (r *netscapeReader) discard() {
	if at := r.tokens.start; r.more != nil && r.item == at && at >= len(r.text)/2 && r.readMore(at) {
		r.tokens.start, r.tokens.end, r.item = 0, r.tokens.end-at, 0
	}
}

// readMore reads more text and discards the text before an offset.
func (r *netscapeReader) readMore(from int) bool {
	text, ok := r.more(from)
	if !ok {
		r.more = nil
		return false
	}
	r.text = text
	r.tokens.doc, r.tokens.tag.doc = text, text
	r.tokens.z.Continue(text, r.tokens.end-from)
	return true
}

func (r *netscapeReader) gather() {
	raw := r.tokens.raw()
	switch r.inside {
	case textTitle:
		r.title = appendDecoded(r.title, raw)
	case textHeading:
		r.heading = appendDecoded(r.heading, raw)
	case textBookmark:
		r.current.title = appendDecoded(r.current.title, raw)
		r.extend(raw)
	case textDescription:
		r.extend(raw)
	}
}

// extend moves the end of the bookmark to the end of a text, without trailing white
// space.
func (r *netscapeReader) extend(raw []byte) {
	if trimmed := bytes.TrimRight(raw, " \t\r\n\f"); len(trimmed) > 0 {
		r.current.end = r.tokens.start + len(trimmed)
	}
}

// appendDecoded appends text with character references decoded, up to a limit.
func appendDecoded(dst, raw []byte) []byte {
	const enough = 8000
	if len(dst) >= enough {
		return dst
	}
	dst, _ = unescape(dst, nil, raw[:min(len(raw), enough)], false)
	return dst
}

func (r *netscapeReader) startTag() {
	raw := r.tokens.raw()
	var buffer [longestKnown]byte
	at := tagName(raw)
	name := string(appendLower(buffer[:0], raw[at.start:min(at.end, at.start+longestKnown)]))
	if name != "title" {
		r.tokens.z.Enter(htmltoken.Unknown) // a title that holds "<script>" is still a title
	} else {
		r.content = htmltoken.Title
	}
	switch name {
	case "a":
		r.flush()
		r.anchor()
	case "dt":
		r.flush()
		r.item, r.inside = r.tokens.start, textOutside
	case "dd":
		if r.current.open {
			r.current.end, r.inside = r.tokens.end, textDescription
		}
		r.item = -1
	case "h1", "h2", "h3", "h4", "h5", "h6":
		r.flush()
		r.item, r.inside, r.heading = -1, textHeading, r.heading[:0]
	case "dl", "ul", "menu":
		r.flush()
		r.openList()
	case "hr":
		r.flush()
		r.item = -1
	case "title":
		if r.title == nil {
			r.inside = textTitle
		}
	case "p":
	default:
		if r.inside == textDescription { // br and the like
			r.current.end = r.tokens.end
		}
	}
}

func (r *netscapeReader) endTag() {
	raw := r.tokens.raw()
	var buffer [longestKnown]byte
	at := tagName(raw)
	switch string(appendLower(buffer[:0], raw[at.start:min(at.end, at.start+longestKnown)])) {
	case "a":
		if r.current.open && r.inside == textBookmark {
			r.current.end, r.inside = r.tokens.end, textOutside
		}
	case "h1", "h2", "h3", "h4", "h5", "h6":
		if r.inside == textHeading {
			r.endHeading(raw[at.end-1])
		}
	case "dl", "ul", "menu":
		r.flush()
		r.closeList()
	case "title":
		r.inside = textOutside
	case "dt", "dd":
		if r.current.open && r.inside == textDescription {
			r.current.end, r.inside = r.tokens.end, textOutside
		}
	}
}

func (r *netscapeReader) endHeading(level byte) {
	r.inside = textOutside
	name := string(trimFolded(foldSpace(nil, r.heading)))
	if level == '1' && len(r.open) == 0 && r.folder < 0 {
		r.folder = r.openFolder(-1, name) // even without a list: Safari does not write one
		return
	}
	r.pending.named, r.pending.folder = true, r.openFolder(r.folder, name)
}

// openList opens the folder of a list, which the heading before it names. A list without
// a heading belongs to the folder that is already open.
func (r *netscapeReader) openList() {
	r.item = -1
	if len(r.open) < maxFolderNesting {
		r.open = append(r.open, r.folder)
	} else {
		r.tooDeep = true // the end tag of this list also closes the list around it
	}
	if r.pending.named {
		r.folder, r.pending.named = r.pending.folder, false
	}
}

func (r *netscapeReader) closeList() {
	r.item = -1
	if n := len(r.open); n > 0 {
		r.folder = r.open[n-1]
		r.open = r.open[:n-1]
	}
	r.pending.named = false
}

// anchor begins a bookmark with the start tag of an A element.
func (r *netscapeReader) anchor() {
	m := &r.current
	*m = netscapeBookmark{
		text: r.text, title: m.title[:0],
		start: r.tokens.start, end: r.tokens.end, folder: r.folder, open: true,
	}
	if r.item >= 0 {
		m.start = r.item
	}
	r.item, r.inside = -1, textBookmark
	for _, a := range r.tokens.z.Token.Attributes {
		value := span{a.ValueStart, a.ValueEnd}
		switch string(a.Name) {
		case "href":
			m.href = value
		case "feedurl", "feed":
			if m.feed == (span{}) {
				m.feed = value
			}
		case "add_date":
			m.added = value
		case "last_modified":
			m.modified = value
		case "tags":
			m.tags = value
		}
	}
}

// flush emits the current bookmark, which is complete now.
func (r *netscapeReader) flush() {
	if r.current.open {
		r.emit(&r.current)
		r.current.open = false
	}
	if r.inside == textBookmark || r.inside == textDescription {
		r.inside = textOutside
	}
}
