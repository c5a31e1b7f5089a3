package urinorm

import (
	"bytes"
	"errors"
	"sync"
	"testing"
)

func TestNewBaseErrors(t *testing.T) {
	if _, err := NewBase(URL{}, ""); !errors.Is(err, ErrRelative) {
		t.Errorf("the zero URL: %v", err)
	}
	u := mustParse(t, "http://example.com/")
	for _, charset := range []string{"utf-9", "windows-1252\u00a0", "x"} {
		if _, err := NewBase(u, charset); !errors.Is(err, ErrCharset) {
			t.Errorf("charset %q: %v", charset, err)
		}
	}
	for _, charset := range []string{"", "UTF-8", " Latin1\n", "x-user-defined", "utf-16", "replacement"} {
		if _, err := NewBase(u, charset); err != nil {
			t.Errorf("charset %q: %v", charset, err)
		}
	}
}

// For every reference of the standards' data on every kind of base, the fast path
// agrees with the slow path. It handles nearly all links of real documents.
func TestFastPathEqualsSlowPath(t *testing.T) {
	var refs []string
	for _, name := range []string{"wpt-urltestdata", "web-differential", "dedupe-key"} {
		for _, c := range webCorpus(t, name) {
			refs = append(refs, c.Input)
		}
	}
	real := webCorpus(t, "hrefs-real")
	for i, c := range real {
		if i%10 == 0 {
			refs = append(refs, c.Input)
		}
	}
	for _, s := range []string{
		"http://example.com/a/b/c.html?q#f", "https://u:p@example.com:8443/", "ws://h/x", "ftp://h/a//b", "http://h/?",
		"file:///a/b", "file:///C:/", "foo://h/a/b", "foo://h", "foo:/a/b", "mailto:a@b",
	} {
		base := mustBase(t, s, "")
		for _, ref := range refs {
			fast, at, ok := base.appendFast(nil, ref)
			if !ok {
				continue
			}
			slow, slowAt, repairs, err := base.appendSlow(nil, ref)
			if err != nil || repairs != 0 || !bytes.Equal(fast, slow) || at != slowAt {
				t.Errorf("%q on %s: fast %q %+v, slow %q %+v %q %v", ref, s, fast, at, slow, slowAt, repairs.Names(), err)
			}
		}
	}
	taken := 0
	for _, c := range real {
		if _, _, ok := mustBase(t, *c.Base, "").appendFast(nil, c.Input); ok {
			taken++
		}
	}
	if 1000*taken < 995*len(real) {
		t.Errorf("the fast path took %d of %d real links", taken, len(real))
	}
}

func TestAppendKeepsWhatIsThere(t *testing.T) {
	base := mustBase(t, "http://example.com/a/b", "")
	dst := []byte("first ")
	for _, ref := range []string{"c", "c d", "#f"} {
		var at Offsets
		var err error
		n := len(dst)
		if dst, at, _, err = base.Append(dst, ref); err != nil {
			t.Fatal(err)
		}
		if got := string(dst[n+int(at.PathStart) : n+int(at.QueryStart)]); got[0] != '/' {
			t.Errorf("%q: path %q", ref, got)
		}
		dst = append(dst, ' ')
	}
	want := "first http://example.com/a/c http://example.com/a/c%20d http://example.com/a/b#f "
	if string(dst) != want {
		t.Errorf("got %q, want %q", dst, want)
	}
	if got, at, _, err := base.Append(dst, "http://a b/"); err == nil || string(got) != want || at != (Offsets{}) {
		t.Errorf("an error left %q %+v", got, at)
	}
}

// A base is safe for concurrent use.
func TestBaseIsSafeForConcurrentUse(t *testing.T) {
	base := mustBase(t, "http://example.com/a/b", "iso-2022-jp")
	var wait sync.WaitGroup
	for range 8 {
		wait.Go(func() {
			for range 100 {
				u, _, err := base.Resolve("?日本")
				if err != nil || u.String() != "http://example.com/a/b?%1B$BF|K\\%1B(B" {
					t.Errorf("got %q, %v", u, err)
					return
				}
			}
		})
	}
	wait.Wait()
}

// The functions that a crawl calls for every link do not allocate.
func TestAllocations(t *testing.T) {
	links := benchmarkLinks(t)
	var buf []byte
	check := func(what string, limit float64, f func(l *webLink)) {
		t.Helper()
		total := testing.AllocsPerRun(3, func() {
			for i := range links {
				f(&links[i])
			}
		})
		if perLink := total / float64(len(links)); perLink > limit {
			t.Errorf("%s: %.3f allocations a link, at most %v", what, perLink, limit)
		}
	}
	// The few links that are not ordinary allocate.
	check("append", 0.02, func(l *webLink) { buf, _, _, _ = l.base.Append(buf[:0], l.ref) })
	check("string", 1.05, func(l *webLink) { _, _, _ = l.base.Resolve(l.ref) })
	u := mustParse(t, "https://u:p@example.com/%7Ea/%2f?x=%41|b#f")
	href := []byte(u.String())
	check("key", 0, func(*webLink) { buf = AppendKey(buf[:0], href, u.at) })
	check("printed", 0, func(*webLink) { buf = AppendPrinted(buf[:0], href, u.at) })
	check("KeyOf", 1, func(*webLink) { _ = KeyOf(u) })
	check("parts", 0, func(*webLink) {
		_, _ = u.Username(), u.Password()
		_, _, _, _, _ = u.Host(), u.Port(), u.Path(), u.RequestTarget(), u.WithoutFragment()
	})
}
