//go:build unix

package disk

import (
	"errors"
	"strings"
	"testing"

	"github.com/orbweaver/orbweaver/crawler/crawlertest"
	"github.com/orbweaver/orbweaver/crawler/fetch"
)

// A process at its limit of open files reports a local fault, not a broken link.
func TestOutOfFiles(t *testing.T) {
	dir := writeTree(t, "index.html", "dir/x.html")
	site := openSite(t, "https://example.com/", dir, hostAuto)
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
	release := crawlertest.OpenAllFiles(t)
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
