package references

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"regexp"
	"testing"

	"github.com/orbweaver/orbweaver/crawler/extract"
	"github.com/orbweaver/orbweaver/crawler/fetch/disk"
	"github.com/orbweaver/orbweaver/crawler/internal/frontier"
	"github.com/orbweaver/orbweaver/crawler/internal/scope"
	"github.com/orbweaver/orbweaver/urinorm"
)

// TestKnownReferences: remembered results change nothing. The same links are added to one
// Page that serves all pages, and to one that is new for each page.
func TestKnownReferences(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	refs := []string{"", "#", "#a", "#b%20c", "#b c", "#/view", "#:~:text=x", "?", "?q", "a.html", "a.html#x", "a.html#y", "A.html", "./a.html", "../p1/a.html",
		"/p1/a.html", "//0.site.invalid/p1/a.html", "https://0.site.invalid/p1/a.html", "https://elsewhere.example/", "http://elsewhere.example/x.png", "a.png", "b/", "b/../a.html",
		" a.html", "a\\b", "%61.html", "a.html?q=1&b", "mailto:a@b.example", "https:", "https:a.html", "http:", "../../../x", "é.html", "file:///etc/passwd", "http://[bad", "data:,x"}
	for i := range 40 {
		refs = append(refs, fmt.Sprintf("page-%d.html", i))
	}
	pages := []string{"https://0.site.invalid/p1/a.html", "https://0.site.invalid/p1/b.html", "https://0.site.invalid/p2/a.html?q", "https://www.example.com/p1/a.html", "https://www.example.com/", "http://www.example.com/p1/a.html"}
	bases := []string{"", "https://0.site.invalid/p1/other.html", "https://www.example.com/deep/er/"}
	for name, set := range map[string]func(*given){
		"plain":                  func(*given) {},
		"depth":                  func(g *given) { g.Rules.Depth = 2 },
		"external links skipped": func(g *given) { g.Rules.External = scope.SkipExternal },
		"patterns":               func(g *given) { g.Rules.Exclude = []*regexp.Regexp{regexp.MustCompile("#a|page-7")} },
		"credentials":            func(g *given) { g.Rules.Credentials = true },
		"pages":                  func(g *given) { g.pages = true },
		"wide fingerprints":      func(g *given) { g.store = frontier.NewWideMemory() },
	} {
		t.Run(name, func(t *testing.T) {
			cfg := onDisk(t, t.TempDir())
			set(cfg)
			env := newEnv(cfg, scope.Seed{URL: mustParse(t, "https://www.example.com/p1/"), Follow: true, Crawl: true}, scope.Seed{URL: cfg.Sites[0].Base(), Crawl: true})
			remembers := &Page{}
			for n := range 200 {
				page := mustParse(t, pages[random.IntN(len(pages))])
				at := page
				if b := bases[random.IntN(len(bases))]; b != "" {
					at = mustParse(t, b)
				}
				base, err := urinorm.NewBase(at, "")
				if err != nil {
					t.Fatal(err)
				}
				depth, nofollow := random.IntN(4), random.IntN(4) == 0
				var links []extract.Link
				for range random.IntN(80) {
					links = append(links, extract.Link{Ref: refs[random.IntN(len(refs))], Kind: extract.Kind(random.IntN(int(extract.Host) + 1)), Expect: extract.Expect(random.IntN(2)),
						NoFollow: random.IntN(5) == 0, Ignored: random.IntN(20) == 0, SameDocument: random.IntN(20) == 0, Element: "a", Attribute: "href", Line: random.IntN(100)})
				}
				gather := func(f *Page) ([]frontier.Item, []frontier.RawLink) {
					f.Reset(env, scope.HrefOf(page), depth)
					f.From(Source{Base: base, Local: env.Scope().Sites.Of(page) != nil, NoFollow: nofollow})
					for i := range links {
						f.Add(&links[i])
					}
					return f.Targets(), readBlock(t, f.Encode())
				}
				items, block := gather(remembers)
				fresh := &Page{}
				wantItems, wantBlock := gather(fresh)
				if !reflect.DeepEqual(remembers.Edges(), fresh.Edges()) {
					t.Fatalf("page %d: edges %+v, want %+v", n, remembers.Edges(), fresh.Edges())
				}
				ids := make([]frontier.ID, len(items))
				for i := range items {
					if items[i].Fingerprint != wantItems[i].Fingerprint {
						t.Fatalf("page %d: item %d is another", n, i)
					}
					ids[i] = frontier.ID(items[i].Fingerprint.Low%1_000_000 + 1)
					if it := &items[i]; it.ID != 0 {
						if it.ID != ids[i] {
							t.Fatalf("page %d: item %d has the remembered ID %d, want %d", n, i, it.ID, ids[i])
						}
						it.ID, it.Host, it.Job = 0, wantItems[i].Host, wantItems[i].Job
					}
				}
				if !reflect.DeepEqual(items, wantItems) {
					for i := range items {
						if !reflect.DeepEqual(items[i], wantItems[i]) {
							t.Fatalf("page %d, item %d: %+v, want %+v", n, i, items[i], wantItems[i])
						}
					}
				}
				if !reflect.DeepEqual(block, wantBlock) {
					for i := range block {
						if !reflect.DeepEqual(block[i], wantBlock[i]) {
							t.Fatalf("page %d, %+v: %+v, want %+v", n, links[i], block[i], wantBlock[i])
						}
					}
				}
				remembers.Learn(remembers.Targets(), ids)
			}
		})
	}
}

func readBlock(t *testing.T, block []byte) []frontier.RawLink {
	t.Helper()
	var r frontier.LinkReader
	if err := r.Reset(block); err != nil {
		t.Fatal(err)
	}
	var links []frontier.RawLink
	for {
		var l frontier.RawLink
		more, err := r.Next(&l)
		if err != nil {
			t.Fatal(err)
		}
		if !more {
			return links
		}
		links = append(links, l)
	}
}

// startPage returns what begins the page that a crawl starts from, as often as it is called.
func startPage(t *testing.T) (begin func(*Page)) {
	t.Helper()
	env := newEnv(onDisk(t, t.TempDir()), scope.Seed{URL: mustParse(t, "https://www.example.com/"), Follow: true, Crawl: true})
	page := mustParse(t, "https://www.example.com/")
	base, err := urinorm.NewBase(page, "")
	if err != nil {
		t.Fatal(err)
	}
	return func(f *Page) {
		f.Reset(env, scope.HrefOf(page), 0)
		f.Against(base)
	}
}

// TestIgnoredLinkKeepsWave: a link that does not request its target does not change the
// wave in which another link requests it, in whatever order they come.
func TestIgnoredLinkKeepsWave(t *testing.T) {
	begin := startPage(t)
	const ref = "https://elsewhere.example/"
	for _, ignored := range [][]bool{{false, true}, {true, false}, {true, false, true}, {false}} {
		f := &Page{}
		begin(f)
		for _, ignore := range ignored {
			f.Add(&extract.Link{Ref: ref, Kind: extract.Navigation, Element: "a", Attribute: "href", Ignored: ignore})
		}
		items := f.Targets()
		if len(items) != 1 || items[0].Wave != frontier.Leaves || items[0].Outcome != nil {
			t.Errorf("ignored: %v: %+v", ignored, items)
		}
	}
}

// TestReopenedHost: the item of a target has its host even if only ignored links led to the
// target before, as the store does not know that host.
func TestReopenedHost(t *testing.T) {
	begin := startPage(t)
	f := &Page{}
	for _, ignore := range []bool{true, false} {
		begin(f)
		f.Add(&extract.Link{Ref: "https://elsewhere.example/", Kind: extract.Navigation, Element: "a", Attribute: "href", Ignored: ignore})
		items := f.Targets()
		if len(items) != 1 || string(items[0].Host) != "elsewhere.example" {
			t.Errorf("ignored: %v: %+v", ignore, items)
		}
		f.Learn(f.Targets(), []frontier.ID{7})
	}
}

// Wide fingerprints that have one half in common are not the same.
func TestHalvesOfFingerprints(t *testing.T) {
	var index itemIndex
	var ids knownIDs
	var prints []frontier.Fingerprint
	for low := range uint64(30) {
		for high := range uint64(30) {
			prints = append(prints, frontier.Fingerprint{Low: low, High: high})
		}
	}
	index.reset()
	var items []frontier.Item
	for i, fp := range prints {
		if at, there := index.find(items, fp); there {
			t.Fatalf("%v is %v", fp, prints[at])
		}
		items = append(items, frontier.Item{Fingerprint: fp})
		index.put(items)
		if id := ids.find(fp); id != 0 {
			t.Fatalf("%v has the ID of %v", fp, prints[id-1])
		}
		ids.put(fp, frontier.ID(i+1))
		if ids.find(fp) != frontier.ID(i+1) {
			t.Fatalf("%v has no ID", fp)
		}
	}
	for i, fp := range prints {
		if at, there := index.find(items, fp); !there || at != int32(i) {
			t.Fatalf("%v is found at %d, %v", fp, at, there)
		}
	}
}

// given is what an environment is made of.
type given struct {
	scope.Settings
	pages bool
	store *frontier.Memory
}

// onDisk is a configuration with a directory as a site.
func onDisk(t *testing.T, dir string) *given {
	t.Helper()
	site, err := disk.OpenSite(disk.SiteConfig{Base: mustParse(t, "https://0.site.invalid/"), Dir: dir, Synthetic: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { site.Close() })
	return &given{Settings: scope.Settings{Rules: &scope.Rules{WorkingDir: dir}, Sites: []*disk.Site{site}, Schemes: []string{"http", "https"}}, store: frontier.NewMemory()}
}

func newEnv(g *given, seeds ...scope.Seed) *Env {
	in := scope.New(g.Settings, seeds)
	env := NewEnv(scope.NewCurrent(in), frontier.New(g.store, frontier.Treatment{}))
	env.Pages = g.pages
	return env
}

func mustParse(t *testing.T, s string) urinorm.URL {
	t.Helper()
	u, _, err := urinorm.ParseWeb(s)
	if err != nil {
		t.Fatal(err)
	}
	return u
}
