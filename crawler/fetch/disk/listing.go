package disk

import (
	"io"
	"io/fs"
	"os"
	"strings"
	"sync"

	"github.com/orbweaver/orbweaver/crawler/fetch"
	"golang.org/x/text/unicode/norm"
)

// Bounds of what a directoryIndex remembers.
const (
	maxListedNames = 1 << 20 // names of all listings together
	maxListing     = 1 << 18 // names of one directory; beyond that the file system is asked by name
	readDirBatch   = 1024
)

// entryKind says what a name in a directory stands for.
type entryKind uint8

const (
	entryNone    entryKind = iota
	entryFile              // a regular file
	entryDir               // a directory
	entryLink              // a symbolic link nobody followed yet
	entrySpecial           // a device, a pipe, a socket
	entryDangling
	entryOutside // a symbolic link that leads out of the root
	entryLoop    // symbolic links that lead in a circle
	entryDenied  // a symbolic link to where we may not look
)

// match says how alike a name asked for and a name found are.
type match uint8

const (
	matchNone  match = iota
	matchFold        // they differ in letter case
	matchNorm        // they differ only in Unicode normalization
	matchExact       // the same bytes
)

// directoryIndex answers which names a directory holds, byte for byte on every
// operating system: it lists each directory once and compares names itself, so a
// file system that ignores letter case can't vouch for a name that a web server
// would not know. It is a snapshot: what changes after a directory was listed is
// not seen. It is safe for concurrent use.
//
// Keys are slash-separated paths from the root, "" for the root itself, and hold
// only names as the directories spell them.
type directoryIndex struct {
	tree tree

	maxNames   int // maxListedNames
	maxListing int

	mu      sync.RWMutex
	dirs    map[string]*listing
	reading map[string]*listingRead
	names   int // entries of all listings in dirs
}

// tree is a part of the file system: a directory that is not left, or a whole disk.
type tree interface {
	Open(name string) (*os.File, error)
	List(dir string) (*os.File, error) // opened to be listed
	Lstat(name string) (fs.FileInfo, error)
	Stat(name string) (fs.FileInfo, error)
}

// listing is what one directory holds.
type listing struct {
	err     error // the directory could not be read
	partial bool  // there are more names than were kept

	mu     sync.RWMutex // guards entries' values and folded
	kinds  map[string]entryKind
	folded map[string][]string // foldKey → names; built when a name is first missed
}

func newDirectoryIndex(t tree) *directoryIndex {
	return &directoryIndex{tree: t, maxNames: maxListedNames, maxListing: maxListing, dirs: make(map[string]*listing), reading: make(map[string]*listingRead)}
}

// cached returns the listing of dir if it has been read.
func (x *directoryIndex) cached(dir string) *listing {
	x.mu.RLock()
	l := x.dirs[dir]
	x.mu.RUnlock()
	return l
}

// list returns the listing of dir, which must be spelt exactly. Who asks while it is
// being read waits for it.
func (x *directoryIndex) list(dir string) *listing {
	if l := x.cached(dir); l != nil {
		return l
	}
	x.mu.Lock()
	if l := x.dirs[dir]; l != nil {
		x.mu.Unlock()
		return l
	}
	if r := x.reading[dir]; r != nil {
		x.mu.Unlock()
		<-r.done
		return r.listing
	}
	r := &listingRead{done: make(chan struct{})}
	dir = strings.Clone(dir)
	x.reading[dir] = r
	x.mu.Unlock()

	r.listing = x.read(dir)
	x.mu.Lock()
	delete(x.reading, dir)
	if r.listing.err == nil || fetch.FileLimit(r.listing.err) == nil { // our own limits say nothing of the directory
		x.store(dir, r.listing)
	}
	x.mu.Unlock()
	close(r.done)
	return r.listing
}

// listingRead is a listing that somebody is about to read.
type listingRead struct {
	done    chan struct{}
	listing *listing
}

// store remembers a listing, and forgets others when there are too many. Callers hold mu.
func (x *directoryIndex) store(dir string, l *listing) {
	for key, old := range x.dirs {
		if x.names+len(l.kinds) <= x.maxNames {
			break
		}
		x.names -= len(old.kinds)
		delete(x.dirs, key)
	}
	x.dirs[dir] = l
	x.names += len(l.kinds)
}

// add takes over what somebody else has listed: all of a directory's entries.
func (x *directoryIndex) add(dir string, entries []fs.DirEntry) {
	if len(entries) > x.maxListing {
		return
	}
	l := &listing{kinds: make(map[string]entryKind, len(entries))}
	for _, entry := range entries {
		l.kinds[entry.Name()] = kindOf(entry.Type())
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.dirs[dir] == nil {
		x.store(strings.Clone(dir), l)
	}
}

func (x *directoryIndex) read(dir string) *listing {
	f, err := x.tree.List(dir)
	if err != nil {
		return &listing{err: err}
	}
	defer f.Close()
	l := &listing{kinds: make(map[string]entryKind)}
	for {
		entries, err := f.ReadDir(readDirBatch)
		for _, entry := range entries {
			l.kinds[entry.Name()] = kindOf(entry.Type())
		}
		switch {
		case err == io.EOF:
			return l
		case err != nil:
			return &listing{err: err}
		case len(l.kinds) > x.maxListing:
			l.partial = true
			return l
		}
	}
}

func kindOf(mode fs.FileMode) entryKind {
	switch mode.Type() {
	case 0:
		return entryFile
	case fs.ModeDir, fs.ModeDir | fs.ModeIrregular:
		return entryDir
	case fs.ModeSymlink, fs.ModeIrregular: // a junction of Windows, or a file that is fetched when it is read
		return entryLink
	}
	return entrySpecial
}

// isRegular reports whether a file that was opened, or found behind all links, can be
// read like any other. Those of Windows that another program supplies can.
func isRegular(mode fs.FileMode) bool { return mode.Type()&^fs.ModeIrregular == 0 }

// exact returns what name stands for in dir, entryNone when it is not there.
// Symbolic links are followed.
func (x *directoryIndex) exact(l *listing, dir, name string) entryKind {
	l.mu.RLock()
	kind := l.kinds[name]
	l.mu.RUnlock()
	switch {
	case kind == entryLink:
		kind = x.follow(join(dir, name))
		l.mu.Lock()
		l.kinds[name] = kind
		l.mu.Unlock()
	case kind == entryNone && l.partial:
		info, err := x.tree.Lstat(join(dir, name))
		if err != nil {
			return entryNone
		}
		if kind = kindOf(info.Mode()); kind == entryLink {
			kind = x.follow(join(dir, name))
		}
	}
	return kind
}

// closest returns the name in l that is closest to name, when no name is the same:
// one in another normalization form, else one in another letter case.
func (l *listing) closest(name string) (string, match) {
	l.mu.Lock()
	if l.folded == nil {
		l.folded = make(map[string][]string, len(l.kinds))
		for have := range l.kinds {
			key := foldKey(have)
			l.folded[key] = append(l.folded[key], have)
		}
	}
	candidates := l.folded[foldKey(name)]
	l.mu.Unlock()

	best, how := "", matchNone
	composed := norm.NFC.String(name)
	for _, have := range candidates {
		m := matchFold
		if norm.NFC.String(have) == composed {
			m = matchNorm
		}
		if m > how || m == how && have < best {
			best, how = have, m
		}
	}
	return best, how
}

// hasReadme reports whether there is a README, as the root of a repository has.
func (l *listing) hasReadme() bool {
	l.mu.RLock()
	defer l.mu.RUnlock()
	for name, kind := range l.kinds {
		stem, _, _ := strings.Cut(name, ".")
		if strings.EqualFold(stem, "readme") && (kind == entryFile || kind == entryLink) {
			return true
		}
	}
	return false
}

// foldKey maps names that differ in letter case or normalization to one string.
// Upper case first, so that letters with two lower-case forms meet.
func foldKey(name string) string {
	return strings.ToLower(strings.ToUpper(norm.NFC.String(name)))
}

// follow says where a symbolic link leads.
func (x *directoryIndex) follow(rel string) entryKind {
	info, err := x.tree.Stat(rel)
	switch {
	case err == nil && isRegular(info.Mode()):
		return entryFile
	case err == nil:
		return kindOf(info.Mode())
	case isEscape(err):
		return entryOutside
	case isLinkLoop(err):
		return entryLoop
	case os.IsPermission(err):
		return entryDenied
	}
	return entryDangling
}

// location is what a path leads to.
type location struct {
	kind         entryKind
	rel          string // the file, as its directories spell it
	renormalized bool   // a name was found in another Unicode normalization form
	folded       bool   // a name was found in another letter case
	err          error  // a directory on the way could not be read

	// What a site makes of it:
	redirect string                   // "/" to put a slash at the end of the path, "-" to take it off
	source   func(path string) string // the encoded path, from the base on, of what the page is made of
	reason   error                    // more than "there is no such file", when kind is entryNone
}

// walk follows a path without '/' at its end, name by name, from a directory on
// (itself spelt exactly), taking names that match at least as well as least. An
// empty path is the directory.
func (x *directoryIndex) walk(from, rel string, least match) location {
	if rel == "" {
		return location{kind: entryDir, rel: from}
	}
	// The directory is mostly one that was met before, by the same spelling.
	if slash := strings.LastIndexByte(rel, '/'); slash >= 0 && from == "" {
		if l := x.cached(rel[:slash]); l != nil && l.err == nil {
			if kind := x.exact(l, rel[:slash], rel[slash+1:]); kind != entryNone {
				return location{kind: kind, rel: rel}
			}
		}
	}
	at := location{rel: from}
	for rest := rel; ; {
		name, tail, more := strings.Cut(rest, "/")
		l := x.list(at.rel)
		if l.err != nil {
			return location{err: l.err}
		}
		kind := x.exact(l, at.rel, name)
		if kind == entryNone {
			like, how := l.closest(name)
			if how < least || how == matchNone {
				return location{}
			}
			kind = x.exact(l, at.rel, like)
			name = like
			at.renormalized = at.renormalized || how == matchNorm
			at.folded = at.folded || how == matchFold
		}
		at.rel, at.kind = join(at.rel, name), kind
		if !more {
			return at
		}
		switch kind {
		case entryDir:
		case entryFile, entrySpecial:
			return location{}
		default:
			return location{kind: kind}
		}
		rest = tail
	}
}

// join puts a name behind a directory; the root is "".
func join(dir, name string) string {
	if dir == "" {
		return name
	}
	return dir + "/" + name
}
