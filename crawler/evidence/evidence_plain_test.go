//go:build !race

package evidence

import (
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// At each instant the file of a running crawl is whole up to some point.
func TestPartIsWhole(t *testing.T) {
	s := site(t)
	name := filepath.Join(t.TempDir(), "e.wacz")
	k := keep(t, Options{Path: name}, s.URL, "/a", "/gone", "/gzip")
	defer k.Abandon()
	if n := len(readStrictly(t, name+".part")); n != 7 {
		t.Fatalf("%d records while the run works, want 7", n)
	}
	if _, err := os.Stat(name); err == nil {
		t.Error("the file is there before its time")
	}
	whole, err := os.ReadFile(name + ".part")
	if err != nil {
		t.Fatal(err)
	}
	for cut := range len(whole) {
		in, n := readMembers(bytes.NewReader(whole[:cut]), 0, partSize), 0
		for {
			if _, err = in.next(); err != nil {
				break
			}
			n++
		}
		if err != io.EOF && !errors.Is(err, errDamaged) {
			t.Fatalf("cut at %d: %v after %d records", cut, err, n)
		}
	}
	if _, err := Create(Options{Path: name, MaxSize: 1, Lock: func(*os.File) (bool, error) { return false, nil }, Note: t.Output()}); err == nil || !strings.Contains(err.Error(), "another run is writing it") {
		t.Errorf("a second run: %v", err)
	}
}
