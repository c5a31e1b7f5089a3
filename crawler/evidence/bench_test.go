package evidence

import (
	"net/http"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/orbweaver/orbweaver/crawler/fetch"
	"github.com/orbweaver/orbweaver/urinorm"
)

// BenchmarkKeep keeps one exchange with a page of 6 KB.
func BenchmarkKeep(b *testing.B) {
	k, err := Create(Options{Path: filepath.Join(b.TempDir(), "e.warc.gz"), MaxSize: 1 << 40, MaxBody: 1 << 20, Note: b.Logf})
	if err != nil {
		b.Fatal(err)
	}
	defer k.Abandon()
	u, _, err := urinorm.ParseWeb("http://example.com/page")
	if err != nil {
		b.Fatal(err)
	}
	var page strings.Builder
	for i := range 600 {
		page.WriteString("word" + strconv.Itoa(i*i*7919%5000) + " ")
	}
	header := http.Header{"Content-Type": {"text/html"}, "Date": {"x"}, "Server": {"y"}}
	b.SetBytes(int64(page.Len()))
	for i := 0; b.Loop(); i++ {
		x := k.Begin(&fetch.Sent{URL: u, Asker: fetch.Asker{URL: u, Visit: true}, Method: "GET", Target: "/page", Header: header, Host: "example.com", At: formatDay})
		x.Keep([]byte(strconv.Itoa(i) + page.String()))
		x.Finish(&fetch.Received{Status: 200, Reason: "200 OK", Header: header, Size: -1, Requests: 1})
	}
}
