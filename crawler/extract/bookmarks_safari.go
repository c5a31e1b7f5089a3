package extract

import (
	"bytes"
	"strings"
	"time"
)

// safariFormat is Safari's Bookmarks.plist as XML, whose links have positions.
var safariFormat = format{
	name:       "safari-bookmarks",
	media:      []string{"application/x-plist", "application/xml", "text/xml"},
	extensions: []string{"plist", "xml"},
	sniff:      func(head []byte) bool { return rootOf(head) == "plist" },
	mustSniff:  true,
	charset:    xhtmlCharset,
	read:       readSafariXML,
}

// safariNode is one dictionary of the tree: a bookmark or a folder.
type safariNode struct {
	title, name []byte
	url         []byte // decoded
	raw         []byte // as written; nil if it equals url
	at          int    // the offset of url, -1 in a binary file
	added       time.Time
	folder      int32 // the folder of its children, -1 if it has none
}

// addTo adds a dictionary whose members have all been read to the list.
func (m *safariNode) addTo(list *bookmarkList, parent int32) {
	if m.folder >= 0 {
		list.folders[m.folder].name = string(trimFolded(foldSpace(nil, m.title)))
	}
	if len(m.url) == 0 {
		return
	}
	title := m.name
	if len(title) == 0 {
		title = m.title
	}
	if len(title) == 0 {
		title = m.url
	}
	s := foundBookmark{raw: m.raw, ref: m.url, at: m.at, attribute: "URLString", title: title, folder: parent, added: m.added}
	if s.raw == nil {
		s.raw, s.ref = m.url, nil
	}
	list.add(&s)
}

// safariXML reads the property list, whose members come in any order.
type safariXML struct {
	h      *harvest
	list   *bookmarkList
	tokens xmlTokens
	nodes  int // the number of dictionaries that declare themselves bookmarks or folders
}

func readSafariXML(h *harvest, in *Input) {
	r := safariXML{h: h, list: newBookmarkList(h, in, "bookmark", bytes.Count(h.src.text, []byte("<key>URLString</key>")))}
	r.tokens.reset(h.src.text)
	for {
		e, name := r.next()
		if e == xmlEnd {
			break
		}
		if e == xmlStartTag && name == "dict" && !r.tokens.selfClosing {
			r.dict(-1, 0)
			break
		}
	}
	switch {
	case r.tokens.fault != "":
		h.fault("read bookmarks: %s", r.tokens.fault)
	case !bytes.HasSuffix(trimSpace(h.src.text), []byte("</plist>")):
		h.fault("read bookmarks: unexpected end of the property list")
	case r.nodes == 0:
		h.fault("read bookmarks: the property list contains no Safari bookmarks")
	}
	r.list.finish()
}

// next returns the next tag. It skips everything between tags.
func (r *safariXML) next() (e xmlEvent, name string) {
	for {
		switch e = r.tokens.next(); e {
		case xmlEnd:
			return e, ""
		case xmlStartTag, xmlEndTag:
			return e, lowerLocalName(r.h.src.text[r.tokens.name.start:r.tokens.name.end])
		}
	}
}

// dict reads the members of a dictionary, up to its end tag, as a node of the tree.
func (r *safariXML) dict(parent int32, depth int) {
	m := safariNode{at: -1, folder: -1}
	if depth == maxFolderNesting {
		r.h.fault("read bookmarks: folders are nested deeper than %d", maxFolderNesting)
		r.skip()
		return
	}
	r.members(func(key, kind string) bool {
		switch {
		case key == "Children" && kind == "array":
			if m.folder < 0 {
				m.folder = r.list.folder(parent, "")
			}
			r.children(m.folder, depth+1)
		case key == "URIDictionary" && kind == "dict":
			r.members(func(key, kind string) bool {
				if key == "title" && kind == "string" {
					_, m.name, _ = r.string()
					return true
				}
				return false
			})
		case key == "ReadingList" && kind == "dict":
			r.readingList(&m)
		case kind == "string" && key == "Title":
			_, m.title, _ = r.string()
		case kind == "string" && key == "URLString":
			m.raw, m.url, m.at = r.string()
		case kind == "string" && key == "WebBookmarkType":
			r.nodes++
			return false
		default:
			return false
		}
		return true
	})
	m.addTo(r.list, parent)
}

func (r *safariXML) readingList(m *safariNode) {
	r.members(func(key, kind string) bool {
		switch {
		case key == "DateAdded" && kind == "date":
			_, date, _ := r.string()
			if t, err := time.Parse(time.RFC3339, string(trimSpace(date))); err == nil {
				m.added = t.UTC()
			}
		default:
			return false
		}
		return true
	})
}

// members calls value for each member whose value is not empty. The function either reads
// the whole value and returns true, or leaves it unread and returns false.
func (r *safariXML) members(value func(key, kind string) bool) {
	var key []byte
	for {
		switch e, name := r.next(); {
		case e != xmlStartTag:
			return
		case r.tokens.selfClosing:
		case name == "key":
			_, key, _ = r.string()
		case !value(strings.TrimSpace(string(key)), name):
			r.skip()
		}
	}
}

func (r *safariXML) children(folder int32, depth int) {
	for {
		switch e, name := r.next(); {
		case e != xmlStartTag:
			return
		case r.tokens.selfClosing:
		case name == "dict":
			r.dict(folder, depth)
		default:
			r.skip()
		}
	}
}

// skip skips to the end tag of the element that was just opened.
func (r *safariXML) skip() {
	for depth := 1; depth > 0; {
		switch e, _ := r.next(); {
		case e == xmlEnd:
			return
		case e == xmlEndTag:
			depth--
		case !r.tokens.selfClosing:
			depth++
		}
	}
}

// string reads the text of the element that was just opened, and its end tag. It returns
// the offset of the text as at.
func (r *safariXML) string() (raw, text []byte, at int) {
	at = r.tokens.end
	end := at
	for {
		switch r.tokens.next() {
		case xmlText:
			if text == nil {
				at = r.tokens.text.start
			}
			end = r.tokens.text.end
			piece := r.h.src.text[r.tokens.text.start:r.tokens.text.end]
			if r.tokens.literal {
				text = append(text, piece...)
			} else {
				text, _ = unescape(text, nil, piece, true)
			}
		case xmlEnd, xmlEndTag:
			return r.h.src.text[at:end], text, at
		}
	}
}
