package extract

import (
	"testing"
	"time"
)

const (
	// growingSize is the size of the documents whose cost is compared with that of documents
	// of an eighth of it. A linear cost is then eight times as high, a quadratic one 64 times.
	growingSize = 1 << 17
	// mostGrowth is far from both.
	mostGrowth = 30
)

// growing makes, by media type and name, documents of hostile shapes about n bytes long.
func growing() map[string]map[string]func(n int) string {
	all := map[string]map[string]func(n int) string{"text/html": hostileDocuments, "text/markdown": growingMarkdown, MDXType: growingMDX}
	for media, documents := range growingText {
		all[media] = documents
	}
	return all
}

// readTwice reads a document, reads it again bare, and then reads its bare links again.
func readTwice(t testing.TB, body, contentType string) {
	in := Input{Body: []byte(body), ContentType: contentType}
	Extract(in)
	in.Bare = true
	doc := Extract(in)
	var again Rereader
	again.Reset(in.Body)
	for i := range doc.Links {
		if tag := doc.Links[i].Tag; tag != 0 {
			if _, ok := again.Link(tag); !ok {
				t.Fatalf("no link at %d of %.200q…", tag, body)
			}
		}
	}
}

// TestGrowth reads all hostile documents and counts the bytes that this allocates.
// BenchmarkGrowth measures the time.
func TestGrowth(t *testing.T) {
	for media, documents := range growing() {
		for name, make := range documents {
			small, large := make(growingSize/8), make(growingSize)
			few := allocated(func() { readTwice(t, small, media) })
			most := mostGrowth * (few + 64<<10)
			if many := allocated(func() { readTwice(t, large, media) }); many > most && !raceDetector { // which drops pooled buffers
				t.Errorf("%s, %s: %d KiB allocate %d bytes, want %d at most; %d KiB allocate %d", media, name, len(large)>>10, many, most, len(small)>>10, few)
			}
		}
	}
}

// BenchmarkGrowth reports how many times as long the large documents take, and names those
// whose time seems to grow like the square of their size. It needs a quiet machine, and five
// rounds, because the first one of a size includes allocating its memory:
//
//	go test ./crawler/extract -run '^$' -bench Growth -benchtime 5x
func BenchmarkGrowth(b *testing.B) {
	for media, documents := range growing() {
		for name, make := range documents {
			b.Run(media+"/"+name, func(b *testing.B) {
				small, large := make(growingSize/8), make(growingSize)
				measure := func(body string) time.Duration {
					began := time.Now()
					readTwice(b, body, media)
					return time.Since(began)
				}
				fast, slow := time.Duration(1<<62), time.Duration(1<<62)
				for b.Loop() {
					fast, slow = min(fast, measure(small)), min(slow, measure(large))
				}
				b.ReportMetric(float64(slow)/float64(fast), "growth")
				if slow > mostGrowth*fast && slow > 20*time.Millisecond {
					b.Logf("not linear: %d KiB take %v, %d KiB %v", len(small)>>10, fast, len(large)>>10, slow)
				}
			})
		}
	}
}
