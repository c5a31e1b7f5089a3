package extract

import (
	"bytes"
	"strconv"
	"strings"
	"time"
)

// Limits of a bookmark file.
const (
	maxTags    = 100 // tags of one bookmark
	maxFolders = 200_000
	// maxFolderNesting is the maximum depth to which folders may be nested.
	maxFolderNesting = 512
	// maxFolderBytes limits the total length of the folder paths of one file. Beyond it,
	// the path of a folder is only its name.
	maxFolderBytes = 64 << 20
)

// A bookmarkList collects the bookmarks of one file. A file may contain half a million
// of them, so links and bookmarks are written directly to their final place, without the
// intermediate form of a harvest. Strings are stored in blocks, and the bookmarks of a
// folder share its path.
//
// Folders are identified by numbers, because in JSON the name of a folder may follow its
// children.
type bookmarkList struct {
	h        *harvest
	element  string // the element of the links
	links    []Link // all links, or those of the current batch if batch is set
	count    int    // the number of all links so far
	expected int
	inside   []int32 // the folder of each bookmark; in batches, the folders that have bookmarks
	blocks   [][]Bookmark
	folders  []bookmarkFolder
	batch    func(links []Link, all int) // Input.Batch

	wantLinks   bool // links are wanted, not only anchors
	full        bool
	noPositions bool // links have no line and no column
}

type bookmarkFolder struct {
	parent int32 // -1 at the root
	name   string
	path   string
	known  bool // path is set
	trash  bool // its bookmarks were deleted
}

const (
	bookmarkBlock = 1024 // bookmarks allocated at once
	bookmarkBatch = 1024 // links in a batch
)

// newBookmarkList returns a list with room for the expected number of links. It may
// receive more.
func newBookmarkList(h *harvest, in *Input, element string, expected int) *bookmarkList {
	h.doc.Static = true
	l := &bookmarkList{h: h, element: element, wantLinks: !in.AnchorsOnly, batch: in.Batch}
	l.expect(expected)
	return l
}

// expect makes room for n links.
func (l *bookmarkList) expect(n int) {
	switch l.expected = min(max(n, 0), MaxLinks); {
	case !l.wantLinks:
	case l.batch != nil:
		l.links = make([]Link, 0, min(l.expected, bookmarkBatch))
	default:
		l.links = make([]Link, 0, l.expected)
	}
}

// folder adds a folder and returns its number. All folders beyond the limit share one
// number. A folder inside a trash folder is itself trash.
func (l *bookmarkList) folder(parent int32, name string) int32 {
	if len(l.folders) == maxFolders {
		l.h.fault("read bookmarks: more than %d folders; the rest share one name", maxFolders)
		return maxFolders - 1
	}
	l.folders = append(l.folders, bookmarkFolder{parent: parent, name: name, trash: l.inTrash(parent)})
	return int32(len(l.folders) - 1)
}

func (l *bookmarkList) inTrash(folder int32) bool { return folder >= 0 && l.folders[folder].trash }

// A foundBookmark is one bookmark as a reader found it. The list copies its slices.
type foundBookmark struct {
	raw, ref     []byte // ref is nil if it equals raw
	at           int    // the offset of raw in the document, -1 if that is not text
	attribute    string
	title        []byte
	folder       int32
	added        time.Time
	tags         []string
	kind         Kind
	sameBookmark bool // a second reference of the bookmark that was added last
	line, column int  // the position if at is -1
}

// add adds a bookmark. It skips stored searches (place:) and deleted bookmarks.
func (l *bookmarkList) add(s *foundBookmark) {
	ref := s.ref
	if ref == nil {
		ref = s.raw
	}
	if len(trimSpace(ref)) == 0 || isPlaceQuery(ref) || l.inTrash(s.folder) || !l.wantLinks || l.full {
		return
	}
	if l.count == MaxLinks {
		l.full = true
		l.h.fault("read bookmarks: more than %d; the rest are ignored", MaxLinks)
		return
	}
	link := Link{
		Raw: l.h.keep(s.raw), Line: s.line, Column: s.column, Element: l.element, Attribute: s.attribute, Kind: s.kind,
	}
	switch {
	case l.batch != nil:
		l.useFolder(s.folder)
	case s.sameBookmark && len(l.links) > 0:
		link.Bookmark = l.links[len(l.links)-1].Bookmark
	default:
		link.Bookmark = l.bookmark(s)
	}
	link.Ref = link.Raw
	if s.ref != nil && !bytes.Equal(s.ref, s.raw) {
		link.Ref = l.h.keep(s.ref)
	}
	if s.at >= 0 && !l.noPositions {
		link.Line, link.Column = l.h.places.at(s.at)
	}
	var buffer [maxText]byte
	link.Text = l.h.keep(trimFolded(foldSpace(buffer[:0], s.title)))
	l.links = append(l.links, link)
	l.count++
	if l.batch != nil && len(l.links) == bookmarkBatch {
		l.flushBatch()
	}
}

// flushBatch passes the current batch on. Its strings remain valid, but the slice is
// reused.
func (l *bookmarkList) flushBatch() {
	if len(l.links) > 0 {
		l.h.doc.elsewhere = true
		l.batch(l.links, max(l.expected, l.count))
	}
	l.links = l.links[:0]
}

// useFolder records that a folder has bookmarks, because the limit on paths applies to
// such folders.
func (l *bookmarkList) useFolder(folder int32) {
	if n := len(l.inside); n == 0 || l.inside[n-1] != folder {
		l.inside = append(l.inside, folder)
	}
}

// bookmark adds the Bookmark of a link.
func (l *bookmarkList) bookmark(s *foundBookmark) *Bookmark {
	last := len(l.blocks) - 1
	if last < 0 || len(l.blocks[last]) == bookmarkBlock {
		l.blocks = append(l.blocks, make([]Bookmark, 0, bookmarkBlock))
		last++
	}
	l.blocks[last] = append(l.blocks[last], Bookmark{Added: s.added, Tags: s.tags[:min(len(s.tags), maxTags)]})
	l.inside = append(l.inside, s.folder)
	return &l.blocks[last][len(l.blocks[last])-1]
}

// finish sets the paths of the folders and hands over the links, or the last batch.
func (l *bookmarkList) finish() {
	left := maxFolderBytes
	for i, folder := range l.inside {
		if folder < 0 {
			continue
		}
		path := l.path(folder, &left)
		if l.batch == nil {
			l.blocks[i/bookmarkBlock][i%bookmarkBlock].Folder = path
		}
	}
	if left == 0 {
		l.h.fault("read bookmarks: the folder paths are longer than %d bytes in total; some are shortened to the name of the folder", maxFolderBytes)
	}
	if l.batch != nil {
		l.flushBatch()
		return
	}
	l.h.doc.Links = l.links
}

// path returns the path of a folder from the root. It first sets the paths of those
// ancestors that have none yet, starting with the outermost.
func (l *bookmarkList) path(folder int32, left *int) string {
	f := &l.folders[folder]
	if f.known {
		return f.path
	}
	var chain []int32
	for at := folder; at >= 0 && !l.folders[at].known && len(chain) <= maxFolderNesting; at = l.folders[at].parent {
		chain = append(chain, at)
	}
	if len(chain) > maxFolderNesting {
		l.h.fault("read bookmarks: folders contain each other in a cycle or are nested deeper than %d", maxFolderNesting)
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

// splitTags reads a comma-separated list of tags.
func splitTags(list string) []string {
	var tags []string
	for tag := range strings.SplitSeq(list, ",") {
		if tag = strings.TrimSpace(tag); tag != "" && len(tags) < maxTags {
			tags = append(tags, strings.Clone(tag))
		}
	}
	return tags
}

// chromiumEpoch is the epoch of Windows and Chromium, 1601-01-01, in microseconds of
// Unix time.
const chromiumEpoch = -11_644_473_600_000_000

// chromiumTime reads a count of microseconds since 1601. It returns the zero time for 0.
func chromiumTime(digits []byte) time.Time {
	n, err := strconv.ParseInt(string(digits), 10, 64)
	if err != nil || n <= 0 {
		return time.Time{}
	}
	return microTime(n + chromiumEpoch)
}

// microTime converts a count of microseconds since 1970. It returns the zero time for 0
// and for times outside the years 1 to 9999.
func microTime(n int64) time.Time {
	t := time.UnixMicro(n).UTC()
	if n == 0 || t.Year() < 1 || t.Year() > 9999 {
		return time.Time{}
	}
	return t
}

// unixTime reads a count of seconds since 1970. Some programs write milliseconds,
// microseconds or Chromium's count instead; the magnitude tells which.
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
