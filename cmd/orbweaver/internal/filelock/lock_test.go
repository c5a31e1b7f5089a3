package filelock

import (
	"errors"
	"path/filepath"
	"strings"
	"testing"
)

func TestLock(t *testing.T) {
	name := filepath.Join(t.TempDir(), "lock")
	l, err := Take(name)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Take(name); !errors.Is(err, ErrLocked) || !strings.Contains(err.Error(), "process ") {
		t.Errorf("Take = %v, want %v and the process", err, ErrLocked)
	}
	if err := l.Release(); err != nil {
		t.Fatal(err)
	}
	if l, err = Take(name); err != nil {
		t.Fatalf("Take after Release: %v", err)
	}
	l.Release()
	if _, err := Take(filepath.Join(name, "under")); err == nil {
		t.Error("Take below a file: no error")
	}
}
