package extract

import (
	"bytes"
	"strconv"
	"strings"
	"time"
)

// Limits of a bookmark file.
const (
	MaxTags    = 100 // tags of one bookmark
	MaxFolders = 200_000
	// MaxFolderNesting is how deep folders may lie in folders.
	MaxFolderNesting = 512
	// MaxFolderBytes bounds the folder paths of one file together. Beyond it a
	// bookmark bears the name of its folder alone.
	MaxFolderBytes = 64 << 20
)

// A bookmarkList gathers the bookmarks of one file. A file may hold half a
// million of them, so links and bookmarks are made once, at their place, without
// the harvest's intermediate form; strings lie in blocks, and bookmarks of one folder
// share its path.
//
// Folders are numbered: in JSON the name of a folder may come after its children.
type bookmarkList struct {
	h        *harvest
	element  string // of the links
	links    []Link // of the lot at hand, where they are handed out in lots
	count    int    // of all links
	expected int
	inside   []int32 // the folder of each bookmark of blocks; in lots, those that bookmarks were met in
	blocks   [][]Bookmark
	folders  []bookmarkFolder
	lots     func(links []Link, all int) // Input.Batch

	wanted    bool // links are wanted
	full      bool
	placeless bool // links have no line and no column
}

type bookmarkFolder struct {
	parent int32 // -1 at the root
	name   string
	path   string
	known  bool
	trash  bool // its bookmarks were deleted
}

const (
	bookmarkBlock = 1024
	bookmarkLot   = 1024
)

// newBookmarkList starts a list that expects so many links; more may come.
func newBookmarkList(h *harvest, in *Input, element string, expected int) *bookmarkList {
	h.doc.Static = true
	l := &bookmarkList{h: h, element: element, wanted: !in.AnchorsOnly, lots: in.Batch}
	l.expect(expected)
	return l
}

// expect makes room for so many links.
func (l *bookmarkList) expect(n int) {
	switch l.expected = min(max(n, 0), MaxLinks); {
	case !l.wanted:
	case l.lots != nil:
		l.links = make([]Link, 0, min(l.expected, bookmarkLot))
	default:
		l.links = make([]Link, 0, l.expected)
	}
}

// folder opens a folder and returns its number. Those beyond the limit are one. What
// lies in one of deleted bookmarks was deleted, too.
func (l *bookmarkList) folder(parent int32, name string) int32 {
	if len(l.folders) == MaxFolders {
		l.h.fault("read bookmarks: more than %d folders, the rest bear one name", MaxFolders)
		return MaxFolders - 1
	}
	l.folders = append(l.folders, bookmarkFolder{parent: parent, name: name, trash: l.inTrash(parent)})
	return int32(len(l.folders) - 1)
}

func (l *bookmarkList) inTrash(folder int32) bool { return folder >= 0 && l.folders[folder].trash }

// a savedLink is one bookmark as a reader found it. The slices are copied.
type savedLink struct {
	raw, ref     []byte // ref is nil where raw is it
	at           int    // offset of raw in the document, -1 when it is no text
	attribute    string
	title        []byte
	folder       int32
	added        time.Time
	tags         []string
	kind         Kind
	ofLast       bool // a further reference of the bookmark added last
	line, column int  // where at is -1
}

// add takes a bookmark up. Queries (place:) are none, and deleted ones are left out.
func (l *bookmarkList) add(s *savedLink) {
	ref := s.ref
	if ref == nil {
		ref = s.raw
	}
	if len(trimSpace(ref)) == 0 || isPlaceQuery(ref) || l.inTrash(s.folder) || !l.wanted || l.full {
		return
	}
	if l.count == MaxLinks {
		l.full = true
		l.h.fault("read bookmarks: more than %d, the rest is left out", MaxLinks)
		return
	}
	link := Link{
		Raw: l.h.keep(s.raw), Line: s.line, Column: s.column, Element: l.element, Attribute: s.attribute, Kind: s.kind,
	}
	switch {
	case l.lots != nil:
		l.visit(s.folder)
	case s.ofLast && len(l.links) > 0:
		link.Bookmark = l.links[len(l.links)-1].Bookmark
	default:
		link.Bookmark = l.bookmark(s)
	}
	link.Ref = link.Raw
	if s.ref != nil && !bytes.Equal(s.ref, s.raw) {
		link.Ref = l.h.keep(s.ref)
	}
	if s.at >= 0 && !l.placeless {
		link.Line, link.Column = l.h.places.at(s.at)
	}
	var buffer [MaxText]byte
	link.Text = l.h.keep(trimFolded(foldSpace(buffer[:0], s.title)))
	l.links = append(l.links, link)
	l.count++
	if l.lots != nil && len(l.links) == bookmarkLot {
		l.handOut()
	}
}

// handOut gives a lot away. Its strings stay good, its memory is used again.
func (l *bookmarkList) handOut() {
	if len(l.links) > 0 {
		l.lots(l.links, max(l.expected, l.count))
	}
	l.links = l.links[:0]
}

// visit notes that bookmarks lie in a folder: the paths of such folders are bounded.
func (l *bookmarkList) visit(folder int32) {
	if n := len(l.inside); n == 0 || l.inside[n-1] != folder {
		l.inside = append(l.inside, folder)
	}
}

func (l *bookmarkList) bookmark(s *savedLink) *Bookmark {
	last := len(l.blocks) - 1
	if last < 0 || len(l.blocks[last]) == bookmarkBlock {
		l.blocks = append(l.blocks, make([]Bookmark, 0, bookmarkBlock))
		last++
	}
	l.blocks[last] = append(l.blocks[last], Bookmark{Added: s.added, Tags: s.tags[:min(len(s.tags), MaxTags)]})
	l.inside = append(l.inside, s.folder)
	return &l.blocks[last][len(l.blocks[last])-1]
}

// finish hands the links over, or the last lot, their folders named.
func (l *bookmarkList) finish() {
	left := MaxFolderBytes
	for i, folder := range l.inside {
		if folder < 0 {
			continue
		}
		path := l.path(folder, &left)
		if l.lots == nil {
			l.blocks[i/bookmarkBlock][i%bookmarkBlock].Folder = path
		}
	}
	if left == 0 {
		l.h.fault("read bookmarks: the paths of the folders are longer than %d bytes together, some are shortened to the last name", MaxFolderBytes)
	}
	if l.lots != nil {
		l.handOut()
		return
	}
	l.h.doc.Links = l.links
}

// path names a folder from the root on. Its ancestors are named first, from the
// outermost known one inwards.
func (l *bookmarkList) path(folder int32, left *int) string {
	f := &l.folders[folder]
	if f.known {
		return f.path
	}
	var chain []int32
	for at := folder; at >= 0 && !l.folders[at].known && len(chain) <= MaxFolderNesting; at = l.folders[at].parent {
		chain = append(chain, at)
	}
	if len(chain) > MaxFolderNesting {
		l.h.fault("read bookmarks: folders lie in one another in a circle, or deeper than %d", MaxFolderNesting)
	}
	for i := len(chain) - 1; i >= 0; i-- {
		f := &l.folders[chain[i]]
		f.known, f.path = true, f.name
		if f.parent < 0 {
			continue
		}
		outer := &l.folders[f.parent]
		switch {
		case outer.path == "":
		case f.name == "":
			f.path = outer.path
		case *left >= len(outer.path)+1+len(f.name):
			*left -= len(outer.path) + 1 + len(f.name)
			f.path = outer.path + "/" + f.name
		default:
			*left = 0
		}
	}
	return f.path
}

// isPlaceQuery reports whether a reference is one of Firefox's stored searches.
func isPlaceQuery(ref []byte) bool {
	ref = trimSpace(ref)
	return len(ref) >= len("place:") && equalFold(ref[:len("place:")], "place:")
}

// splitTags reads a list of tags with commas.
func splitTags(list string) []string {
	var tags []string
	for tag := range strings.SplitSeq(list, ",") {
		if tag = strings.TrimSpace(tag); tag != "" && len(tags) < MaxTags {
			tags = append(tags, strings.Clone(tag))
		}
	}
	return tags
}

// chromiumEpoch is 1601-01-01, from which Windows and Chromium count, in
// microseconds of Unix time.
const chromiumEpoch = -11_644_473_600_000_000

// chromiumTime reads a count of microseconds since 1601; zero is no time.
func chromiumTime(digits []byte) time.Time {
	n, err := strconv.ParseInt(string(digits), 10, 64)
	if err != nil || n <= 0 {
		return time.Time{}
	}
	return microTime(n + chromiumEpoch)
}

// microTime is a count of microseconds since 1970; what lies outside the years 1
// to 9999 is no time.
func microTime(n int64) time.Time {
	t := time.UnixMicro(n).UTC()
	if n == 0 || t.Year() < 1 || t.Year() > 9999 {
		return time.Time{}
	}
	return t
}

// unixTime reads a count of seconds since 1970. Some programs write milliseconds,
// microseconds or Chromium's own count: the size tells them.
func unixTime(digits []byte) time.Time {
	digits = trimSpace(digits)
	n, err := strconv.ParseInt(string(digits), 10, 64)
	switch {
	case err != nil || n <= 0:
		return time.Time{}
	case n < 1e11:
		return microTime(n * 1e6)
	case n < 1e14:
		return microTime(n * 1e3)
	case n < 1e16:
		return microTime(n)
	}
	return chromiumTime(digits)
}
