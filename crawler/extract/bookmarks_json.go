package extract

import (
	"bytes"
	"strconv"
	"time"
)

// chromiumFormat is the file Bookmarks in the profile of Chromium and the
// browsers made of it (Chrome, Edge, Brave, Vivaldi, Opera).
var chromiumFormat = format{
	name:       "chromium-bookmarks",
	media:      []string{"application/json", "text/json", "text/plain"},
	extensions: []string{"json", "bak"},
	names:      []string{"bookmarks", "bookmarks.bak", "accountbookmarks"},
	sniff: func(head []byte) bool {
		return sniffJSON(head, `"roots"`, `"bookmark_bar"`, `"checksum"`) && !sniffFirefox(head)
	},
	mustSniff: true,
	charset:   alwaysUTF8,
	read:      readChromium,
}

// firefoxBackupFormat is what Firefox exports as JSON and keeps in
// bookmarkbackups, there compressed.
var firefoxBackupFormat = format{
	name:       "firefox-bookmarks",
	media:      []string{"application/json", "text/json"},
	extensions: []string{"json"},
	sniff:      sniffFirefox,
	mustSniff:  true,
	charset:    alwaysUTF8,
	read:       readFirefoxTree,
}

func sniffFirefox(head []byte) bool {
	return sniffJSON(head, `"root________"`, `"placesRoot"`, `"text/x-moz-place`)
}

// alwaysUTF8 is the encoding of JSON and of other formats that know no other.
func alwaysUTF8([]byte) string { return "utf-8" }

func readChromium(h *harvest, in *Input) {
	list := newBookmarkList(h, in, "bookmark", bytes.Count(h.src.text, []byte(`"url":`)))
	t := bookmarkTree{list: list, dialect: &chromiumDialect}
	t.tokens.reset(h.src.text)
	t.begin("roots")
	list.finish()
}

func readFirefoxTree(h *harvest, in *Input) { readFirefoxNodes(firefoxTreeList(h, in)) }

func firefoxTreeList(h *harvest, in *Input) *bookmarkList {
	return newBookmarkList(h, in, "bookmark", bytes.Count(h.src.text, []byte(`"uri":`)))
}

func readFirefoxNodes(list *bookmarkList) {
	t := bookmarkTree{list: list, dialect: &firefoxDialect}
	t.tokens.reset(list.h.src.text)
	t.begin("")
	list.finish()
}

// A bookmarkDialect says under which keys a tree of bookmarks in JSON keeps what.
// Keys that are not listed are passed over.
type bookmarkDialect struct {
	url, name, added, tags string
	time                   func([]byte) time.Time
}

var chromiumDialect = bookmarkDialect{url: "url", name: "name", added: "date_added", time: chromiumTime}

var firefoxDialect = bookmarkDialect{
	url: "uri", name: "title", added: "dateAdded", tags: "tags",
	time: func(digits []byte) time.Time {
		n, err := strconv.ParseInt(string(digits), 10, 64)
		if err != nil {
			return time.Time{}
		}
		return microTime(n)
	},
}

// bookmarkTree reads nested objects, of which those with a URL are bookmarks and
// those with children folders.
type bookmarkTree struct {
	list    *bookmarkList
	dialect *bookmarkDialect
	tokens  jsonTokens
	values  []byte // of the node being read, decoded
}

// begin finds the node to start from: the document's own object, or the object of
// the member of that name in it, each of whose members is a root.
func (t *bookmarkTree) begin(roots string) {
	defer func() {
		if t.tokens.fault != "" {
			t.list.h.fault("read bookmarks: %s", t.tokens.fault)
		}
	}()
	if e, _ := t.tokens.next(); e != jsonOpen || t.tokens.openedArray() {
		t.list.h.fault("read bookmarks: no JSON object")
		return
	}
	if roots == "" {
		t.node(-1, "", 0)
		return
	}
	found := false
	for {
		switch e, _ := t.tokens.next(); e {
		case jsonEnd, jsonClose:
			if !found && t.tokens.fault == "" {
				t.list.h.fault("read bookmarks: no %q in it", roots)
			}
			return
		case jsonOpen:
			if t.tokens.key() == roots && !t.tokens.openedArray() {
				found = true
				t.roots(0)
			} else {
				t.tokens.skip()
			}
		}
	}
}

// roots reads an object whose members are nodes. Opera nests a further one,
// custom_root; other members are vendors' own.
func (t *bookmarkTree) roots(depth int) {
	for {
		switch e, _ := t.tokens.next(); e {
		case jsonEnd, jsonClose:
			return
		case jsonOpen:
			key := t.tokens.key()
			switch {
			case t.tokens.openedArray() || key == "meta_info" || key == "sync_metadata":
				t.tokens.skip()
			case key == "custom_root" && depth == 0:
				t.roots(depth + 1)
			default:
				t.node(-1, key, 0)
			}
		}
	}
}

// treeNode is what is known of a node until it closes: members come in any order.
type treeNode struct {
	url, name, tags span // in the source, between the quotes
	added           []byte
}

// node reads one object. Name is its name when it has none of its own.
func (t *bookmarkTree) node(parent int32, name string, depth int) {
	if depth == MaxFolderNesting {
		t.list.h.fault("read bookmarks: folders are nested deeper than %d", MaxFolderNesting)
		t.tokens.skip()
		return
	}
	self := int32(-1)
	open := func() int32 {
		if self < 0 {
			self = t.list.folder(parent, name)
			if depth == 0 && name == "trash" {
				t.list.folders[self].trash = true
			}
		}
		return self
	}
	var n treeNode
	for {
		e, at := t.tokens.next()
		switch e {
		case jsonEnd:
			t.close(&n, parent, self)
			return
		case jsonClose:
			t.close(&n, parent, self)
			return
		case jsonString, jsonLiteral:
			t.member(&n, at, e == jsonString)
		case jsonOpen:
			if t.tokens.key() == "children" && t.tokens.openedArray() {
				t.children(open(), depth+1)
			} else {
				t.tokens.skip()
			}
		}
	}
}

func (t *bookmarkTree) children(folder int32, depth int) {
	for {
		switch e, _ := t.tokens.next(); e {
		case jsonEnd, jsonClose:
			return
		case jsonOpen:
			if t.tokens.openedArray() {
				t.tokens.skip()
			} else {
				t.node(folder, "", depth)
			}
		}
	}
}

func (t *bookmarkTree) member(n *treeNode, at span, isString bool) {
	d := t.dialect
	key := t.tokens.src[t.tokens.member.start:t.tokens.member.end]
	switch {
	case string(key) == d.added:
		n.added = t.tokens.src[at.start:at.end]
	case !isString || len(key) == 0:
	case string(key) == d.url:
		n.url = at
	case string(key) == d.name:
		n.name = at
	case string(key) == d.tags:
		n.tags = at
	}
}

// close takes up a node whose members are all known.
func (t *bookmarkTree) close(n *treeNode, parent, self int32) {
	t.values = t.values[:0]
	if self >= 0 {
		if name := trimFolded(foldSpace(nil, t.tokens.text(n.name))); len(name) > 0 {
			t.list.folders[self].name = string(name)
		}
	}
	if n.url == (span{}) {
		return
	}
	s := savedLink{
		at: n.url.start, raw: t.tokens.src[n.url.start:n.url.end], ref: t.value(n.url), attribute: t.dialect.url,
		title: t.value(n.name), folder: parent, added: t.dialect.time(n.added),
	}
	if n.tags != (span{}) {
		s.tags = splitTags(string(t.value(n.tags)))
	}
	t.list.add(&s)
}

// value decodes a string into a buffer that lasts until the node is taken up.
func (t *bookmarkTree) value(at span) []byte {
	raw := t.tokens.src[at.start:at.end]
	if bytes.IndexByte(raw, '\\') < 0 {
		return raw
	}
	start := len(t.values)
	t.values = append(t.values, t.tokens.text(at)...)
	return t.values[start:]
}
