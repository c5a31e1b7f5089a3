package disk

import "strings"

// locate finds what answers for a decoded path by the style's rules: a file, or a
// directory that is listed. It reads no file: a path that leads nowhere costs lookups
// in listings only.
func (s *Site) locate(rel string) location {
	style := &hostStyles[s.style]
	if rel == "" || strings.HasSuffix(rel, "/") {
		name := strings.TrimSuffix(rel, "/")
		if style.slashToExt && name != "" && s.index.walk("", name+style.extension, matchNorm).kind == entryFile {
			return location{redirect: "-"}
		}
		at := s.index.walk("", name, matchNorm)
		switch at.kind {
		case entryDir:
			if index := s.indexOf(at.rel); index != "" {
				at.kind, at.rel = entryFile, index
			} else if !s.lists(at.rel) {
				at.kind, at.reason = entryNone, errNoIndex
				at.err = s.index.list(at.rel).err
			}
		case entryFile:
			at.kind, at.reason = entryNone, errNotDir
		}
		return at
	}
	at := s.index.walk("", rel, matchNorm)
	if at.kind == entryFile {
		return at
	}
	if style.extension != "" && (at.kind == entryNone || at.kind == entryDir) {
		if page := s.index.walk("", rel+style.extension, matchNorm); page.kind == entryFile {
			return page
		}
	}
	if s.generator != nil && at.err == nil && (at.kind == entryNone || at.kind == entryDir && s.indexOf(at.rel) == "") {
		if from := s.sourceOf(rel); from.source != nil {
			return from
		}
	}
	if at.kind == entryDir {
		if s.indexOf(at.rel) == "" {
			if s.lists(at.rel) {
				return at
			}
			return location{reason: errNoIndex, err: s.index.list(at.rel).err}
		}
		return location{redirect: "/"}
	}
	return at
}

// indexOf returns the path of the file that answers for a directory, "" for none.
func (s *Site) indexOf(dir string) string {
	l := s.index.list(dir)
	if l.err != nil {
		return ""
	}
	for _, name := range s.indexes {
		if s.index.exact(l, dir, name) == entryFile {
			return join(dir, name)
		}
	}
	return ""
}

// lists reports whether the list of its files answers for a directory without an index. An
// empty directory is in no repository.
func (s *Site) lists(dir string) bool {
	if !s.listed {
		return false
	}
	l := s.index.list(dir)
	return l.err == nil && len(l.kinds) > 0
}

// rightCase returns the path that a missing one would be in the right letter
// case, relative to the root; "" when letter case is not what is wrong.
func (s *Site) rightCase(rel string) string {
	name := strings.TrimSuffix(rel, "/")
	at := s.index.walk("", name, matchFold)
	switch {
	case at.kind == entryDir:
		right := at.rel
		if s.indexOf(right) == "" {
			if like := s.indexLike(at.rel); like != "" {
				return like
			}
			if !s.lists(at.rel) {
				return ""
			}
		}
		if strings.HasSuffix(rel, "/") {
			right += "/"
		}
		return right
	case at.kind == entryFile && !strings.HasSuffix(rel, "/"):
		return at.rel
	}
	extension := hostStyles[s.style].extension
	if extension == "" || strings.HasSuffix(rel, "/") {
		return ""
	}
	if at = s.index.walk("", name+extension, matchFold); at.kind == entryFile {
		// The link goes without the extension; so does the advice.
		return at.rel[:len(at.rel)-len(extension)]
	}
	return ""
}

// indexLike returns an index file of a directory whose name differs only in
// letter case.
func (s *Site) indexLike(dir string) string {
	l := s.index.list(dir)
	if l.err != nil {
		return ""
	}
	for _, name := range s.indexes {
		if like, how := l.alike(name); how == matchFold && s.index.exact(l, dir, like) == entryFile {
			return join(dir, like)
		}
	}
	return ""
}
