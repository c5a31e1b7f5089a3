package secret

import (
	"bytes"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
)

func open(t *testing.T, dir string) *Box {
	t.Helper()
	b, err := Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func TestBox(t *testing.T) {
	dir := t.TempDir()
	b := open(t, dir)
	for _, secret := range []string{"", "s3cret", strings.Repeat("x", 100_000), "\x00\xff"} {
		sealed := b.Seal("project 1", secret)
		if again := b.Seal("project 1", secret); bytes.Equal(again, sealed) {
			t.Error("equal secrets are equal when sealed")
		}
		if len(secret) > 2 && bytes.Contains(sealed, []byte(secret)) {
			t.Error("the secret is readable")
		}
		if got, err := open(t, dir).Open("project 1", sealed); got != secret || err != nil {
			t.Errorf("%q: %q, %v", secret, got, err)
		}
		if got, err := b.Open("project 2", sealed); err == nil {
			t.Errorf("moved to another place: %q", got)
		}
		sealed[len(sealed)-1] ^= 1
		if got, err := b.Open("project 1", sealed); err == nil {
			t.Errorf("changed: %q", got)
		}
	}
	for _, sealed := range [][]byte{nil, {1}, make([]byte, 24), make([]byte, 60)} {
		if _, err := b.Open("project 1", sealed); err == nil {
			t.Errorf("%d bytes were opened", len(sealed))
		}
	}
	if _, err := open(t, t.TempDir()).Open("project 1", b.Seal("project 1", "x")); err == nil {
		t.Error("opened with another key")
	}
}

func TestKeyFile(t *testing.T) {
	dir := t.TempDir()
	boxes := make([]*Box, 20)
	var wg sync.WaitGroup
	for i := range boxes {
		wg.Go(func() { boxes[i], _ = Open(dir) })
	}
	wg.Wait()
	sealed := boxes[0].Seal("x", "y")
	for i, b := range boxes {
		if got, err := b.Open("x", sealed); got != "y" || err != nil {
			t.Errorf("box %d has another key: %v", i, err)
		}
	}
	entries, _ := os.ReadDir(dir)
	info, err := os.Stat(filepath.Join(dir, keyFile))
	if err != nil || len(entries) != 1 || runtime.GOOS != "windows" && info.Mode().Perm() != 0o600 {
		t.Errorf("%v %v %v", entries, info, err)
	}
	for _, damaged := range []string{"", "short", strings.Repeat("x", 33)} {
		if err := os.WriteFile(filepath.Join(dir, keyFile), []byte(damaged), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := Open(dir); err == nil || !strings.Contains(err.Error(), "damaged") {
			t.Errorf("a key of %d bytes: %v", len(damaged), err)
		}
	}
	if _, err := Open(filepath.Join(dir, "missing")); err == nil {
		t.Error("a directory that does not exist")
	}
}
