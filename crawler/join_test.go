package crawler

import (
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"testing"
	"time"

	"github.com/orbweaver/orbweaver/crawler/check"
	"github.com/orbweaver/orbweaver/crawler/internal/sitetest"
	"github.com/orbweaver/orbweaver/crawler/result"
)

// told runs a crawl whose join holds so many anchors at once, and returns all that
// it tells but for times.
func told(t *testing.T, cfg *Config, seeds []Seed, anchors int) string {
	t.Helper()
	c := &collector{}
	r := newRun(t.Context(), cfg, seeds, c)
	r.describer.windowed = anchors
	if err := r.seeds.Enter(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := r.crawl(t.Context()); err != nil {
		t.Fatal(err)
	}
	sum, err := r.reports.Give(t.Context(), r.describer.crawl())
	if err != nil {
		t.Fatal(err)
	}
	for _, res := range c.results {
		res.Elapsed = 0
	}
	said, err := json.Marshal([]any{sum.OK, sum.Broken, sum.Results, sum.References, sum.Warnings, sum.ByCode, c.results})
	if err != nil {
		t.Fatal(err)
	}
	return string(said)
}

// What was left out is counted the same whether it is shown or not, however it was
// met.
func TestLeftOutIsCounted(t *testing.T) {
	mux := http.NewServeMux()
	page := `<a href="http://left.test/a">x</a> <a href="http://left.test/a#f">x</a> <a href="http://left.test/a">x</a> <img src="http://left.test/b">
		<a href="http://left.test/c&quot;d">x</a> <a href="http://left.test/excluded">x</a> <a href="/2">x</a> <a href="/3">x</a> <a href="/4#f">x</a> <a href="/4">x</a> <a href="/excluded/">x</a>`
	mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		fmt.Fprint(w, page)
	})
	base, _ := sitetest.Serve(t, mux)
	sums := map[bool]*result.Summary{}
	for _, shown := range []bool{true, false} {
		cfg := web(t)
		cfg.Scope.External, cfg.Limits.MaxPages, cfg.Deliver.Show = SkipExternal, 2, result.Show{Skipped: shown, Broken: true}
		cfg.Scope.Exclude = []*regexp.Regexp{regexp.MustCompile("excluded")}
		cfg.Politeness.Concurrency = 1
		_, sum := crawl(t, cfg, seedOf(t, base+"/"))
		sum.Elapsed, sum.Started = 0, time.Time{}
		sums[shown] = sum
	}
	if !reflect.DeepEqual(sums[true], sums[false]) {
		t.Errorf("shown:\n%+v, not shown:\n%+v", sums[true], sums[false])
	}
	if got := sums[false].ByCode; got[check.CodeExternal] != 4 || got[check.CodeLimit] == 0 || got[check.CodeExcluded] == 0 {
		t.Errorf("by code: %v", got)
	}
}

// TestPagesOwnWarnings: what there is to say of a page's own content is told with the
// page alone; references to its anchors are as simply ok as those to any page, and
// what is counted does not hang on what is shown.
func TestPagesOwnWarnings(t *testing.T) {
	dir := t.TempDir()
	files := map[string]string{"index.html": `<a href="twice.html#a">1</a><a href="twice.html#b">2</a><a href="twice.html#b">3</a><a href="twice.html#gone">4</a>
		<a href="twice.html#top">5</a><a href="only.html#a">6</a><img src="only.html#a"><a href="clean.html#a">7</a>
		<a href="clean.html#">8</a><a href="clean.html#">9</a><img src="clean.html#"><a href="only.html#">10</a><a href="gone.html#">11</a>`}
	for _, name := range []string{"twice.html", "only.html"} {
		files[name] = `<p id="a"></p><p id="a"></p><p id="b"></p>`
	}
	files["clean.html"] = `<p id="a"></p><a href="twice.html">whole</a>`
	for name, content := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte("<!doctype html><title>x</title>"+content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	cfg, seeds := onDisk(t, dir)
	counts := func(show result.Show) (sum result.Summary, told []string) {
		cfg.Deliver.Show = show
		c := &collector{}
		s, err := Run(t.Context(), cfg, seeds, c)
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range c.results {
			line := filepath.Base(r.URL) + " " + r.Verdict.String()
			for _, w := range r.Warnings {
				line += " " + string(w.Code)
			}
			told = append(told, fmt.Sprintf("%s %d", line, len(r.References)))
		}
		return result.Summary{Results: s.Results, References: s.References, OK: s.OK, Broken: s.Broken, Warnings: s.Warnings, ByCode: s.ByCode}, told
	}
	some, told := counts(result.Show{Broken: true, Warning: true})
	want := []string{"clean.html# ok content-type-mismatch 3", "gone.html# broken 1", "only.html ok fragment-duplicate 0", "only.html#a ok content-type-mismatch 2",
		"twice.html ok fragment-duplicate 1", "twice.html#gone broken 1"}
	if !slices.Equal(told, want) {
		t.Errorf("told %q, want %q", told, want)
	}
	want[4] = "twice.html ok fragment-duplicate 0"
	if sparing, told := counts(result.Show{Broken: true, Warning: true, SkipPageReferences: true}); !slices.Equal(told, want) || !reflect.DeepEqual(sparing, some) {
		t.Errorf("where nobody asks for them, told %q, want %q", told, want)
	}
	if all, _ := counts(showAll()); !reflect.DeepEqual(all, some) {
		t.Errorf("counted %+v; where all is shown, %+v", some, all)
	}
}

// TestDuplicateIDsElsewhere: what others' pages have twice is not ours to tell.
func TestDuplicateIDsElsewhere(t *testing.T) {
	cfg, _ := realWeb(t, at(map[string]func(*exchange){
		"site.test/":    page(`<a href="/own#a">a</a> <a href="//other.test/#a">b</a>`),
		"site.test/own": page("<p id=a><p id=a>"),
		"other.test/":   page("<p id=a><p id=a>"),
	}))
	c, _ := crawl(t, cfg, seedOf(t, "http://site.test/"))
	for url, want := range map[string]int{"http://site.test/own": 1, "http://other.test/#a": 0} {
		if r := c.find(url); r.Verdict != check.OK || len(r.Warnings) != want {
			t.Errorf("%s: %v with %+v, want %d warnings", url, r.Verdict, r.Warnings, want)
		}
	}
}
