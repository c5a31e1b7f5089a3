package disk

import (
	"io/fs"
	"path"
	"time"
)

// Texts are texts that count in place of files.
type Texts struct {
	byPath map[string][]byte
	types  map[string]string
}

// NewTexts returns texts by the paths of the files that they count in place of, relative to the
// directory of a site. types are the media types of some, by their paths; the names of the others decide.
func NewTexts(byPath map[string][]byte, types map[string]string) *Texts { return &Texts{byPath, types} }

// Type returns the media type that was given for a text, "" if there is none.
func (t *Texts) Type(rel string) string {
	if t == nil {
		return ""
	}
	return t.types[rel]
}

// Set replaces the texts by others. A path that no file has must be among the first ones. It must not
// be called while requests are answered.
func (t *Texts) Set(byPath map[string][]byte) { t.byPath = byPath }

// at returns the text that counts in place of a file.
func (t *Texts) at(rel string) (text []byte, ok bool) {
	if t == nil {
		return nil, false
	}
	text, ok = t.byPath[rel]
	return text, ok
}

// names returns the entries that the texts add to directories, by directory and name.
func (t *Texts) names() map[string]map[string]entryKind {
	if t == nil {
		return nil
	}
	all := map[string]map[string]entryKind{}
	for rel := range t.byPath {
		for kind := entryFile; rel != ""; kind = entryDir {
			dir, name := path.Split(rel)
			dir = path.Clean(dir)
			if dir == "." || dir == "/" {
				dir = ""
			}
			if all[dir] == nil {
				all[dir] = map[string]entryKind{}
			}
			all[dir][name] = kind
			rel = dir
		}
	}
	return all
}

// withTexts returns the entries of a directory with those that texts add.
func withTexts(entries []fs.DirEntry, texts map[string]entryKind) []fs.DirEntry {
	if len(texts) == 0 {
		return entries
	}
	exists := make(map[string]bool, len(entries))
	for _, e := range entries {
		exists[e.Name()] = true
	}
	for name, kind := range texts {
		if !exists[name] {
			entries = append(entries, textEntry{name, kind})
		}
	}
	return entries
}

// textEntry is the entry of a directory that a text adds.
type textEntry struct {
	name string
	kind entryKind
}

func (e textEntry) Name() string               { return e.name }
func (e textEntry) IsDir() bool                { return e.kind == entryDir }
func (e textEntry) Info() (fs.FileInfo, error) { return e, nil }

// Type implements [fs.DirEntry].
func (e textEntry) Type() fs.FileMode {
	if e.IsDir() {
		return fs.ModeDir
	}
	return 0
}

func (e textEntry) Mode() fs.FileMode  { return e.Type() }
func (e textEntry) ModTime() time.Time { return time.Time{} }
func (e textEntry) Size() int64        { return 0 }
func (e textEntry) Sys() any           { return nil }
