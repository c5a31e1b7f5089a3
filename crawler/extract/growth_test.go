package extract

import (
	"runtime"
	"testing"
	"time"
)

// checkLinear holds that eight times the document takes about eight times as
// long, where 64 times would be the mistake. What is measured is the time on the
// processor, so that it matters little what else the machine does; and what seems
// slow is measured again, because the first of its size pays for its memory. Each
// document is read bare, too, and its bare links once more.
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
