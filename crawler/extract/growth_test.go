package extract

import (
	"runtime"
	"testing"
	"time"
)

// checkLinear checks that a document eight times as long takes about eight times as long to
// read; quadratic behavior would take 64 times as long. It measures processor time, which
// depends little on the load of the machine, and repeats a measurement that seems slow,
// because the first one of a size includes allocating its memory. It also reads each document
// bare, and then reads its bare links again.
func checkLinear(t *testing.T, contentType string, documents map[string]func(n int) string) {
	t.Helper()
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	measure := func(body string) time.Duration {
		in := Input{Body: []byte(body), ContentType: contentType}
		before := threadTime()
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
		return threadTime() - before
	}
	size := 1 << 17
	if raceDetector {
		size /= 2
	}
	for name, make := range documents {
		small, large := make(size/8), make(size)
		fast, slow := measure(small), measure(large)
		superlinear := func() bool { return slow > 30*fast && slow > 20*time.Millisecond }
		for try := 0; try < 4 && superlinear(); try++ {
			fast, slow = min(fast, measure(small)), min(slow, measure(large))
		}
		if superlinear() {
			t.Errorf("%s: %d KiB take %v, %d KiB %v", name, size>>13, fast, size>>10, slow)
		}
	}
}
