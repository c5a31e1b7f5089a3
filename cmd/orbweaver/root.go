package main

import (
	"os"
	"path/filepath"

	"github.com/orbweaver/orbweaver/crawler/fetch/disk"
)

// goOnAround decides where links go on that lead above a directory that is checked: in the one
// that --root names or, for sources that git does not ignore, in their work tree. Otherwise they
// end at the directory, as on a server. root is that of the work tree, empty outside of one.
func (p *plan) goOnAround(site *disk.Site, t target, root string) error {
	dir, err := filepath.Abs(t.path)
	if err != nil {
		return err
	}
	around := p.root
	if around == "" && root != "" && site.IsSource() && site.Synthetic() {
		around = ancestor(dir, root)
		if len(p.allowed) > 0 && !p.mayRead(around) {
			around = ""
		}
	}
	if around == "" || around == dir {
		return nil
	}
	rel, err := filepath.Rel(around, dir)
	if err != nil {
		return err
	}
	outer, err := p.mount(around, p.label(around))
	if err != nil {
		return err
	}
	site.Around = &disk.Around{Site: outer, Path: filepath.ToSlash(rel)}
	return nil
}

// notesAround returns the innermost directory around a document that is the root of a work tree or of
// a vault of notes, where its wiki links find their pages. It returns "" if there is none, or if only
// one directory can have a URL.
func (p *plan) notesAround(file string) string {
	if !p.wikiLinks || !p.base.IsZero() {
		return ""
	}
	for dir := filepath.Dir(file); ; dir = filepath.Dir(dir) {
		switch {
		case disk.IsProject(dir) && (len(p.allowed) == 0 || p.mayRead(dir)):
			return dir
		case dir == filepath.Dir(dir):
			return ""
		}
	}
}

// ancestor returns the parent directory of a path that is the same directory as root, whose own
// path has no symbolic links. It returns "" if there is none.
func ancestor(dir, root string) string {
	want, err := os.Stat(root)
	if err != nil {
		return ""
	}
	for parent := filepath.Dir(dir); parent != dir; dir, parent = parent, filepath.Dir(parent) {
		if info, err := os.Stat(parent); err == nil && os.SameFile(info, want) {
			return parent
		}
	}
	return ""
}

// mayRead reports whether a run of a server may read a directory.
func (p *plan) mayRead(dir string) bool {
	for _, allowed := range p.allowed {
		if abs, err := filepath.Abs(allowed); err == nil && dir != "" && inside(abs, dir) {
			return true
		}
	}
	return false
}

// label returns the name of a directory in reports: relative, if that is short.
func (p *plan) label(dir string) string {
	if !inside(p.workingDir, dir) && !inside(dir, p.workingDir) {
		return dir
	}
	rel, err := filepath.Rel(p.workingDir, dir)
	if err != nil {
		return dir
	}
	return rel
}

// checkRoot returns the absolute path of --root, and a usage error if it is not a directory that contains every
// target on disk.
func checkRoot(root string, targets []target) (string, error) {
	if root == "" {
		return "", nil
	}
	if info, err := os.Stat(root); err != nil || !info.IsDir() {
		return "", usageError("--root: %s is not a directory", root)
	}
	abs, err := filepath.Abs(root)
	if err != nil {
		return "", err
	}
	for _, t := range targets {
		if t.kind != directory && t.kind != document {
			continue
		}
		if path, err := filepath.Abs(t.path); err != nil || !inside(abs, path) {
			return "", usageError("--root: %s is not in %s", t.raw, root)
		}
	}
	return abs, nil
}
