package disk

import (
	"slices"
	"strings"

	"github.com/orbweaver/orbweaver/urinorm"
)

// Relisted compares a site with the same one that was opened again after files came or went: a page need not be
// read again if its references lead to the same URLs, and these have the same answers. Both sites answer by the
// names that they have listed.
type Relisted struct{ before, after *Site }

// Relist returns the comparison. ok is false if the references of pages may lead to other URLs, whatever these are:
// if the site answers in another way, if documents are published by another program, or if the directory is one of
// those in which a reference is looked up among all files. documents are those before and after.
func Relist(before, after *Site, documents []urinorm.URL) (r Relisted, ok bool) {
	r = Relisted{before, after}
	a, b := &before.locator, &after.locator
	switch {
	case before.Around != nil || after.Around != nil,
		before.linksIn || after.linksIn,                            // a file is read under several names
		len(before.redirects.rules)+len(after.redirects.rules) > 0, // they may look for any file
		a.style != b.style || a.sourceTree != b.sourceTree || a.canListFiles != b.canListFiles || a.generator != b.generator,
		a.index.forgot() || b.index.forgot():
		return r, false
	}
	seen := map[string]bool{}
	for _, u := range documents {
		rel, _ := after.fileAt(u)
		for slash := strings.LastIndexByte(rel, '/'); ; slash = strings.LastIndexByte(rel, '/') {
			rel = rel[:max(slash, 0)]
			if seen[rel] {
				break
			}
			if seen[rel] = true; !r.isPublishedAlike(rel) {
				return r, false
			}
		}
	}
	return r, true
}

// isPublishedAlike reports whether the documents in a directory are published as before, and belong to no project.
func (r Relisted) isPublishedAlike(dir string) bool {
	if !slices.Equal(r.before.locator.index.marks(dir), r.after.locator.index.marks(dir)) {
		return false
	}
	if !r.after.IsSource() || !r.after.Synthetic() {
		return true // no project counts
	}
	if dir != "" {
		dir += "/"
	}
	return newProject(r.before, dir) == nil && newProject(r.after, dir) == nil
}

// Same reports whether the same file, or the same redirect, answers for a URL as before. It is false for a URL that
// the site does not hold.
func (r Relisted) Same(u urinorm.URL) bool {
	return r.before.Holds(u) && answeredBy(r.before, u) == answeredBy(r.after, u)
}

// forgot reports whether names may have been looked up that no listing has any more.
func (x *directoryIndex) forgot() bool {
	x.mu.RLock()
	defer x.mu.RUnlock()
	return x.forgets
}

// marks returns the names in a directory that tell how the documents in it, and below, are published.
func (x *directoryIndex) marks(dir string) (found []string) {
	l := x.list(dir)
	if l.err != nil {
		return nil
	}
	l.mu.RLock()
	defer l.mu.RUnlock()
	for name := range l.kinds {
		if isMark(name) {
			found = append(found, name)
		}
	}
	slices.Sort(found)
	return found
}

func isMark(name string) bool {
	if name == ".git" {
		return true
	}
	for _, m := range publishers {
		if hasMark([]string{name}, m.mark) {
			return true
		}
	}
	return slices.ContainsFunc(repositoryMarks, func(m struct{ mark, host string }) bool { return m.mark == name })
}

// answering is the part of a location that decides what is observed of a URL at which there is something.
type answering struct {
	kind                 entryKind
	rel                  string
	renormalized, folded bool
	redirect, source     string
}

// answeredBy returns where the answer for a URL is. It is the zero value for one whose answer depends on no file.
func answeredBy(s *Site, u urinorm.URL) answering {
	rel, ok := s.fileAt(u)
	if !ok || !s.isHost(u) || strings.Contains(u.Path(), "//") {
		return answering{}
	}
	at := s.locator.locate(rel)
	p := answering{at.kind, at.rel, at.renormalized, at.folded, at.redirect, ""}
	if at.source != nil {
		p.source = at.source.of(u.Path()[len(s.path):])
	}
	return p
}
