//go:build unix

package plugin

import (
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/orbweaver/orbweaver/crawler/internal/inspect/page"
)

// ownTime returns the CPU time of this process.
func ownTime(b *testing.B) time.Duration {
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		b.Fatal(err)
	}
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}

// BenchmarkCheck measures a page of 73 KB: wall time, and the CPU time of our side.
func BenchmarkCheck(b *testing.B) {
	const paragraph = "<p class=\"x\">A paragraph with a <a href=\"/guide/page.html?a=1&amp;b=2\" title='n\u00e4here'>link</a>,\n\tas pages have it.</p>\n"
	pg := &page.Page{
		Seen: "https://example.com/", URL: "https://example.com/", Status: 200, ContentType: "text/html", Charset: "utf-8",
		Header: map[string][]string{"Content-Type": {"text/html"}, "Date": {"Thu, 01 Jan 2026 00:00:00 GMT"}, "Etag": {`"abc"`}},
		Text:   []byte(strings.Repeat(paragraph, 73<<10/len(paragraph))),
	}
	plugins, err := Start(b.Context(), []Config{childConfig("good", nil)})
	if err != nil {
		b.Fatal(err)
	}
	defer plugins[0].Close()
	b.SetBytes(int64(len(pg.Text)))
	b.ReportAllocs()
	before := ownTime(b)
	for b.Loop() {
		if answer, err := plugins[0].Check(b.Context(), pg); err != nil || answer.Findings[0].Code != "spell-word" {
			b.Fatal(answer, err)
		}
	}
	b.ReportMetric(float64(ownTime(b)-before)/float64(b.N), "cpu-ns/op")
}
