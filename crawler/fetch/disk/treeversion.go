package disk

import (
	"crypto/sha256"
	"fmt"
	"hash"
	"io/fs"
	"os"
	"slices"
	"strings"
	"time"
)

// TreeVersion returns what identifies all that a site answers with and that may change between two runs:
// the names below its directory, the versions of the files and directories, and where links lead. Two
// runs with the same TreeVersion get the same answers.
//
// ok is false if the version cannot be known: because something was changed less than two seconds before
// the site was opened, or later, and may change again with the same times; because the directory has more
// than most names, or one that cannot be read; because answers depend on files elsewhere; or on a system
// without numbers of files.
func TreeVersion(s *Site, most int) (version []byte, ok bool) {
	id, ok := IdentityOf(s)
	if !ok || s.texts != nil || s.Around != nil || s.IsSource() {
		return nil, false
	}
	v := treeVersion{tree: s.tree, opened: s.opened, sum: sha256.New(), left: most}
	// Other users may read other files.
	fmt.Fprintf(v.sum, "%s\x00%s\x00%s\x00%s\x00%d %d\x00", id.Open, s.base, s.answersBy, s.name, os.Geteuid(), os.Getegid())
	if !v.add("", ".") || !v.directory("", 0) {
		return nil, false
	}
	return v.sum.Sum(nil), true
}

// treeVersion computes the version of a tree.
type treeVersion struct {
	tree   rootTree
	opened time.Time // the site
	sum    hash.Hash
	left   int // names that may be added
}

// add adds a name in a directory, and its version.
func (v *treeVersion) add(dir, name string) bool {
	mode, tag, ok := v.tree.openDirs.stat(dir, name, false, v.opened)
	if ok {
		fmt.Fprintf(v.sum, "%s\x00%o\x00%s\x00", name, mode, tag)
	}
	return ok
}

// addLink adds where a symbolic link leads, and the version of what is there.
func (v *treeVersion) addLink(dir, name string) bool {
	to, err := v.tree.root.Readlink(join(dir, name))
	if err != nil {
		return false
	}
	mode, tag, ok := v.tree.openDirs.stat(dir, name, true, v.opened)
	fmt.Fprintf(v.sum, "%s\x00%o\x00%s\x00", to, mode, tag)
	return ok
}

// directory adds the names in a directory and below.
func (v *treeVersion) directory(dir string, depth int) bool {
	if depth > maxWalkDepth {
		return false
	}
	entries, err := listFiles(v.tree, dir)
	if v.left -= len(entries); err != nil || v.left < 0 {
		return false
	}
	slices.SortFunc(entries, func(a, b fs.DirEntry) int { return strings.Compare(a.Name(), b.Name()) })
	fmt.Fprintf(v.sum, "%s\x00%d\x00", dir, len(entries))
	for _, entry := range entries {
		if !v.add(dir, entry.Name()) || entry.Type()&fs.ModeSymlink != 0 && !v.addLink(dir, entry.Name()) {
			return false
		}
	}
	for _, entry := range entries {
		if entry.IsDir() && !v.directory(join(dir, entry.Name()), depth+1) {
			return false
		}
	}
	return true
}
