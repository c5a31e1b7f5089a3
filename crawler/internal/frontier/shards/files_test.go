package shards

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/orbweaver/orbweaver/crawler/internal/frontier"
	"github.com/orbweaver/orbweaver/crawler/internal/frontier/diskstore"
)

// list returns the names in the directory of a file.
func list(t *testing.T, file string) (names []string) {
	t.Helper()
	entries, err := os.ReadDir(filepath.Dir(file))
	if err != nil {
		t.Fatalf("list the directory: %v", err)
	}
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names
}

func wantNames(t *testing.T, file string, want ...string) {
	t.Helper()
	if got := list(t, file); !slices.Equal(got, want) {
		t.Errorf("the directory has %q, want %q", got, want)
	}
}

func rename(t *testing.T, from, to string) {
	t.Helper()
	if err := os.Rename(from, to); err != nil {
		t.Fatalf("rename a file of the state: %v", err)
	}
}

// A state of which a file is missing, or is that of another one, is damaged.
func TestOpenIncomplete(t *testing.T) {
	file, other := create(t), create(t)
	open(t, file).Close()
	second := FileOf(file, 2)
	if _, err := Open(second, diskstore.Open); err == nil || errors.Is(err, diskstore.ErrDamaged) {
		t.Errorf("the second file alone: %v, want an error that it is the second one", err)
	}
	if _, err := OpenPages(file); err == nil {
		t.Error("the pages of one of two files are given to the next crawl")
	}
	rename(t, second, second+".away")
	if _, err := Open(file, diskstore.Open); !errors.Is(err, diskstore.ErrDamaged) {
		t.Errorf("without its second file: %v, want %v", err, diskstore.ErrDamaged)
	}
	rename(t, FileOf(other, 2), second)
	if _, err := Open(file, diskstore.OpenReadOnly); !errors.Is(err, diskstore.ErrDamaged) {
		t.Errorf("with the second file of another state: %v, want %v", err, diskstore.ErrDamaged)
	}
	if err := os.WriteFile(second, []byte("no database"), 0o600); err != nil {
		t.Fatalf("damage the second file: %v", err)
	}
	if _, err := Open(file, diskstore.Open); !errors.Is(err, diskstore.ErrDamaged) {
		t.Errorf("with another second file: %v, want %v", err, diskstore.ErrDamaged)
	}
	rename(t, second+".away", second)
	open(t, file)
	if _, err := Open(filepath.Join(t.TempDir(), "crawl.sqlite"), diskstore.Open); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("without any file: %v, want %v", err, fs.ErrNotExist)
	}
}

// The files of a state are made, renamed and removed together, also after a crash amid that.
func TestTogether(t *testing.T) {
	file := create(t)
	previous := filepath.Join(filepath.Dir(file), "previous.sqlite")
	wantNames(t, file, "crawl-2.sqlite", "crawl.sqlite")
	if err := Create(file, 2, frontier.Narrow, nil, nil); !errors.Is(err, fs.ErrExist) {
		t.Errorf("Create again: %v, want %v", err, fs.ErrExist)
	}
	if err := os.WriteFile(FileOf(previous, 3), nil, 0o600); err != nil { // of an earlier crawl on three servers
		t.Fatalf("make a file of an earlier crawl: %v", err)
	}
	if err := diskstore.Move(FileOf(file, 2), FileOf(previous, 2)); err != nil { // and then the process was killed
		t.Fatalf("move the second file alone: %v", err)
	}
	if err := Move(file, previous); err != nil {
		t.Fatalf("Move after a kill: %v", err)
	}
	wantNames(t, file, "previous-2.sqlite", "previous.sqlite")
	open(t, previous).Close()
	rename(t, FileOf(previous, 2), FileOf(file, 2)) // of a process that was killed while it made a state
	if err := Create(file, 2, frontier.Narrow, nil, nil); err != nil {
		t.Fatalf("Create: %v", err)
	}
	open(t, file).Close()
	if err := Remove(previous); err != nil {
		t.Fatalf("Remove: %v", err)
	}
	aside, err := SetAside(file)
	if err != nil {
		t.Fatalf("SetAside: %v", err)
	}
	wantNames(t, file, filepath.Base(FileOf(aside, 2)), filepath.Base(aside))
	open(t, aside).Close()
	if err := Remove(aside); err != nil {
		t.Fatalf("Remove what was set aside: %v", err)
	}
	wantNames(t, file)
}

// A state of one file is that file.
func TestOneFile(t *testing.T) {
	file := filepath.Join(t.TempDir(), "crawl.sqlite")
	s, err := diskstore.Create(file, frontier.Narrow, nil)
	if err != nil {
		t.Fatalf("create a state of one file: %v", err)
	}
	if err := s.Close(); err != nil {
		t.Fatalf("close the state: %v", err)
	}
	opened, err := Open(file, diskstore.Open)
	if err != nil {
		t.Fatalf("Open: %v", err)
	}
	defer opened.Close()
	if _, is := opened.(*diskstore.Store); !is || len(Of(opened).Files()) != 1 {
		t.Errorf("a state of one file is %T", opened)
	}
}
