package report

import (
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/orbweaver/orbweaver/crawler/check"
	"github.com/orbweaver/orbweaver/crawler/result"
)

// largeRun is a thousand broken targets with twenty references each.
func largeRun() *Report {
	run := fullRun()
	run.Results = nil
	for i := range 1000 {
		r := &result.Result{
			URL:     fmt.Sprintf("https://example.com/some/path/page-%d.html#section", (i*7919)%1000),
			Verdict: check.Broken, Code: "fragment-missing", Message: `no element has the id "section"`, Status: 200,
			FinalURL: "https://example.com/some/path/page.html", ContentType: "text/html", Size: 12345,
		}
		for j := range siteWidePages {
			r.References = append(r.References, result.Reference{
				Page: fmt.Sprintf("https://example.com/other/page-%02d.html", j), Line: 100 + j, Column: 17,
				Element: "a", Attribute: "href", Raw: "../some/path/page.html#section", Text: "Some words to click on",
			})
		}
		run.Results = append(run.Results, r)
	}
	return run
}

type countingWriter int64

func (c *countingWriter) Write(p []byte) (int, error) {
	*c += countingWriter(len(p))
	return len(p), nil
}

func BenchmarkWrite(b *testing.B) {
	run := largeRun()
	for _, f := range Formats {
		b.Run(f.Name, func(b *testing.B) {
			var n countingWriter
			if err := run.Write(newWriter(b, f, &n, Options{})); err != nil {
				b.Fatal(err)
			}
			b.SetBytes(int64(n))
			b.ReportAllocs()
			for b.Loop() {
				if err := run.Write(newWriter(b, f, io.Discard, Options{})); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkRead(b *testing.B) {
	text := render(b, "json", Options{}, largeRun())
	b.SetBytes(int64(len(text)))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := Read(strings.NewReader(text)); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkCompare(b *testing.B) {
	old, new := largeRun(), largeRun()
	b.ReportAllocs()
	for b.Loop() {
		if d := Compare(old, new); len(d.still) != 1000*siteWidePages {
			b.Fatal(len(d.still))
		}
	}
}

// BenchmarkSQLite reports rows per second: results, references and links.
func BenchmarkSQLite(b *testing.B) {
	run := largeRun()
	rows := 0
	for _, r := range run.Results {
		rows += 1 + len(r.References) + len(r.Redirects) + len(r.Warnings) + len(r.Suggestions)
	}
	for b.Loop() {
		if err := run.Write(newWriter(b, &sqliteFormat, io.Discard, Options{})); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(rows*b.N)/b.Elapsed().Seconds(), "rows/s")
}
