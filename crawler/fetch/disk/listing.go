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

// Limits on what a directoryIndex caches.
const (
	maxListedNames = 1 << 20 // names of all listings together
	maxListing     = 1 << 18 // names of one directory; names beyond it are looked up one by one
	readDirBatch   = 1024
)

// entryKind says what a name in a directory is.
type entryKind uint8

const (
	entryNone    entryKind = iota
	entryFile              // a regular file
	entryDir               // a directory
	entryLink              // a symbolic link that has not been followed yet
	entrySpecial           // a device, pipe or socket
	entryDangling
	entryOutside // a symbolic link that leads out of the root
	entryLoop    // symbolic links that form a loop
	entryDenied  // a symbolic link to a target that may not be accessed
)

// match says how similar a requested name and an existing name are.
type match uint8

const (
	matchNone  match = iota
	matchFold        // they differ in letter case
	matchNorm        // they differ only in Unicode normalization
	matchExact       // the same bytes
)

// directoryIndex looks up names in directories, byte by byte on every operating system.
// It lists each directory once and compares names itself. So a file system that ignores
// letter case cannot accept a name that a web server would not find. The index is a
// snapshot: it does not see changes after a directory was listed. It is safe for
// concurrent use.
//
// Keys are paths from the root, separated by slashes and spelled exactly as in the
// directories; "" is the root itself.
type directoryIndex struct {
	tree tree

	maxNames   int // maxListedNames
	maxListing int
	texts      map[string]map[string]entryKind // what texts add to directories

	mu      sync.RWMutex
	dirs    map[string]*listing
	reading map[string]*listingRead
	names   int  // entries of all listings in dirs
	forgets bool // listings were dropped, or do not have all names

	byName fileNames
}

// tree is a part of the file system: a single directory that is never left, or the
// whole disk.
type tree interface {
	Open(name string) (*os.File, error)
	List(dir string) (*os.File, error) // opens a directory for listing
	Lstat(name string) (fs.FileInfo, error)
	Stat(name string) (fs.FileInfo, error)
}

// listing contains the names in one directory.
type listing struct {
	err     error // the directory could not be read
	partial bool  // not all names are included

	mu     sync.RWMutex // guards the values of kinds, and folded
	kinds  map[string]entryKind
	folded map[string][]string // foldKey → names; built at the first missing name
}

// addMissing adds entries whose names are not in use.
func (l *listing) addMissing(entries map[string]entryKind) {
	for name, kind := range entries {
		if _, exists := l.kinds[name]; !exists {
			l.kinds[name] = kind
		}
	}
}

func newDirectoryIndex(t tree) *directoryIndex {
	return &directoryIndex{tree: t, maxNames: maxListedNames, maxListing: maxListing, dirs: make(map[string]*listing), reading: make(map[string]*listingRead)}
}

// cached returns the listing of dir if it has been read, or nil.
func (x *directoryIndex) cached(dir string) *listing {
	x.mu.RLock()
	l := x.dirs[dir]
	x.mu.RUnlock()
	return l
}

// list returns the listing of dir, which must be spelled exactly. If another goroutine
// is reading dir, list waits for it.
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
	if r.listing.err == nil || fetch.FileLimit(r.listing.err) == nil { // limits of this machine say nothing about the directory
		x.store(dir, r.listing)
	}
	x.forgets = x.forgets || r.listing.partial || x.dirs[dir] != r.listing
	x.mu.Unlock()
	close(r.done)
	return r.listing
}

// listingRead is a listing that a goroutine is reading.
type listingRead struct {
	done    chan struct{}
	listing *listing
}

// store caches a listing and evicts others if there are too many. Callers hold mu.
func (x *directoryIndex) store(dir string, l *listing) {
	for key, old := range x.dirs {
		if x.names+len(l.kinds) <= x.maxNames {
			break
		}
		x.names -= len(old.kinds)
		delete(x.dirs, key)
		x.forgets = true
	}
	x.dirs[dir] = l
	x.names += len(l.kinds)
}

// add caches the complete entries of a directory that a caller has listed.
func (x *directoryIndex) add(dir string, entries []fs.DirEntry) {
	if len(entries) > x.maxListing {
		return
	}
	l := &listing{kinds: make(map[string]entryKind, len(entries))}
	for _, entry := range entries {
		l.kinds[entry.Name()] = kindOf(entry.Type())
	}
	l.addMissing(x.texts[dir])
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.dirs[dir] == nil {
		x.store(strings.Clone(dir), l)
	}
}

func (x *directoryIndex) read(dir string) *listing {
	l := x.readFiles(dir)
	if texts := x.texts[dir]; texts != nil {
		if os.IsNotExist(l.err) {
			l = &listing{kinds: make(map[string]entryKind)}
		}
		if l.err == nil {
			l.addMissing(texts)
		}
	}
	return l
}

func (x *directoryIndex) readFiles(dir string) *listing {
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
	case fs.ModeSymlink, fs.ModeIrregular: // a junction on Windows, or a file that is fetched when it is read
		return entryLink
	}
	return entrySpecial
}

// isRegular reports whether a file, with all links resolved, can be read. This includes
// files on Windows that another program provides.
func isRegular(mode fs.FileMode) bool { return mode.Type()&^fs.ModeIrregular == 0 }

// exact returns what name is in dir, or entryNone if it does not exist. It follows
// symbolic links.
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

// closest returns the name in l that is closest to a missing name: one with another
// Unicode normalization, or else one in another letter case.
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

// hasReadme reports whether there is a README, as in the root of a repository.
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

// foldKey maps names that differ in letter case or normalization to the same string. It
// converts to upper case first, because some letters have two lower-case forms.
func foldKey(name string) string {
	return strings.ToLower(strings.ToUpper(norm.NFC.String(name)))
}

// follow returns the kind of a symbolic link's target.
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

// location is the result of looking up a path.
type location struct {
	kind         entryKind
	rel          string // the file, spelled as in its directories
	renormalized bool   // a name has another Unicode normalization form
	folded       bool   // a name has another letter case
	err          error  // a directory on the path could not be read

	// These fields are set by a locator.
	redirect string    // "/" to append a slash to the path, "-" to remove it
	source   *renaming // from the encoded path below the base to that of the page's source
	reason   error     // if kind is entryNone: a better reason than "there is no such file"
}

// walk follows a path without a final '/' from a directory, which must be spelled
// exactly. Names must match at least as well as least. An empty path is the directory
// itself.
func (x *directoryIndex) walk(from, rel string, least match) location {
	if rel == "" {
		return location{kind: entryDir, rel: from}
	}
	// The directory has usually been listed before with the same spelling.
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

// join appends a name to a directory; the root is "".
func join(dir, name string) string {
	if dir == "" {
		return name
	}
	return dir + "/" + name
}
