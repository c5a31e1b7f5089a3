package references

import (
	"bytes"
	"context"
	"path/filepath"
	"reflect"
	"regexp"
	"testing"
	"time"

	"github.com/orbweaver/orbweaver/crawler/check"
	"github.com/orbweaver/orbweaver/crawler/extract"
	"github.com/orbweaver/orbweaver/crawler/fetch"
	"github.com/orbweaver/orbweaver/crawler/internal/admit"
	"github.com/orbweaver/orbweaver/crawler/internal/frontier"
	"github.com/orbweaver/orbweaver/crawler/internal/judging"
	"github.com/orbweaver/orbweaver/crawler/internal/recall"
	"github.com/orbweaver/orbweaver/crawler/internal/scope"
	"github.com/orbweaver/orbweaver/crawler/internal/traffic"
	"github.com/orbweaver/orbweaver/crawler/store"
	"github.com/orbweaver/orbweaver/urinorm"
)

const keptDocument = `<title>T</title><a href=a>one</a> <a href="a#x">two</a> <a href="a#x">two</a> <a href="#own">own</a> <a href="http://[">bad</a>
	<a href="https://example.org/there#id">out</a> <a href="mailto:a@example.org">mail</a> <a href=excluded/1>x</a> <img src=i.png>`

// keptEnv returns the environment of a run that keeps pages. Its fingerprints are those of all such runs.
func keptEnv(t testing.TB, w frontier.Width) (*Env, scope.Href) {
	t.Helper()
	start, _, err := urinorm.ParseWeb("https://example.com/dir/")
	if err != nil {
		t.Fatal(err)
	}
	m := frontier.NewMemory()
	if w == frontier.Wide {
		m = frontier.NewWideMemory()
	}
	m.SetKey([16]byte{1})
	env := newEnv(&given{Settings: scope.Settings{Rules: &scope.Rules{Exclude: []*regexp.Regexp{regexp.MustCompile("/excluded/")}}}, store: m}, scope.Seed{URL: start, Crawl: true})
	env.Keeps = true
	return env, scope.HrefOf(start)
}

// keptPage returns a page of an environment that has been read.
func keptPage(t testing.TB, env *Env, at scope.Href) *Page {
	t.Helper()
	return readPage(t.Context(), t, env, at)
}

// readPage returns a page that is read until ctx ends.
func readPage(ctx context.Context, t testing.TB, env *Env, at scope.Href) *Page {
	t.Helper()
	p := &Page{}
	p.Reset(env, at, 3)
	extract.ExtractInto(&p.Document, extract.Input{Body: []byte(keptDocument), ContentType: "text/html"})
	base, err := urinorm.NewBase(scope.URLOf(at), "")
	if err != nil {
		t.Fatal(err)
	}
	p.From(Source{Base: base})
	p.AddAll(ctx, &p.Document)
	return p
}

func clonedKeep(p *Page) (targets, block []byte) {
	targets, block = Keep(p)
	return bytes.Clone(targets), bytes.Clone(block)
}

// The rules of a configuration can make each link expensive, so the end of a run is noticed between two links.
func TestAddAllEnds(t *testing.T) {
	env, at := keptEnv(t, frontier.Narrow)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if p := readPage(ctx, t, env, at); len(p.Document.Links) == 0 || len(p.Targets()) > 0 {
		t.Errorf("%d of %d links were added after the end", len(p.Targets()), len(p.Document.Links))
	}
}

// A page that is taken over has the targets and the references of the page that was read, in
// both widths, and whether or not the run knows the targets already.
func TestTakeOver(t *testing.T) {
	for _, w := range []frontier.Width{frontier.Narrow, frontier.Wide} {
		env, at := keptEnv(t, w)
		read := keptPage(t, env, at)
		targets, block := clonedKeep(read)
		if len(read.Targets()) < 7 {
			t.Fatalf("%d targets", len(read.Targets()))
		}
		env, at = keptEnv(t, w)
		taken := &Page{}
		for _, known := range []bool{false, true} {
			taken.Reset(env, at, 3)
			if err := TakeOver(taken, targets, block); err != nil {
				t.Fatal(err)
			}
			want := bytes.Clone(read.Encode())
			if got := taken.Encode(); !bytes.Equal(got, want) {
				t.Errorf("width %d: the references are\n%q, want\n%q", w, got, want)
			}
			for i, item := range read.Targets() {
				got := taken.Targets()[i]
				if len(item.Host) == 0 {
					got.Host, item.Host = nil, nil
				}
				if known && item.Outcome == nil {
					if got.ID != frontier.ID(i+1) {
						t.Errorf("width %d: target %d has the ID %d", w, i, got.ID)
					}
					got.ID, got.Host, got.Job = 0, item.Host, item.Job
				}
				if !reflect.DeepEqual(got, item) {
					t.Errorf("width %d: target %d is\n%+v, want\n%+v", w, i, got, item)
				}
			}
			if len(taken.Targets()) != len(read.Targets()) || !env.Scope().Uses[0].Matched() {
				t.Errorf("width %d: %d targets, the exclusion matched: %v", w, len(taken.Targets()), env.Scope().Uses[0].Matched())
			}
			ids := make([]frontier.ID, len(taken.Targets()))
			for i := range ids {
				ids[i] = frontier.ID(i + 1)
			}
			taken.Learn(taken.Targets(), ids)
		}
	}
}

// sameAnswers sends nothing: the answers to all requests for a URL are the same.
type sameAnswers struct{ fetch.Fetcher }

func (sameAnswers) Identity(*fetch.Request) (traffic.Identity, bool)  { return traffic.Identity{}, true }
func (sameAnswers) ExpiryNote(time.Time) (note fetch.Note, soon bool) { return note, false }

// memoryOf returns the memory of a run before which another one read the document at some URLs.
func memoryOf(t *testing.T, env *Env, document string, urls ...string) *recall.Memory {
	t.Helper()
	file, err := store.OpenCache(filepath.Join(t.TempDir(), "cache.db"), store.CacheOptions{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { file.Close() })
	from := recall.Sources{Cache: file, Fetcher: sameAnswers{}, Rules: scope.NewTargetRules(env.Scope(), nil), Frontier: env.Frontier, Print: env.Print}
	now := time.Now()
	memory, before := recall.New(from, recall.Settings{MaxAge: time.Hour}, now), recall.New(from, recall.Settings{}, now)
	before.Begin(now.Add(-time.Minute))
	var doc extract.Document
	extract.ExtractInto(&doc, extract.Input{Body: []byte(document), ContentType: "text/html"})
	o := judging.Outcome{Code: check.CodeOK, Status: 200}.With(judging.DocumentFacts(&doc))
	for _, url := range urls {
		u, _, err := urinorm.ParseWeb(url)
		if err != nil {
			t.Fatal(err)
		}
		asked := before.Condition(&admit.Target{Target: &frontier.Target{}, At: u}, &fetch.Request{URL: u, Need: fetch.Content}, env.Scope())
		before.Learn(asked, recall.Answer{Outcome: &o, Response: &fetch.Response{Status: 200}}, env.Scope())
	}
	memory.Begin(now)
	return memory
}

// A target on another site that an earlier run knows is taken over as settled only if the fragments
// on it are known, too, and is kept as one to be requested. Other targets are not looked up.
func TestTakeOverAsksEarlierRuns(t *testing.T) {
	for document, want := range map[string]int{"<p id=id>": 1, "<p>": 0} {
		env, at := keptEnv(t, frontier.Narrow)
		targets, block := clonedKeep(keptPage(t, env, at))
		env.Earlier = memoryOf(t, env, document, "https://example.org/there", "https://example.com/dir/a", "https://example.com/dir/i.png")
		p := &Page{}
		p.Reset(env, at, 3)
		if err := TakeOver(p, targets, block); err != nil {
			t.Fatal(err)
		}
		settled := 0
		for i := range p.Targets() {
			if item := &p.Targets()[i]; item.Outcome != nil && isFromEarlier(item.Outcome) {
				settled++
				if len(item.Job) == 0 || string(item.Host) != "example.org" {
					t.Errorf("%+v", item)
				}
			}
		}
		if settled != want {
			t.Errorf("%s: %d targets are settled, want %d", document, settled, want)
		}
		if again, _ := Keep(p); !bytes.Equal(again, targets) && want > 0 {
			t.Error("what an earlier run knew was kept")
		}
	}
}

// FuzzTakeOver takes over arbitrary bytes.
func FuzzTakeOver(f *testing.F) {
	env, at := keptEnv(f, frontier.Narrow)
	targets, block := clonedKeep(keptPage(f, env, at))
	f.Add(targets, block)
	f.Add(targets[:len(targets)/2], block)
	f.Add(targets, block[:len(block)/2])
	f.Add([]byte{0}, []byte{})
	env.Earlier = recall.New(recall.Sources{Frontier: env.Frontier}, recall.Settings{Scans: true}, time.Now()) // knows nothing that may be used
	base, err := urinorm.NewBase(scope.URLOf(at), "")
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, targets, block []byte) {
		p := &Page{}
		p.Reset(env, at, 0)
		p.Against(base)
		if TakeOver(p, targets, block) != nil {
			return
		}
		if _, err := env.Frontier.Refer(t.Context(), p.Targets()); err != nil {
			return // a target that no page has
		}
		_ = p.AddSitemap(&extract.Link{Raw: "map.xml", Ref: "https://example.com/map.xml"})
		p.Encode()
	})
}
