package disk

import (
	"path"
	"path/filepath"
	"strings"
	"sync"
)

// Ignore tells which files below a directory are left out: those that git ignores, and those that
// .ignore files name. A .ignore file has the patterns of gitignore(5) and counts as in ripgrep and
// similar programs: in the directory of the file and below, in a work tree or not, for files that git
// tracks, too, and before what git says, so that "!name" brings back what git ignores. Ignore reads the
// patterns of each directory once and may not see later changes. It is safe for concurrent use.
type Ignore struct {
	dir string // the directory itself

	mu        sync.Mutex
	levels    map[string]*ignoreLevel // by directory, relative to dir; "" is dir itself
	leavesOut bool                    // an answer was that a file is left out
}

// ignoreLevel is what applies to the entries of a directory.
type ignoreLevel struct {
	git *level // nil outside of a work tree
	own *ownPatterns
}

// ownPatterns are those of the .ignore files of a directory and of those above. A nil *ownPatterns
// has no pattern.
type ownPatterns struct {
	name   string // of the directory
	rules  []ignorePattern
	parent *ownPatterns
}

// OpenIgnore returns the Ignore of a directory. What git says does not count if git ignores the directory
// itself: who names it wants what is in it.
func OpenIgnore(dir string) (*Ignore, error) {
	abs, err := filepath.Abs(dir)
	if err != nil {
		return nil, err
	}
	if abs, err = filepath.EvalSymlinks(abs); err != nil {
		return nil, err
	}
	top := &ignoreLevel{gitLevelOf(abs), ownPatternsOf(abs)}
	return &Ignore{dir: abs, levels: map[string]*ignoreLevel{"": top}}, nil
}

func ownPatternsOf(dir string) *ownPatterns {
	var above *ownPatterns
	if parent := filepath.Dir(dir); parent != dir {
		above = ownPatternsOf(parent)
	}
	return above.enter(dir)
}

// enter returns the patterns of a subdirectory. Most directories have none.
func (o *ownPatterns) enter(dir string) *ownPatterns {
	rules := readOwnPatterns(filepath.Join(dir, ".ignore"), false)
	if o == nil && len(rules) == 0 {
		return nil
	}
	return &ownPatterns{filepath.Base(dir), rules, o}
}

// Root returns the root of the work tree that contains the directory, as a path without symbolic
// links; the empty string if there is none, or if git ignores the directory.
func (t *Ignore) Root() string {
	if t == nil || t.levels[""].git == nil {
		return ""
	}
	return t.levels[""].git.work.root
}

// LeavesOut reports whether Ignored has reported a file or directory as left out.
func (t *Ignore) LeavesOut() bool {
	if t == nil {
		return false
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.leavesOut
}

// Ignored reports whether a file or directory is left out. rel is its path relative to
// the directory of the Ignore, separated by slashes. Everything below an ignored directory
// is ignored. A nil *Ignore ignores nothing.
func (t *Ignore) Ignored(rel string, dir bool) bool {
	if t == nil || rel == "" {
		return false
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	parent, name := path.Split(rel)
	at := t.level(strings.TrimSuffix(parent, "/"))
	ignored := at == nil || at.ignores(name, dir)
	t.leavesOut = t.leavesOut || ignored
	return ignored
}

// level returns the level of a directory, or nil if the directory is ignored and
// contains nothing that git tracks.
func (t *Ignore) level(rel string) *ignoreLevel {
	if at, ok := t.levels[rel]; ok {
		return at
	}
	parent, name := path.Split(rel)
	at := t.level(strings.TrimSuffix(parent, "/"))
	if at != nil {
		if at.ignores(name, true) {
			at = nil
		} else {
			at = at.enter(filepath.Join(t.dir, filepath.FromSlash(rel)), name)
		}
	}
	t.levels[rel] = at
	return at
}

// enter returns the level of a subdirectory that is not left out.
func (l *ignoreLevel) enter(dir, name string) *ignoreLevel {
	below := &ignoreLevel{own: l.own.enter(dir)}
	if l.git != nil {
		named := l.own.match(name, true) != nil // brought back, with its content
		below.git = l.git.enter(name, !named && (l.git.ignored || l.git.matches(name, true)))
	}
	return below
}

// ignores reports whether an entry of the level's directory is left out.
func (l *ignoreLevel) ignores(name string, dir bool) bool {
	if p := l.own.match(name, dir); p != nil {
		return !p.negated
	}
	return l.git != nil && l.git.ignores(name, dir)
}

// match returns the last pattern of the deepest file that matches an entry, or nil.
func (o *ownPatterns) match(rel string, dir bool) *ignorePattern {
	for at := o; at != nil; at = at.parent {
		if p := lastMatch(at.rules, rel, dir); p != nil {
			return p
		}
		rel = at.name + "/" + rel
	}
	return nil
}
