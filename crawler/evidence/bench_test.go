package evidence

import (
	"net/http"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/orbweaver/orbweaver/crawler/internal/traffic"
	"github.com/orbweaver/orbweaver/urinorm"
)

// keepPages returns a function that keeps an exchange with a page of 16 KB, another one for each number.
func keepPages(t testing.TB) (one func(n int), size int) {
	k, err := Create(Options{Path: filepath.Join(t.TempDir(), "e.warc.gz"), All: true, MaxSize: 1 << 40, MaxBody: 1 << 20, Note: t.Output()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(k.Abandon)
	u, _, err := urinorm.ParseWeb("http://example.com/page")
	if err != nil {
		t.Fatal(err)
	}
	var text strings.Builder
	text.WriteString("<title>A page</title>")
	for i := range 1700 {
		text.WriteString("word" + strconv.Itoa(i*i*7919%5000) + " ")
	}
	page := []byte(text.String())
	header := http.Header{"Content-Type": {"text/html"}, "Date": {"x"}, "Server": {"y"}}
	return func(n int) {
		x := k.Begin(&traffic.Sent{URL: u, Asker: traffic.Asker{URL: u, Visit: true}, Method: "GET", Target: "/page", Header: header, Host: "example.com", At: formatDay, Page: true})
		x.Keep(strconv.AppendInt(nil, int64(n), 10))
		x.Keep(page)
		x.Finish(&traffic.Received{Status: 200, Reason: "200 OK", Header: header, Size: -1, Requests: 1}, nil)
	}, len(page)
}

func BenchmarkKeep(b *testing.B) {
	keep, size := keepPages(b)
	b.SetBytes(int64(size))
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		keep(i)
	}
}

// Keeping must not take much longer than crawling. What it takes besides compressing and hashing shows in the
// number of allocations, which does not grow with the body.
func TestKeepingCost(t *testing.T) {
	keep, size := keepPages(t)
	n := 0
	allocs := testing.AllocsPerRun(500, func() {
		n++
		keep(n)
	})
	t.Logf("an exchange of %d bytes: %v allocations", size, allocs)
	const most = 80
	if allocs > most {
		t.Errorf("keeping an exchange of %d bytes makes %v allocations, at most %d", size, allocs, most)
	}
}
