package crawler

import (
	"maps"
	"testing"

	"github.com/orbweaver/orbweaver/crawler/check"
	"github.com/orbweaver/orbweaver/crawler/result"
)

// Verdicts can be waited for whether their results are listed or not.
func TestWatched(t *testing.T) {
	s := newShifting(t)
	s.page("/", `<a href="a">a</a> <a href="a#here">a</a> <a href="a#gone">a</a> <a href="a#b%20c">a</a> <a href="b">b</a>
		<a href="moved">m</a> <a href="http://[">bad</a> <a href="skip">s</a> <a href="d#only">d</a>`)
	s.page("/a", `<p id=here><p id="b c">`)
	s.page("/d", `<p id=only>`)
	s.page("/unlinked", `<p>`)
	s.status("/moved", 301, "Location", "/a")
	want := map[string]check.Verdict{
		s.url + "/":        check.OK,
		s.url + "/a":       check.OK,
		s.url + "/a#here":  check.OK,
		s.url + "/a#gone":  check.Broken,
		s.url + "/a#b%20c": check.OK,
		s.url + "/b":       check.Broken,
		s.url + "/moved":   check.OK,
		s.url + "/skip":    check.Skipped,
		s.url + "/d#only":  check.OK,
		"http://[":         check.Broken,
	}
	for _, show := range []result.Show{{None: true}, showAll()} {
		cfg := web(t)
		got := map[string]check.Verdict{}
		cfg.Deliver.Show, cfg.Deliver.Watched = show, map[string]bool{s.url + "/a#other": true, s.url + "/d": true, s.url + "/unlinked": true, "x": true, "": true}
		for url := range want {
			cfg.Deliver.Watched[url] = true
		}
		var watched []result.Watched
		cfg.Deliver.Watch = &watched
		cfg.Judging.Rules = []Rule{{Name: "skip", Match: func(url string) bool { return url == s.url+"/skip" }, Verdict: "ignore"}}
		crawl(t, cfg, seedOf(t, s.url+"/"))
		for _, w := range watched {
			if was, told := got[w.URL]; told {
				t.Errorf("%s was told twice: %v, %v", w.URL, was, w.Verdict)
			}
			got[w.URL] = w.Verdict
		}
		if !maps.Equal(got, want) {
			t.Errorf("got  %v\nwant %v", got, want)
		}
	}
}
