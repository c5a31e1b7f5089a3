package main

import (
	"strings"

	"github.com/orbweaver/orbweaver/crawler/fetch/disk"
	"github.com/orbweaver/orbweaver/crawler/store"
)

// The files of a directory that nothing refers to are reported as they were when the crawl was started,
// however the directory has changed since. No path contains a NUL, so their lists are joined with it.

// packFiles returns the files of sites as the value that a state keeps.
func packFiles(sites []*disk.Site) []byte {
	var lists []string
	for _, s := range sites {
		if len(s.Files) > 0 {
			lists = append(lists, s.Dir()+"\x00"+strings.Join(s.Files, "\x00"))
		}
	}
	return []byte(strings.Join(lists, "\x00\x00"))
}

// restoreFiles gives sites the files that a state has kept.
func restoreFiles(kept *store.File, sites []*disk.Site) error {
	packed, err := kept.Value(storedFiles)
	if err != nil {
		return usageError("%w", err)
	}
	files := map[string][]string{}
	for list := range strings.SplitSeq(string(packed), "\x00\x00") {
		names := strings.Split(list, "\x00")
		files[names[0]] = names[1:]
	}
	for _, s := range sites {
		s.Files = files[s.Dir()]
	}
	return nil
}
