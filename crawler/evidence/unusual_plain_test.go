//go:build !race

package evidence

import (
	"bytes"
	"fmt"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"

	"github.com/orbweaver/orbweaver/crawler/fetch"
)

// A body that was read to its end is whole; of a longer one what was read is kept, and marked so.
func TestLongBodies(t *testing.T) {
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		size := 0
		fmt.Sscanf(r.URL.Path, "/%d", &size)
		w.Header().Set("Content-Type", "text/plain")
		w.Write(bytes.Repeat([]byte("0123456789abcdef"), size/16+1)[:size])
	}))
	t.Cleanup(s.Close)
	file := filepath.Join(t.TempDir(), "e.wacz")
	whole, over := fmt.Sprintf("/%d", maxRead), fmt.Sprintf("/%d", 3*maxRead)
	k := keep(t, Options{Path: file, All: true}, s.URL, whole, over)
	for _, r := range readStrictly(t, file+".part") {
		if r.kind != "response" {
			continue
		}
		_, body, _ := strings.Cut(r.block, "\r\n\r\n")
		if strings.HasSuffix(r.uri, whole) && (len(body) != maxRead || r.header["WARC-Truncated"] != "") ||
			strings.HasSuffix(r.uri, over) && (len(body) < maxRead || len(body) >= 3*maxRead || r.header["WARC-Truncated"] != "length") {
			t.Errorf("%s: %d bytes, cut: %q", r.uri, len(body), r.header["WARC-Truncated"])
		}
	}
	if err := k.Finish(Run{}); err != nil {
		t.Fatal(err)
	}
	a := open(t, file)
	for _, path := range []string{whole, over} {
		if got := ask(t, a, s.URL+path, fetch.Content); !strings.HasPrefix(got, "OK 0123") || len(got) < maxRead {
			t.Errorf("%s: replayed %d bytes", path, len(got))
		}
	}
}
