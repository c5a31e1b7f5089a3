//go:build unix

package fetch

import (
	"errors"
	"os"
	"strings"
	"syscall"
	"testing"
)

// A process at its limit of open files reports a local fault, not a broken link.
func TestOutOfFiles(t *testing.T) {
	server, _ := serve(t, respond("ok"))
	h := newHTTP(t, HTTPConfig{})
	names := newHTTP(t, HTTPConfig{DNSServer: "127.0.0.1:53"})
	release := openAllFiles(t)

	if err := get(t, h, mustParse(t, server.URL+"/"), Existence); !isOutOfFiles(err) {
		t.Errorf("connection: %v", err)
	}
	if err := get(t, names, mustParse(t, "http://www.example.com/"), Existence); !isOutOfFiles(err) {
		t.Errorf("name: %v", err)
	}
	// When files can be opened again, all requests succeed: no failure was cached.
	release()
	if err := get(t, h, mustParse(t, server.URL+"/"), Existence); err != nil {
		t.Errorf("connection: %v", err)
	}
}

func isOutOfFiles(err error) bool {
	var f *Fault
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
