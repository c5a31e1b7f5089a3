//go:build unix

package crawlertest

import (
	"os"
	"syscall"
	"testing"
)

// OpenAllFiles uses up the process's file descriptors until release is called.
func OpenAllFiles(t testing.TB) (release func()) {
	t.Helper()
	var limit syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &limit); err != nil {
		t.Fatal(err)
	}
	low := limit
	low.Cur = 64
	if err := syscall.Setrlimit(syscall.RLIMIT_NOFILE, &low); err != nil {
		t.Fatal(err)
	}
	var open []*os.File
	release = func() {
		for _, f := range open {
			f.Close()
		}
		open = nil
		if err := syscall.Setrlimit(syscall.RLIMIT_NOFILE, &limit); err != nil {
			t.Error(err)
		}
	}
	t.Cleanup(release)
	for {
		f, err := os.Open(os.DevNull)
		if err != nil {
			return release
		}
		open = append(open, f)
	}
}
