package extract

import (
	"bytes"
	"encoding/binary"
	"math"
	"time"
	"unicode/utf16"
)

// safariBinaryFormat is the Bookmarks.plist in Safari's profile, a binary property list.
// This package reads it object by object, without a library. In such a file many parents
// may share one child, so a few hundred bytes can make a library that builds the whole
// tree run out of memory.
var safariBinaryFormat = format{
	name:       "safari-bookmarks",
	media:      []string{"application/x-plist", "application/x-bplist", "application/x-apple-binary-plist"},
	extensions: []string{"plist"},
	names:      []string{"bookmarks.plist"},
	sniff:      func(head []byte) bool { return bytes.HasPrefix(head, []byte("bplist0")) },
	mustSniff:  true,
	binary:     true,
	read:       readSafariBinary,
}

// binaryPlist is a binary property list, version 00: objects, a table of their offsets,
// and a trailer of 32 bytes that locates the table.
//
// The existing library, howett.net/plist, does not fit. As measured with version 1.0.1,
// it copies a shared object at every use, so a file of 796 bytes whose folders each
// contain the next one twice takes 2^60 steps, and no limit can be set. Half a million
// bookmarks take 655 MiB, and a truncated file yields nothing.
type binaryPlist struct {
	body                []byte
	offsetSize, refSize int
	count, table, top   int
	visits              int // the number of objects that may still be read
}

// maxPlistVisits limits the objects that are read; shared objects count at each use. The
// limit allows far more reads for each object than a bookmark's dictionary has keys and
// values.
func maxPlistVisits(objects int) int { return min(10*MaxLinks, 1000+64*objects) }

func openBinaryPlist(body []byte) *binaryPlist {
	const trailer = 32
	if len(body) < len("bplist00")+trailer {
		return nil
	}
	t := body[len(body)-trailer:]
	p := &binaryPlist{body: body[:len(body)-trailer], offsetSize: int(t[6]), refSize: int(t[7])}
	count, top, table := binary.BigEndian.Uint64(t[8:]), binary.BigEndian.Uint64(t[16:]), binary.BigEndian.Uint64(t[24:])
	if p.offsetSize < 1 || p.offsetSize > 8 || p.refSize < 1 || p.refSize > 8 || table > uint64(len(p.body)) ||
		count > (uint64(len(p.body))-table)/uint64(p.offsetSize) || top >= count {
		return nil
	}
	p.count, p.table, p.top = int(count), int(table), int(top)
	p.visits = maxPlistVisits(p.count)
	return p
}

// bigEndian reads a big-endian number of up to eight bytes.
func bigEndian(b []byte) uint64 {
	var n uint64
	for _, c := range b {
		n = n<<8 | uint64(c)
	}
	return n
}

// object returns the kind of an object (the high four bits of its marker), its count or
// size, and the bytes that follow.
func (p *binaryPlist) object(number int) (kind byte, n int, content []byte, ok bool) {
	if number < 0 || number >= p.count || p.visits == 0 {
		return 0, 0, nil, false
	}
	p.visits--
	at := p.table + number*p.offsetSize
	offset := bigEndian(p.body[at : at+p.offsetSize])
	if offset >= uint64(p.table) {
		return 0, 0, nil, false
	}
	return parsePlistObject(p.body[offset:p.table])
}

// parsePlistObject parses the marker and the count of an object.
func parsePlistObject(content []byte) (kind byte, n int, _ []byte, ok bool) {
	marker := content[0]
	kind, n, content = marker>>4, int(marker&15), content[1:]
	if n == 15 && kind >= 4 { // the count follows as an integer
		if len(content) == 0 || content[0]>>4 != 1 || content[0]&15 > 3 {
			return 0, 0, nil, false
		}
		size := 1 << (content[0] & 15)
		if len(content) < 1+size {
			return 0, 0, nil, false
		}
		count := bigEndian(content[1 : 1+size])
		if count > uint64(len(content)) {
			return 0, 0, nil, false
		}
		n, content = int(count), content[1+size:]
	}
	return kind, n, content, true
}

// ref returns the number of the object that the i-th reference of an array or a
// dictionary points to, or -1 if there is none. A dictionary has the references of its
// keys first, then those of its values.
func (p *binaryPlist) ref(content []byte, i int) int {
	if content = content[min(len(content), i*p.refSize):]; len(content) < p.refSize {
		return -1
	}
	if n := bigEndian(content[:p.refSize]); n < uint64(p.count) {
		return int(n)
	}
	return -1
}

const (
	plistDate  = 3
	plistASCII = 5
	plistUTF16 = 6
	plistArray = 10
	plistDict  = 13
)

func (p *binaryPlist) string(number int) []byte {
	kind, n, content, ok := p.object(number)
	switch {
	case ok && kind == plistASCII && n <= len(content):
		return validUTF8(content[:n])
	case ok && kind == plistUTF16 && n <= len(content)/2:
		units := make([]uint16, n)
		for i := range units {
			units[i] = binary.BigEndian.Uint16(content[2*i:])
		}
		return []byte(string(utf16.Decode(units)))
	}
	return nil
}

// date reads a date, which is a count of seconds since 2001.
func (p *binaryPlist) date(number int) time.Time {
	kind, _, content, ok := p.object(number)
	if !ok || kind != plistDate || len(content) < 8 {
		return time.Time{}
	}
	const epoch = 978307200
	seconds := math.Float64frombits(binary.BigEndian.Uint64(content))
	if math.IsNaN(seconds) || math.Abs(seconds) > 1e12 {
		return time.Time{}
	}
	return microTime(int64((seconds + epoch) * 1e6))
}

// members calls value for each member of a dictionary.
func (p *binaryPlist) members(number int, value func(key []byte, number int)) {
	kind, n, content, ok := p.object(number)
	if !ok || kind != plistDict {
		return
	}
	for i := 0; i < n && p.visits > 0; i++ {
		value(p.string(p.ref(content, i)), p.ref(content, n+i))
	}
}

func readSafariBinary(h *harvest, in *Input) {
	list := newBookmarkList(h, in, "bookmark", bytes.Count(in.Body, []byte("://")))
	defer list.finish()
	p := openBinaryPlist(in.Body)
	if p == nil {
		h.fault("read bookmarks: the binary property list is incomplete or damaged")
		salvagePlist(list, in.Body)
		return
	}
	r := safariBinary{plist: p, list: list, open: map[int]bool{}}
	r.dict(p.top, -1, 0)
	switch {
	case p.visits == 0:
		h.fault("read bookmarks: the property list has more than %d objects", maxPlistVisits(p.count))
	case r.nodes == 0:
		h.fault("read bookmarks: the property list contains no Safari bookmarks")
	}
}

type safariBinary struct {
	plist *binaryPlist
	list  *bookmarkList
	open  map[int]bool // the dictionaries around the current one
	nodes int          // the number of dictionaries that declare themselves bookmarks or folders
}

// dict reads a dictionary as a node of the tree.
func (r *safariBinary) dict(number int, parent int32, depth int) {
	switch {
	case r.open[number]:
		r.list.h.fault("read bookmarks: a folder contains itself")
		return
	case depth == maxFolderNesting:
		r.list.h.fault("read bookmarks: folders are nested deeper than %d", maxFolderNesting)
		return
	}
	r.open[number] = true
	defer delete(r.open, number)
	p := r.plist
	m := safariNode{at: -1, folder: -1}
	p.members(number, func(key []byte, value int) {
		switch string(key) {
		case "WebBookmarkType":
			r.nodes++
		case "Title":
			m.title = p.string(value)
		case "URLString":
			m.url = p.string(value)
		case "URIDictionary":
			p.members(value, func(key []byte, value int) {
				if string(key) == "title" {
					m.name = p.string(value)
				}
			})
		case "ReadingList":
			p.members(value, func(key []byte, value int) {
				if string(key) == "DateAdded" {
					m.added = p.date(value)
				}
			})
		case "Children":
			kind, n, content, ok := p.object(value)
			if !ok || kind != plistArray {
				return
			}
			if m.folder < 0 {
				m.folder = r.list.folder(parent, "")
			}
			for i := 0; i < n && p.visits > 0; i++ {
				r.dict(p.ref(content, i), m.folder, depth+1)
			}
		}
	})
	m.addTo(r.list, parent)
}

// salvagePlist adds the URLs of a file that has lost its end, and with it the table of
// the objects and the size of references. It steps through the objects, which are stored
// one after the other, with the reference size that gets it farthest.
func salvagePlist(list *bookmarkList, body []byte) {
	body, ok := bytes.CutPrefix(body, []byte("bplist00"))
	if !ok {
		return
	}
	best, farthest := 1, 0
	for size := 1; size <= 4; size++ {
		if n := walkPlist(body, size, nil); n > farthest {
			best, farthest = size, n
		}
	}
	walkPlist(body, best, func(text []byte) {
		if bytes.Contains(text, []byte("://")) && bytes.IndexByte(text, ' ') < 0 {
			list.add(&foundBookmark{raw: validUTF8(text), at: -1, attribute: "URLString", folder: -1})
		}
	})
}

// walkPlist steps from object to object, given the size of references, and calls text for
// each ASCII string, which includes URLs. It returns the offset at which it stopped.
func walkPlist(body []byte, refSize int, text func([]byte)) int {
	for at := 0; at < len(body); {
		kind, n, content, ok := parsePlistObject(body[at:])
		if !ok {
			return at
		}
		size := 0
		switch kind {
		case 0: // null, a boolean or a fill byte
		case 1, 2, 8: // an integer, a real number, a UID
			if size = 1 << n; kind == 8 {
				size = n + 1
			}
		case plistDate:
			size = 8
		case 4, plistASCII: // data, an ASCII string
			size = n
		case plistUTF16:
			size = 2 * n
		case plistArray, 12: // a set
			size = n * refSize
		case plistDict:
			size = 2 * n * refSize
		default:
			return at
		}
		if size > len(content) {
			return at
		}
		if kind == plistASCII && text != nil {
			text(content[:size])
		}
		at = len(body) - len(content) + size
	}
	return len(body)
}
