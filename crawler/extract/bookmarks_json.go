package extract

import (
	"bytes"
	"strconv"
	"time"

	"github.com/orbweaver/orbweaver/crawler/internal/lazy"
)

// chromiumFormat is the file Bookmarks in the profile of Chromium and of the browsers
// based on it (Chrome, Edge, Brave, Vivaldi, Opera).
var chromiumFormat = format{
	name:       "chromium-bookmarks",
	media:      []string{"application/json", "text/json", "text/plain"},
	extensions: []string{"json", "bak"},
	names:      []string{"bookmarks", "bookmarks.bak", "accountbookmarks"},
	sniff: func(head []byte) bool {
		return sniffJSON(head, `"roots"`) && chromiumRoots().Match(head) && !sniffFirefox(head)
	},
	mustSniff: true,
	charset:   alwaysUTF8,
	read:      readChromium,
}

// chromiumRoots matches the member with all bookmarks. Other JSON has "roots" as well, such as the
// package.json of a package that is tested with Jest, but as an array.
var chromiumRoots = lazy.Regexp(`"roots"\s*:\s*\{`)

// firefoxBackupFormat is the JSON that Firefox exports. The files in its bookmarkbackups
// directory are the same, compressed.
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

// alwaysUTF8 returns the encoding of JSON and of other formats that allow only UTF-8.
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

// A bookmarkDialect lists the keys of a bookmark tree in JSON. All other keys are
// ignored.
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

// bookmarkTree reads nested objects. Objects with a URL are bookmarks, and objects with
// children are folders.
type bookmarkTree struct {
	list    *bookmarkList
	dialect *bookmarkDialect
	tokens  jsonTokens
	values  []byte // the decoded values of the current node
}

// begin finds the root nodes and reads them. If roots is empty, the document itself is
// the root node; otherwise the members of its member with that name are.
func (t *bookmarkTree) begin(roots string) {
	defer func() {
		if t.tokens.fault != "" {
			t.list.h.fault("read bookmarks: %s", t.tokens.fault)
		}
	}()
	if e, _ := t.tokens.next(); e != jsonOpen || t.tokens.openedArray() {
		t.list.h.fault("read bookmarks: not a JSON object")
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
				t.list.h.fault("read bookmarks: the JSON object has no %q member", roots)
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

// roots reads an object whose members are nodes. Opera nests another such object,
// custom_root, in it. meta_info and sync_metadata are vendor data.
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

// treeNode collects the members of a node, which come in any order.
type treeNode struct {
	url, name, tags span // the strings in the source, without the quotes
	added           []byte
}

// node reads one object. The name applies if the object does not have its own.
func (t *bookmarkTree) node(parent int32, name string, depth int) {
	if depth == maxFolderNesting {
		t.list.h.fault("read bookmarks: folders are nested deeper than %d", maxFolderNesting)
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

// close adds a node whose members have all been read.
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
	s := foundBookmark{
		at: n.url.start, raw: t.tokens.src[n.url.start:n.url.end], ref: t.value(n.url), attribute: t.dialect.url,
		title: t.value(n.name), folder: parent, added: t.dialect.time(n.added),
	}
	if n.tags != (span{}) {
		s.tags = splitTags(string(t.value(n.tags)))
	}
	t.list.add(&s)
}

// value decodes a string into a buffer that is valid until the node is added.
func (t *bookmarkTree) value(at span) []byte {
	raw := t.tokens.src[at.start:at.end]
	if bytes.IndexByte(raw, '\\') < 0 {
		return raw
	}
	start := len(t.values)
	t.values = append(t.values, t.tokens.text(at)...)
	return t.values[start:]
}
