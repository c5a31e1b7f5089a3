//go:build unix

package fetch

import (
	"errors"
	"os"
	"strings"
	"syscall"
	"testing"
)

// A process at its limit of open files blames itself, not the link.
func TestOutOfFiles(t *testing.T) {
	server, _ := serve(t, says("ok"))
	dir := writeTree(t, "index.html", "dir/x.html")
	site := openSite(t, "https://example.com/", dir, HostAuto)
	h := newHTTP(t, HTTPConfig{})
	names := newHTTP(t, HTTPConfig{DNSServer: "127.0.0.1:53"})

	var limit syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &limit); err != nil {
		t.Fatal(err)
	}
	low := limit
	low.Cur = 64
	if err := syscall.Setrlimit(syscall.RLIMIT_NOFILE, &low); err != nil {
		t.Fatal(err)
	}
	defer syscall.Setrlimit(syscall.RLIMIT_NOFILE, &limit)
	var open []*os.File
	release := func() {
		for _, f := range open {
			f.Close()
		}
		open = nil
	}
	defer release()
	for {
		f, err := os.Open(os.DevNull)
		if err != nil {
			break
		}
		open = append(open, f)
	}
	ask := map[string]func() error{
		"connection": func() error {
			_, err := h.Fetch(t.Context(), &Request{URL: mustParse(t, server.URL+"/"), Need: Existence})
			return err
		},
		"name": func() error {
			_, err := names.Fetch(t.Context(), &Request{URL: mustParse(t, "http://www.example.com/")})
			return err
		},
		"file": func() error {
			_, err := site.Fetch(t.Context(), &Request{URL: mustParse(t, "https://example.com/index.html")})
			return err
		},
		"directory": func() error {
			_, err := site.Fetch(t.Context(), &Request{URL: mustParse(t, "https://example.com/dir/x.html")})
			return err
		},
		"other file": func() error {
			_, err := new(File).Fetch(t.Context(), &Request{URL: mustParse(t, fileURL(dir)+"/index.html")})
			return err
		},
	}
	for name, fetch := range ask {
		err := fetch()
		var f *Fault
		if !errors.As(err, &f) || !f.Local || !f.Retry || !strings.Contains(err.Error(), "this process has too many open files") {
			t.Errorf("%s: %v", name, err)
		}
	}
	// With room again everything is there: nothing wrong was remembered.
	release()
	if err := syscall.Setrlimit(syscall.RLIMIT_NOFILE, &limit); err != nil {
		t.Fatal(err)
	}
	delete(ask, "name")
	for name, fetch := range ask {
		if err := fetch(); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}
