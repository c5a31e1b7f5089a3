package disk

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
)

// level holds what applies to the entries of a directory.
type level struct {
	work    *ignoringTree
	parent  *level // with the patterns of the directories above, in the same work tree
	in      string // the directory of patterns relative to the root of the work tree, with a final "/" unless empty
	ignored bool   // git ignores the directory, so only what it tracks counts
	rules   []ignorePattern
}

// ignoringTree is a repository, and the patterns that apply to all of its directories.
type ignoringTree struct {
	repository *gitRepository
	root       string // absolute
	exclude    []ignorePattern
	excludes   []ignorePattern // of core.excludesFile, which exclude overrides
	reading    sync.Once
	names      []string // of tracked files, when they were read
}

// gitLevelOf returns the level of a directory, whose path is absolute and without symbolic links. It
// returns nil if the directory is in no work tree, or if git ignores the directory itself: who names
// it wants what is in it.
func gitLevelOf(dir string) *level {
	var below []string // from the root of the work tree down to the directory
	for root := dir; ; root = filepath.Dir(root) {
		if r := openRepository(root); r != nil {
			at := newWorkTree(r, root).top()
			for i := len(below) - 1; i >= 0; i-- {
				if at.ignores(below[i], true) {
					return nil
				}
				at = at.enter(below[i], false)
			}
			return at
		}
		if root == filepath.Dir(root) {
			return nil
		}
		below = append(below, filepath.Base(root))
	}
}

func newWorkTree(r *gitRepository, root string) *ignoringTree {
	w := &ignoringTree{repository: r, root: root}
	w.exclude = w.read(filepath.Join(r.common, "info", "exclude"))
	if r.excludesFile != "" {
		w.excludes = w.read(r.excludesFile)
	}
	return w
}

// tracked returns the names that git tracks, sorted by their octets.
func (w *ignoringTree) tracked() []string {
	w.reading.Do(func() { w.names = w.repository.trackedNames() })
	return w.names
}

// read returns the patterns of a file; none if it cannot be read.
func (w *ignoringTree) read(file string) []ignorePattern {
	return readPatterns(file, w.repository.fold)
}

// readPatterns returns the patterns of a file; none if it cannot be read.
func readPatterns(file string, fold bool) []ignorePattern {
	text, err := readGitFile(file)
	if err != nil {
		return nil
	}
	return parsePatterns(text, fold)
}

// top returns the level of the root.
func (w *ignoringTree) top() *level { return (&level{work: w}).withRules() }

// withRules adds the patterns in the level's directory. A linked .gitignore does not
// count.
func (l *level) withRules() *level {
	l.rules = readOwnPatterns(filepath.Join(l.work.root, filepath.FromSlash(l.in), ".gitignore"), l.work.repository.fold)
	return l
}

// readOwnPatterns is readPatterns for a file in a tree, which must not be a link.
func readOwnPatterns(file string, fold bool) []ignorePattern {
	if info, err := os.Lstat(file); err != nil || !info.Mode().IsRegular() {
		return nil
	}
	return readPatterns(file, fold)
}

// enter returns the level of a subdirectory.
func (l *level) enter(name string, ignored bool) *level {
	in := l.in + name
	if r := openRepository(filepath.Join(l.work.root, filepath.FromSlash(in))); r != nil {
		return newWorkTree(r, filepath.Join(l.work.root, filepath.FromSlash(in))).top()
	}
	below := &level{work: l.work, parent: l, in: in + "/", ignored: ignored}
	if ignored {
		return below
	}
	return below.withRules()
}

// ignores reports whether git ignores an entry of the level's directory: if a pattern
// says so, and git tracks neither it nor anything in it.
func (l *level) ignores(name string, dir bool) bool {
	return (l.ignored || l.matches(name, dir)) && !l.tracks(name, dir)
}

// matches reports whether the last pattern that matches an entry says to ignore it.
func (l *level) matches(name string, dir bool) bool {
	rel := l.in + name
	if l.work.repository.fold {
		rel = string(foldCase([]byte(rel)))
	}
	for at := l; at != nil; at = at.parent {
		if p := lastMatch(at.rules, rel[len(at.in):], dir); p != nil {
			return !p.negated
		}
	}
	for _, rules := range [][]ignorePattern{l.work.exclude, l.work.excludes} {
		if p := lastMatch(rules, rel, dir); p != nil {
			return !p.negated
		}
	}
	return false
}

func lastMatch(rules []ignorePattern, rel string, dir bool) *ignorePattern {
	for i := len(rules) - 1; i >= 0; i-- {
		if rules[i].match(rel, dir) {
			return &rules[i]
		}
	}
	return nil
}

// tracks reports whether git tracks an entry, or a file in it.
func (l *level) tracks(name string, dir bool) bool {
	names := l.work.tracked()
	rel := l.in + name
	if _, found := slices.BinarySearch(names, rel); found || !dir {
		return found
	}
	i, _ := slices.BinarySearch(names, rel+"/")
	return i < len(names) && strings.HasPrefix(names[i], rel+"/")
}
