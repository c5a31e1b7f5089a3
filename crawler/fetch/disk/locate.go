package disk

import (
	"errors"
	"slices"
	"strings"
)

// locator finds the file of a directory that answers for a path, by the rules of a host
// style.
type locator struct {
	index        *directoryIndex
	style        HostStyle
	indexes      []string   // files that answer for a directory
	extensions   []string   // appended to a path that names no file
	canListFiles bool       // a directory without an index is answered by its file list
	sourceTree   bool       // the directory is treated as a source tree
	noIndex      error      // the reason why a directory without an index is missing
	generator    *generator // whose sources the directory contains; nil if unknown
}

// newLocator determines the style of a directory if it is HostAuto. top is the listing
// of the directory itself.
func newLocator(index *directoryIndex, top *listing, config *SiteConfig) locator {
	l := locator{index: index, style: config.Style, noIndex: errNoIndex}
	if l.style == hostAuto && index.exact(top, "", redirectsFile) == entryFile {
		l.style = hostNetlify
	}
	l.indexes, l.extensions = hostStyles[l.style].index, config.Extensions
	if extension := hostStyles[l.style].extension; l.extensions == nil && extension != "" {
		l.extensions = []string{extension}
	}
	if l.style == hostAuto && l.indexOf("") == "" {
		l.indexes = append(slices.Clone(l.indexes), sourceIndex...)
		l.sourceTree, l.canListFiles = true, top.hasReadme()
		l.generator = l.generatorOf(top)
	}
	if config.Indexes != nil {
		isList := func(name string) bool { return name == "." }
		l.canListFiles = slices.ContainsFunc(config.Indexes, isList)
		l.indexes = slices.DeleteFunc(slices.Clone(config.Indexes), isList)
		if l.noIndex = errors.New("no file answers for a directory"); len(l.indexes) > 0 {
			l.noIndex = errors.New("the directory has none of " + strings.Join(l.indexes, ", "))
		}
	}
	return l
}

// locate finds what answers for a decoded path by the rules of the style: a file, or a
// directory that is listed. It reads no files, so a missing path costs only lookups in
// listings.
func (l *locator) locate(rel string) location {
	style := &hostStyles[l.style]
	if rel == "" || strings.HasSuffix(rel, "/") {
		name := strings.TrimSuffix(rel, "/")
		if style.slashToExt && name != "" && l.withExtension(name).kind == entryFile {
			return location{redirect: "-"}
		}
		at := l.index.walk("", name, matchNorm)
		switch at.kind {
		case entryDir:
			if index := l.indexOf(at.rel); index != "" {
				at.kind, at.rel = entryFile, index
			} else if !l.listsFiles(at.rel) {
				at.kind, at.reason = entryNone, l.noIndex
				at.err = l.index.list(at.rel).err
			}
		case entryFile:
			at.kind, at.reason = entryNone, errNotDir
		}
		return at
	}
	at := l.index.walk("", rel, matchNorm)
	if at.kind == entryFile {
		return at
	}
	if at.kind == entryNone || at.kind == entryDir {
		if page := l.withExtension(rel); page.kind == entryFile {
			return page
		}
	}
	if l.generator != nil && at.err == nil && (at.kind == entryNone || at.kind == entryDir && l.indexOf(at.rel) == "") {
		if from := l.sourceOf(rel); from.source != nil {
			return from
		}
	}
	if at.kind == entryDir {
		if l.indexOf(at.rel) == "" {
			if l.listsFiles(at.rel) {
				return at
			}
			return location{reason: l.noIndex, err: l.index.list(at.rel).err}
		}
		return location{redirect: "/"}
	}
	return at
}

// withExtension returns the file whose path is rel and one of the extensions.
func (l *locator) withExtension(rel string) location {
	for _, extension := range l.extensions {
		if page := l.index.walk("", rel+extension, matchNorm); page.kind == entryFile {
			return page
		}
	}
	return location{}
}

// indexOf returns the path of the file that answers for a directory, or "".
func (l *locator) indexOf(dir string) string {
	names := l.index.list(dir)
	if names.err != nil {
		return ""
	}
	for _, name := range l.indexes {
		if l.index.exact(names, dir, name) == entryFile {
			return join(dir, name)
		}
	}
	return ""
}

// listsFiles reports whether a directory without an index is answered by its file list.
// Repositories contain no empty directories.
func (l *locator) listsFiles(dir string) bool {
	if !l.canListFiles {
		return false
	}
	names := l.index.list(dir)
	return names.err == nil && len(names.kinds) > 0
}

// correctCase returns the path from the root that matches a missing path except for
// letter case, or "".
func (l *locator) correctCase(rel string) string {
	name := strings.TrimSuffix(rel, "/")
	at := l.index.walk("", name, matchFold)
	switch {
	case at.kind == entryDir:
		right := at.rel
		if l.indexOf(right) == "" {
			if like := l.indexInOtherCase(at.rel); like != "" {
				return like
			}
			if !l.listsFiles(at.rel) {
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
	if strings.HasSuffix(rel, "/") {
		return ""
	}
	for _, extension := range l.extensions {
		if at = l.index.walk("", name+extension, matchFold); at.kind == entryFile {
			// Like the link, the suggestion omits the extension.
			return at.rel[:len(at.rel)-len(extension)]
		}
	}
	return ""
}

// indexInOtherCase returns an index file of a directory whose name differs only in
// letter case.
func (l *locator) indexInOtherCase(dir string) string {
	names := l.index.list(dir)
	if names.err != nil {
		return ""
	}
	for _, name := range l.indexes {
		if like, how := names.closest(name); how == matchFold && l.index.exact(names, dir, like) == entryFile {
			return join(dir, like)
		}
	}
	return ""
}
