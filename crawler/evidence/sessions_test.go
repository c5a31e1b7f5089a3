package evidence

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Sessions of one crawl keep as one: after an interrupt, and after a kill, which may leave half a
// record.
func TestSessions(t *testing.T) {
	s := site(t)
	dir := t.TempDir()
	o := Options{Path: filepath.Join(dir, "e.warc.gz"), Earlier: filepath.Join(dir, "earlier.warc.gz"), All: true}
	count := func() (uris string) {
		for _, r := range readStrictly(t, o.Path) {
			if r.kind == "request" {
				uris += strings.TrimPrefix(r.uri, s.URL)
			}
		}
		return uris
	}
	k := keep(t, o, s.URL, "/a", "/b")
	if err := k.Finish(Run{}); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(o.Earlier); err != nil || count() != "/a/b" {
		t.Errorf("after the first session: %v, %q", err, count())
	}
	o.Resumes = true
	k = keep(t, o, s.URL, "/c")
	killed, err := os.OpenFile(k.part.Name(), os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	killed.WriteString("\x1f\x8b half")
	killed.Close()
	k.part.Close()
	k = keep(t, o, s.URL, "/d")
	if err := k.Finish(Run{Over: true}); err != nil {
		t.Fatal(err)
	}
	if got := count(); got != "/a/b/c/d" {
		t.Errorf("after the last session: %q", got)
	}
	if left, _ := filepath.Glob(filepath.Join(dir, "*")); len(left) != 1 {
		t.Errorf("left behind: %v", left)
	}
	var notes strings.Builder
	o.Note = &notes
	p, err := openPlace(o)
	if err != nil {
		t.Fatal(err)
	}
	f, size, err := p.createPart(func(*os.File) int64 { return 0 })
	if err != nil {
		t.Fatal(err)
	}
	f.Close()
	if size != 0 || strings.Count(notes.String(), "\n") != 1 || !strings.Contains(notes.String(), "is gone") {
		t.Errorf("without the file of earlier sessions: %d bytes, notes %q", size, notes.String())
	}
}

// What a session asked of a target that it did not settle does not count.
func TestBegun(t *testing.T) {
	at := func(session int, first bool) *entry { return &entry{session: session, facts: facts{First: first}} }
	for want, known := range map[int][]*entry{
		0: {at(1, true), at(2, false)},
		2: {at(1, true), at(1, false), at(2, true)},
	} {
		if got := begun(known); got != want {
			t.Errorf("session %d, want %d", got, want)
		}
	}
}
