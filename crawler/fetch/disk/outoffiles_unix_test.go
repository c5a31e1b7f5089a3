//go:build unix

package disk

import (
	"errors"
	"os"
	"strings"
	"syscall"
	"testing"

	"github.com/orbweaver/orbweaver/crawler/fetch"
)

// A process at its limit of open files reports a local fault, not a broken link.
func TestOutOfFiles(t *testing.T) {
	dir := writeTree(t, "index.html", "dir/x.html")
	site := openSite(t, "https://example.com/", dir, HostAuto)
	read := map[string]func() error{
		"file": func() error {
			_, err := site.Fetch(t.Context(), &fetch.Request{URL: mustParse(t, "https://example.com/index.html")})
			return err
		},
		"directory": func() error {
			_, err := site.Fetch(t.Context(), &fetch.Request{URL: mustParse(t, "https://example.com/dir/x.html")})
			return err
		},
		"other file": func() error {
			_, err := new(Files).Fetch(t.Context(), &fetch.Request{URL: mustParse(t, fileURL(dir)+"/index.html")})
			return err
		},
	}
	release := openAllFiles(t)
	for name, fetch := range read {
		if err := fetch(); !isOutOfFiles(err) {
			t.Errorf("%s: %v", name, err)
		}
	}
	// When files can be opened again, all requests succeed: no failure was cached.
	release()
	for name, fetch := range read {
		if err := fetch(); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func isOutOfFiles(err error) bool {
	var f *fetch.Fault
	return errors.As(err, &f) && f.Local && f.Retry && strings.Contains(err.Error(), "this process has too many open files")
}

// openAllFiles uses up the process's file descriptors until release is called.
func openAllFiles(t *testing.T) (release func()) {
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
