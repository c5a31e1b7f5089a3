package crawler

import (
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/orbweaver/orbweaver/crawler/extract"
	"github.com/orbweaver/orbweaver/crawler/fetch"
	"github.com/orbweaver/orbweaver/crawler/inspect"
	"github.com/orbweaver/orbweaver/urinorm"
)

// indifferent are the fields of Config that do not decide about the links of a page, or only in
// runs that take nothing over (Pages, Changed, Store, Lease).
const indifferent = "Judging.Resolver Judging.MailProbe Keep.Store Keep.Lease Keep.Coordination Keep.Cookies Keep.FingerprintBits Keep.Cache Keep.MaxAge Keep.Pages Keep.Previous " +
	"Judging.IgnoreFragment Judging.Levels Judging.Hides Scope.Changed Limits.MaxPages Limits.MaxTime Limits.MaxBody Limits.MaxBodyGiven " +
	"Limits.MaxRedirects Judging.Accept Politeness.Concurrency Politeness.PerHost Politeness.PerDomain Politeness.PerAddress Politeness.Rate Politeness.Delay Politeness.PerHostGiven " +
	"Politeness.Retries Politeness.RetryStatus Politeness.SecondPassAfter Politeness.SecondPassGiven Politeness.Backoff Limits.Grace Limits.Spent Politeness.MaxWait Scope.Sitemaps " +
	"Judging.SoftNotFound Judging.CheckHTTPS Judging.RequireHTTPS Judging.Archive Judging.Drift Render.Trouble Render.By Deliver.Show Deliver.Watched " +
	"Deliver.Watch Deliver.Stream Deliver.Pages Deliver.Asks Reading.ReadAgain Reading.Publisher Scope.WorkingDir Stop Scope.RootGiven Politeness.Still Keep.Refresh"

// Every other setting makes other decisions.
func TestDecides(t *testing.T) {
	start, _, err := urinorm.ParseWeb("https://example.com/")
	if err != nil {
		t.Fatal(err)
	}
	of := func(change func(*Config), seeds ...Seed) string {
		cfg := &Config{}
		change(cfg)
		return cfg.withDefaults().newScope(append(seeds, Seed{URL: start, Crawl: true})).Decides()
	}
	selector, err := extract.CompileSelector("main")
	if err != nil {
		t.Fatal(err)
	}
	pattern := func() []*regexp.Regexp { return []*regexp.Regexp{regexp.MustCompile("x")} } // another one each time
	changes := map[string]func(*Config){
		"Fetch":                 func(c *Config) { c.Fetch = fetch.Mux{"ftp": nil} },
		"Judging.SkipMail":      func(c *Config) { c.Judging.SkipMail = true },
		"Keep.Edition":          func(c *Config) { c.Keep.Edition = "2" },
		"Scope.Rule":            func(c *Config) { c.Scope.Rule = ScopeDomain },
		"Scope.External":        func(c *Config) { c.Scope.External = SkipExternal },
		"Scope.Include":         func(c *Config) { c.Scope.Include = pattern() },
		"Scope.NoFollow":        func(c *Config) { c.Scope.NoFollow = pattern() },
		"Scope.Exclude":         func(c *Config) { c.Scope.Exclude = pattern() },
		"Scope.ExcludeExcept":   func(c *Config) { c.Scope.ExcludeExcept = pattern() },
		"Scope.Remaps":          func(c *Config) { c.Scope.Remaps = []Remap{{Pattern: pattern()[0], Replacement: "y"}} },
		"Reading.Types":         func(c *Config) { c.Reading.Types = fetch.Types{"x": "text/html"} },
		"Scope.SkipReserved":    func(c *Config) { c.Scope.SkipReserved = true },
		"Judging.Rules":         func(c *Config) { c.Judging.Rules = []Rule{{Name: "x", Verdict: "ignore"}} },
		"Scope.Depth":           func(c *Config) { c.Scope.Depth = 2 },
		"Scope.Robots":          func(c *Config) { c.Scope.Robots = RobotsIgnore },
		"Scope.RobotsGiven":     func(c *Config) { c.Scope.RobotsGiven = true },
		"Scope.RobotsAgent":     func(c *Config) { c.Scope.RobotsAgent = "x" },
		"Reading.Select":        func(c *Config) { c.Reading.Select = selector },
		"Reading.IgnoreSelect":  func(c *Config) { c.Reading.IgnoreSelect = selector },
		"Reading.Options":       func(c *Config) { c.Reading.Options.Verbatim = true },
		"Judging.TextFragments": func(c *Config) { c.Judging.TextFragments = true },
		"Scope.Credentials":     func(c *Config) { c.Scope.Credentials = true },
		"Scope.AllowUnsafe":     func(c *Config) { c.Scope.AllowUnsafe = true },
		"Scope.LeaveAlone":      func(c *Config) { c.Scope.LeaveAlone = map[string]bool{"x": true} },
		"Scope.SessionOrigins":  func(c *Config) { c.Scope.SessionOrigins = map[string]bool{"x": true} },
		"Judging.Inspector":     func(c *Config) { c.Judging.Inspector = &inspect.Inspector{} },
		"Render.Mode":           func(c *Config) { c.Render.Mode = RenderAuto },
	}
	plain := of(func(*Config) {})
	seen := map[string]string{}
	for name, change := range changes {
		got := of(change)
		if other, known := seen[got]; got == plain || known {
			t.Errorf("with another %s, the text is that without it, or with another %s", name, other)
		}
		if seen[got] = name; got != of(change) {
			t.Errorf("%s: the same settings have two texts", name)
		}
	}
	other, _, err := urinorm.ParseWeb("https://example.org/")
	if err != nil {
		t.Fatal(err)
	}
	if of(func(*Config) {}, Seed{URL: other, Crawl: true}) == plain {
		t.Error("the start targets make no difference")
	}
	known := strings.Fields(indifferent)
	for _, name := range settings(reflect.TypeFor[Config](), "") {
		if _, decides := changes[name]; !decides && !slices.Contains(known, name) && name != "Sites" && name != "Render.Renderer" {
			t.Errorf("does %s decide about the links of a page?", name)
		}
	}
}

// settings returns the names of the settings of a Config, each with its group. Those of a session
// are left out: it has its own store.
func settings(of reflect.Type, group string) (names []string) {
	for field := range of.Fields() {
		switch {
		case !field.IsExported() || field.Type == reflect.TypeFor[Login]():
		case group == "" && field.Type.Kind() == reflect.Struct:
			names = append(names, settings(field.Type, field.Name+".")...)
		default:
			names = append(names, group+field.Name)
		}
	}
	return names
}
