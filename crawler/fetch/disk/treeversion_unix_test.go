//go:build unix

package disk

import (
	"os"
	"path/filepath"
	"testing"
	"time"
)

// A tree has another version after each change that may change an answer, and the same otherwise.
func TestTreeVersion(t *testing.T) {
	outside := writeTree(t, "note=secret")
	dir := writeTree(t, "index.html=a", "a/b.html=b", "a/c.html=c", "d/e.html=e")
	for link, to := range map[string]string{"in": "a", "out": outside, "dangling": "none", "file": "a/b.html"} {
		if err := os.Symlink(to, filepath.Join(dir, link)); err != nil {
			t.Fatal(err)
		}
	}
	path := func(name string) string { return filepath.Join(dir, name) }
	later := time.Now().Add(time.Hour)
	of := func(style HostStyle) string {
		t.Helper()
		site := openSite(t, "https://example.com/", dir, style)
		site.opened = later
		version, ok := TreeVersion(site, 100)
		if !ok {
			t.Fatal("the version is not known")
		}
		return string(version)
	}
	seen := map[string]string{of(hostAuto): "nothing"}
	if _, known := seen[of(hostAuto)]; !known {
		t.Error("the same tree has two versions")
	}
	if _, known := seen[of(hostGitHubPages)]; known {
		t.Error("a site that answers like another host has the same version")
	}
	old := time.Now().Add(-time.Hour)
	for _, change := range []struct {
		what string
		do   func() error
	}{
		{"a file is written", func() error { return os.WriteFile(path("a/b.html"), []byte("other"), 0o666) }},
		{"a file keeps its size and time", func() error {
			if err := os.WriteFile(path("a/b.html"), []byte("again"), 0o666); err != nil {
				return err
			}
			return os.Chtimes(path("a/b.html"), old, old)
		}},
		{"a file is new", func() error { return os.WriteFile(path("a/new.html"), nil, 0o666) }},
		{"a file is renamed", func() error { return os.Rename(path("a/new.html"), path("a/newer.html")) }},
		{"a file is removed", func() error { return os.Remove(path("a/newer.html")) }},
		{"a directory is new", func() error { return os.Mkdir(path("d/f"), 0o777) }},
		{"a file cannot be read", func() error { return os.Chmod(path("d/e.html"), 0) }},
		{"a link leads elsewhere", func() error { os.Remove(path("in")); return os.Symlink("d", path("in")) }},
		{"what a link leads to outside has changed", func() error { return os.WriteFile(filepath.Join(outside, "other"), nil, 0o666) }},
		{"a link leads somewhere at last", func() error { return os.WriteFile(path("none"), nil, 0o666) }},
	} {
		awaitTick(t)
		if err := change.do(); err != nil {
			t.Fatal(err)
		}
		version := of(hostAuto)
		if before, known := seen[version]; known {
			t.Errorf("the version after %q is that after %q", change.what, before)
		}
		seen[version] = change.what
	}
}

// awaitTick returns when a change of a file has another time than all before.
func awaitTick(t *testing.T) {
	t.Helper()
	file := filepath.Join(t.TempDir(), "tick")
	var first time.Time
	for {
		if err := os.WriteFile(file, nil, 0o666); err != nil {
			t.Fatal(err)
		}
		info, err := os.Stat(file)
		switch {
		case err != nil:
			t.Fatal(err)
		case first.IsZero():
			first = info.ModTime()
		case info.ModTime().After(first):
			return
		}
	}
}

// The version is not known if a file has just changed, if there are too many names, or if files
// elsewhere may count.
func TestTreeVersionUnknown(t *testing.T) {
	dir := writeTree(t, "index.html=a", "a/b.html=b")
	site := openSite(t, "https://example.com/", dir, hostAuto)
	if _, ok := TreeVersion(site, 100); ok {
		t.Error("the version is known although the files have just changed")
	}
	later := time.Now().Add(time.Hour)
	site.opened = later
	if _, ok := TreeVersion(site, 3); !ok {
		t.Error("the version of three names is not known")
	}
	if _, ok := TreeVersion(site, 2); ok {
		t.Error("the version of three names is known with a limit of two")
	}
	sources := openSite(t, "https://example.com/", writeTree(t, "readme.md=a"), hostAuto)
	sources.opened = later
	if _, ok := TreeVersion(sources, 100); ok {
		t.Error("the version of a tree of sources is known")
	}
	if err := os.Symlink("loop", filepath.Join(dir, "loop")); err != nil {
		t.Fatal(err)
	}
	site = openSite(t, "https://example.com/", dir, hostAuto)
	site.opened = later
	if _, ok := TreeVersion(site, 100); !ok {
		t.Error("the version with a link that leads to itself is not known")
	}
}
