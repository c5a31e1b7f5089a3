//go:build unix

package fetch

import (
	"errors"
	"strings"
	"testing"

	"github.com/orbweaver/orbweaver/crawler/crawlertest"
)

// A process at its limit of open files reports a local fault, not a broken link.
func TestOutOfFiles(t *testing.T) {
	server, _ := serve(t, respond("ok"))
	h := newHTTP(t, HTTPConfig{})
	names := newHTTP(t, HTTPConfig{DNSServer: "127.0.0.1:53"})
	release := crawlertest.OpenAllFiles(t)

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
