package crawler

import (
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/orbweaver/orbweaver/crawler/check"
	"github.com/orbweaver/orbweaver/crawler/extract"
	"github.com/orbweaver/orbweaver/crawler/fetch"
	"github.com/orbweaver/orbweaver/crawler/fetch/disk"
	"github.com/orbweaver/orbweaver/crawler/inspect"
	"github.com/orbweaver/orbweaver/crawler/result"
	"github.com/orbweaver/orbweaver/crawler/session"
	"github.com/orbweaver/orbweaver/crawler/store"
)

// noPart are the settings that have no part in what a report says of the same answers, or on which links
// are decided about (TestDecides), or which cut off a run that keeps its report only if it was not.
const noPart = "Fetch Sites Stop Scope.Rule Scope.External Scope.Include Scope.NoFollow Scope.Exclude Scope.ExcludeExcept Scope.Remaps Scope.SkipReserved Scope.Depth " +
	"Scope.Robots Scope.RobotsGiven Scope.RobotsAgent Scope.WorkingDir Scope.Credentials Scope.AllowUnsafe Scope.LeaveAlone Scope.SessionOrigins Limits.MaxTime Limits.Grace Limits.Spent " +
	"Politeness.Concurrency Politeness.PerHost Politeness.Rate Politeness.Delay Politeness.PerHostGiven Politeness.PerDomain Politeness.PerAddress Politeness.Still Politeness.Retries " +
	"Politeness.RetryStatus Politeness.SecondPassAfter Politeness.SecondPassGiven Politeness.Backoff Politeness.MaxWait Reading.Select Reading.IgnoreSelect Reading.Options Reading.Types " +
	"Reading.ReadAgain Judging.Resolver Judging.SkipMail Judging.MailProbe Render.Renderer Render.Trouble Render.By Keep.Store Keep.Cookies Keep.FingerprintBits Keep.Cache Keep.MaxAge " +
	"Keep.Refresh Keep.Pages Keep.Previous Keep.Edition Deliver.Watched Deliver.Watch"

// Every other setting makes another text, or lets no run repeat a report.
func TestReportSettings(t *testing.T) {
	accept := &check.Statuses{}
	if err := accept.Add(404, 404); err != nil {
		t.Fatal(err)
	}
	site, _, _ := directory(t, map[string]string{"index.html": ""})
	of := func(change func(*Config)) string {
		cfg := &Config{Sites: []*disk.Site{site}, Keep: Keep{Cache: &store.Cache{}}}
		change(cfg)
		return cfg.withDefaults().reportSettings()
	}
	never := of(func(c *Config) { c.Keep.Cache = nil })
	changes := map[string]func(*Config){
		"Scope.RootGiven":         func(c *Config) { c.Scope.RootGiven = true },
		"Scope.Sitemaps":          func(c *Config) { c.Scope.Sitemaps = true },
		"Limits.MaxBody":          func(c *Config) { c.Limits.MaxBody = 5 },
		"Limits.MaxBodyGiven":     func(c *Config) { c.Limits.MaxBodyGiven = true },
		"Limits.MaxRedirects":     func(c *Config) { c.Limits.MaxRedirects = 3 },
		"Reading.Publisher":       func(c *Config) { c.Reading.Publisher = func(string) extract.AnchorRule { return 1 } },
		"Judging.Accept":          func(c *Config) { c.Judging.Accept = accept },
		"Judging.IgnoreFragment":  func(c *Config) { c.Judging.IgnoreFragment = []*regexp.Regexp{regexp.MustCompile("x")} },
		"Judging.Rules":           func(c *Config) { c.Judging.Rules = []Rule{{BrokenHosts: []string{"x"}}} },
		"Judging.Levels":          func(c *Config) { c.Judging.Levels = check.Levels{{Code: "timeout"}} },
		"Judging.Hides":           func(c *Config) { c.Judging.Hides = &Hides{Levels: 1} },
		"Judging.RequireHTTPS":    func(c *Config) { c.Judging.RequireHTTPS = true },
		"Deliver.Show":            func(c *Config) { c.Deliver.Show.OK = true },
		"Scope.Changed":           func(c *Config) { c.Scope.Changed = &disk.Changes{} },
		"Limits.MaxPages":         func(c *Config) { c.Limits.MaxPages = 1 },
		"Judging.SoftNotFound":    func(c *Config) { c.Judging.SoftNotFound = true },
		"Judging.CheckHTTPS":      func(c *Config) { c.Judging.CheckHTTPS = true },
		"Judging.TextFragments":   func(c *Config) { c.Judging.TextFragments = true },
		"Judging.Drift":           func(c *Config) { c.Judging.Drift = &Drift{} },
		"Judging.Archive":         func(c *Config) { c.Judging.Archive = &Archive{} },
		"Judging.Inspector":       func(c *Config) { c.Judging.Inspector = &inspect.Inspector{} },
		"Login.Logins":            func(c *Config) { c.Login.Logins = []*session.Login{{}} },
		"Render.Mode":             func(c *Config) { c.Render.Mode = RenderAuto },
		"Keep.Coordination":       func(c *Config) { c.Keep.Coordination = &store.Coordination{} },
		"Deliver.Stream":          func(c *Config) { c.Deliver.Stream = true },
		"Deliver.Pages":           func(c *Config) { c.Deliver.Pages = true },
		"Deliver.Asks":            func(c *Config) { c.Deliver.Asks = &result.Paths{} },
		"Judging.Rules of status": func(c *Config) { c.Judging.Rules = []Rule{{Accept: accept}} },
		"Judging.Rules of levels": func(c *Config) { c.Judging.Rules = []Rule{{Levels: check.Levels{{Code: "timeout"}}}} },
		"Judging.Rules of texts": func(c *Config) {
			c.Judging.Rules = []Rule{{BrokenTexts: []TextPattern{{Pattern: regexp.MustCompile("x")}}}}
		},
	}
	seen := map[string]string{of(func(*Config) {}): "the defaults"}
	for name, change := range changes {
		got := of(change)
		if other, known := seen[got]; known && got != never {
			t.Errorf("%s has the text of %s: %s", name, other, got)
		}
		seen[got] = name
	}
	for _, name := range settings(reflect.TypeFor[Config](), "") {
		if _, has := changes[name]; !has && !slices.Contains(strings.Fields(noPart), name) && name != "Keep.Lease" {
			t.Errorf("does %s decide about a report?", name)
		}
	}
}

// directory writes files, and opens their directory. seeds are its pages.
func directory(t *testing.T, files map[string]string) (site *disk.Site, dir string, seeds []Seed) {
	t.Helper()
	dir = t.TempDir()
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	site, seeds = openDirectory(t, dir)
	return site, dir, seeds
}

func openDirectory(t *testing.T, dir string) (site *disk.Site, seeds []Seed) {
	t.Helper()
	site, err := disk.OpenSite(disk.SiteConfig{Base: mustParse(t, "https://0.site.invalid/"), Dir: dir, Synthetic: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { site.Close() })
	for _, name := range []string{"index.html", "other.html"} {
		if _, err := os.Stat(filepath.Join(dir, name)); err == nil {
			u, err := site.URLOf(name)
			if err != nil {
				t.Fatal(err)
			}
			seeds = append(seeds, Seed{URL: u, Follow: true, Crawl: true, Raw: name})
		}
	}
	return site, seeds
}

// A run gives the report of the run before once more, with its notes, if nothing has changed that the
// report depends on, and only then.
func TestRepeats(t *testing.T) {
	for _, row := range []struct {
		name   string
		again  bool
		change func(dir string, cfg *Config, answers map[string]string)
	}{
		{"nothing has changed", true, func(string, *Config, map[string]string) {}},
		{"another site answers with another status", false, func(_ string, _ *Config, answers map[string]string) { answers["/a"] = "404" }},
		{"another site redirects", false, func(_ string, _ *Config, answers map[string]string) { answers["/a"] = "301 /b" }},
		{"a file is new", false, func(dir string, _ *Config, _ map[string]string) {
			os.WriteFile(filepath.Join(dir, "missing.html"), nil, 0o666)
		}},
		{"more is shown", false, func(_ string, cfg *Config, _ map[string]string) { cfg.Deliver.Show.OK = true }},
		{"a finding has another level", false, func(_ string, cfg *Config, _ map[string]string) {
			cfg.Judging.Levels = check.Levels{levelRule(t, "file-missing=warning")}
		}},
		{"nothing old is used", false, func(_ string, cfg *Config, _ map[string]string) { cfg.Keep.Refresh = true }},
		{"a target is waited for that was broken", true, func(dir string, cfg *Config, _ map[string]string) {
			cfg.Deliver.Watched = map[string]bool{filepath.Join(dir, "missing.html"): true}
		}},
		{"a target is waited for that was fine", false, func(_ string, cfg *Config, _ map[string]string) {
			cfg.Deliver.Watched = map[string]bool{"http://b.test/a#id": true}
		}},
	} {
		t.Run(row.name, func(t *testing.T) {
			later := time.Now().Add(time.Hour)
			synctest.Test(t, func(t *testing.T) {
				time.Sleep(time.Until(later)) // the files are old
				_, dir, _ := directory(t, map[string]string{"index.html": `<a href="missing.html">x</a><a href="http://b.test/a#id">x</a><a href="other.html">x</a>`, "other.html": `<p id=id><a href="../up.html">x</a>`})
				answers := map[string]string{"/a": "200", "/b": "200"}
				kept := filepath.Join(t.TempDir(), "cache.db")
				run := func(change func(*Config), kept string) (text string, again bool) {
					cfg := &Config{Fetch: fetch.Mux{"http": imagine(0, answered(answers))}, Politeness: Politeness{Retries: -1}}
					var watched []result.Watched
					cfg.Keep.Edition, cfg.Deliver.Watch = "test", &watched
					change(cfg)
					site, seeds := openDirectory(t, dir)
					cfg.Sites = []*disk.Site{site}
					told, again := repeatable(t, cfg, kept, seeds)
					return fmt.Sprintln("watched", watched) + told, again
				}
				if _, again := run(func(*Config) {}, kept); again {
					t.Fatal("the first run gave an earlier report")
				}
				time.Sleep(time.Minute)
				change := func(cfg *Config) { row.change(dir, cfg, answers) }
				got, again := run(change, kept)
				want, _ := run(change, "")
				if got != want {
					t.Errorf("got\n%s\nwant\n%s", got, want)
				}
				if again != row.again {
					t.Errorf("the report is that of the run before: %t, want %t", again, row.again)
				}
			})
		})
	}
}

// repeatable returns the report of a run, times aside, and whether it is that of the run before. kept is the
// file of a cache, "" for none.
func repeatable(t *testing.T, cfg *Config, kept string, seeds []Seed) (text string, again bool) {
	t.Helper()
	if kept != "" {
		cache, err := store.OpenCache(kept, store.CacheOptions{})
		if err != nil {
			t.Fatal(err)
		}
		defer cache.Close()
		cfg.Keep.Cache = cache
	}
	c := &collector{}
	r := newRun(t.Context(), cfg, seeds, c)
	sum, err := r.crawlAndReport(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	sum.Started, sum.Elapsed = time.Time{}, 0
	for _, res := range c.results {
		res.Elapsed = 0
		text += fmt.Sprintf("%+v\n", *res)
	}
	return text + fmt.Sprintf("%+v\n%+v", *sum, c.notes), r.reports.Again()
}

// answered returns how the web answers: by path, with a status and what a redirect leads to.
func answered(answers map[string]string) func(host, path string) (int, http.Header, string) {
	return func(_, path string) (status int, header http.Header, body string) {
		how, to, _ := strings.Cut(answers[path], " ")
		if _, err := fmt.Sscan(how, &status); err != nil {
			return 404, nil, ""
		}
		return status, http.Header{"Location": {to}}, "<p id=id>"
	}
}

func levelRule(t *testing.T, text string) check.LevelRule {
	t.Helper()
	rule, err := check.ParseLevel(text)
	if err != nil {
		t.Fatal(err)
	}
	return rule
}

// A run over a website gives the report of the run before once more if all answers and settings that the
// report depends on are as they were, and only then.
func TestRepeatsOfWebsites(t *testing.T) {
	for _, row := range []struct {
		name   string
		again  bool
		change func(cfg *Config, pages map[string]string)
	}{
		{"nothing has changed", true, func(*Config, map[string]string) {}},
		{"a page is longer", false, func(_ *Config, pages map[string]string) { pages["/other"] = `<p id=id><a href="/missing">x</a><p>more` }},
		{"a link has moved", false, func(_ *Config, pages map[string]string) { pages["/other"] = `<p  id=id><a href="/missing">x</a>` }},
		{"a link leads elsewhere", false, func(_ *Config, pages map[string]string) { pages["/other"] = `<p id=id><a href="/gone">x</a>` }},
		{"an anchor is missing", false, func(_ *Config, pages map[string]string) { pages["/other"] = `<p id=it><a href="/missing">x</a>` }},
		{"a page has vanished", false, func(_ *Config, pages map[string]string) { delete(pages, "/other") }},
		{"a target has come back", false, func(_ *Config, pages map[string]string) { pages["/missing"] = "" }},
		{"an answer must not be stored", false, func(_ *Config, pages map[string]string) { pages["no-store"] = "yes" }},
		{"more is shown", false, func(cfg *Config, _ map[string]string) { cfg.Deliver.Show.OK = true }},
		{"nothing old is used", false, func(cfg *Config, _ map[string]string) { cfg.Keep.Refresh = true }},
	} {
		t.Run(row.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				pages := map[string]string{"/": `<a href="missing">x</a><a href="other#id">x</a>`, "/other": `<p id=id><a href="/missing">x</a>`}
				answer := func(_, path string) (int, http.Header, string) {
					header := http.Header{"Content-Type": {"text/html"}}
					if pages["no-store"] != "" {
						header.Set("Cache-Control", "no-store")
					}
					body, exists := pages[path]
					if !exists {
						return 404, header, ""
					}
					return 200, header, body
				}
				kept := filepath.Join(t.TempDir(), "cache.db")
				run := func(change func(*Config), kept string) (text string, again bool) {
					cfg := &Config{Fetch: fetch.Mux{"http": imagine(0, answer)}, Politeness: Politeness{Retries: -1}}
					cfg.Keep.Edition = "test"
					change(cfg)
					return repeatable(t, cfg, kept, seedOf(t, "http://a.test/"))
				}
				if _, again := run(func(*Config) {}, kept); again {
					t.Fatal("the first run gave an earlier report")
				}
				change := func(cfg *Config) { row.change(cfg, pages) }
				got, again := run(change, kept)
				want, _ := run(change, "")
				if got != want {
					t.Errorf("got\n%s\nwant\n%s", got, want)
				}
				if again != row.again {
					t.Errorf("the report is that of the run before: %t, want %t", again, row.again)
				}
			})
		})
	}
}
