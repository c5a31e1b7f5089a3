package main

import (
	"cmp"
	"hash/maphash"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/orbweaver/orbweaver/crawler/extract"
	"github.com/orbweaver/orbweaver/crawler/fetch"
	"github.com/orbweaver/orbweaver/crawler/result"
)

// bookmarkFolders knows the folders of the bookmarks in the bookmark files that were named as
// targets. Such a file is read once more, when the first result with a place in it comes.
type bookmarkFolders struct {
	files map[string]*folderIndex // by absolute path; nil until it is read
	dir   string                  // that pages are relative to
	seed  maphash.Seed
}

// maxFolderFile is the size of the largest file whose folders are known, in bytes: some
// 100,000 bookmarks. Reading them all at once takes several times as much memory.
const maxFolderFile = 16 << 20

type folderIndex struct {
	names []string
	rows  []folderRow // sorted by hash
}

// folderRow is the folder of one bookmark, which is known by the hash of its place and text.
type folderRow struct {
	hash   uint64
	folder int32
}

// newBookmarkFolders returns nil if no target is a bookmark file.
func newBookmarkFolders(targets []target, dir string) *bookmarkFolders {
	b := &bookmarkFolders{files: map[string]*folderIndex{}, dir: dir, seed: maphash.MakeSeed()}
	for _, t := range targets {
		if t.kind != document {
			continue
		}
		if format, err := sniffFormat(nil, t.path); err != nil || !strings.HasSuffix(format, "-bookmarks") {
			continue
		}
		b.files[b.absolute(t.path)] = nil
	}
	if len(b.files) == 0 {
		return nil
	}
	return b
}

func (b *bookmarkFolders) absolute(path string) string {
	path = filepath.FromSlash(path)
	if !filepath.IsAbs(path) {
		path = filepath.Join(b.dir, path)
	}
	return filepath.Clean(path)
}

func (b *bookmarkFolders) annotate(r *result.Result) {
	path, page := "", ""
	for i := range r.References {
		ref := &r.References[i]
		if ref.Page != page {
			path, page = b.absolute(ref.Page), ref.Page
		}
		index, is := b.files[path]
		if !is {
			continue
		}
		if index == nil {
			index = b.read(path)
			b.files[path] = index
		}
		hash := b.hash(ref.Line, ref.Column, ref.Raw, ref.Text)
		if at, found := slices.BinarySearchFunc(index.rows, hash, func(row folderRow, hash uint64) int { return cmp.Compare(row.hash, hash) }); found {
			ref.Folder = index.names[index.rows[at].folder]
		}
	}
}

func (b *bookmarkFolders) hash(line, column int, raw, text string) uint64 {
	var h maphash.Hash
	h.SetSeed(b.seed)
	maphash.WriteComparable(&h, line)
	maphash.WriteComparable(&h, column)
	h.WriteString(raw)
	h.WriteByte(0)
	h.WriteString(text)
	return h.Sum64()
}

// read reads the folders of a file. If the file is gone or changed, its bookmarks have no
// folders.
func (b *bookmarkFolders) read(path string) *folderIndex {
	index := &folderIndex{}
	if info, err := os.Stat(path); err != nil || info.Size() > maxFolderFile {
		return index
	}
	body, err := os.ReadFile(path)
	if err != nil {
		return index
	}
	numbers := map[string]int32{}
	doc := extract.Extract(extract.Input{Name: filepath.Base(path), ContentType: fetch.TypeByName(path), Body: body})
	for i := range doc.Links {
		l := &doc.Links[i]
		if l.Bookmark == nil || l.Bookmark.Folder == "" {
			continue
		}
		n, known := numbers[l.Bookmark.Folder]
		if !known {
			n = int32(len(index.names))
			numbers[l.Bookmark.Folder], index.names = n, append(index.names, l.Bookmark.Folder)
		}
		index.rows = append(index.rows, folderRow{b.hash(l.Line, l.Column, string(l.Raw), l.Text), n})
	}
	slices.SortFunc(index.rows, func(a, b folderRow) int { return cmp.Compare(a.hash, b.hash) })
	return index
}
