package rules

import (
	"reflect"
	"regexp"
	"strings"
	"testing"

	"github.com/orbweaver/orbweaver/crawler/extract"
	"github.com/orbweaver/orbweaver/crawler/fetch"
	"github.com/orbweaver/orbweaver/crawler/inspect"
	"github.com/orbweaver/orbweaver/urinorm"
)

// indifferent are the fields of Config that do not decide about the links of a page, or only in
// runs that take nothing over (Pages, Changed, Store, Lease).
const indifferent = "Resolver MailProbe Store Lease Cookies FingerprintBits Cache MaxAge KeepPages Previous IgnoreFragment Levels Hides Changed MaxPages MaxTime MaxBody " +
	"MaxBodyGiven MaxRedirects Accept Concurrency PerHost Rate Delay PerHostGiven Retries SecondPassAfter SecondPassGiven Backoff Grace MaxWait " +
	"Sitemaps SoftNotFound CheckHTTPS RequireHTTPS Archive Login RenderTrouble RenderedBy Show Watched Watch Stream Pages " +
	"ReadAgain WorkingDir Stop"

// Every other setting makes other decisions.
func TestDecides(t *testing.T) {
	start, _, err := urinorm.ParseWeb("https://example.com/")
	if err != nil {
		t.Fatal(err)
	}
	of := func(change func(*Config), seeds ...Seed) string {
		cfg := &Config{}
		change(cfg)
		return NewScope(cfg.WithDefaults(), append(seeds, Seed{URL: start, Crawl: true}), NewPrinter(nil, "")).Decides()
	}
	selector, err := extract.CompileSelector("main")
	if err != nil {
		t.Fatal(err)
	}
	pattern := func() []*regexp.Regexp { return []*regexp.Regexp{regexp.MustCompile("x")} } // another one each time
	changes := map[string]func(*Config){
		"Fetch":          func(c *Config) { c.Fetch = fetch.Mux{"ftp": nil} },
		"SkipMail":       func(c *Config) { c.Judging.SkipMail = true },
		"Edition":        func(c *Config) { c.Keep.Edition = "2" },
		"Scope":          func(c *Config) { c.Scope.Rule = ScopeDomain },
		"External":       func(c *Config) { c.Scope.External = SkipExternal },
		"Include":        func(c *Config) { c.Scope.Include = pattern() },
		"NoFollow":       func(c *Config) { c.Scope.NoFollow = pattern() },
		"Exclude":        func(c *Config) { c.Scope.Exclude = pattern() },
		"ExcludeExcept":  func(c *Config) { c.Scope.ExcludeExcept = pattern() },
		"Remaps":         func(c *Config) { c.Scope.Remaps = []Remap{{pattern()[0], "y"}} },
		"Types":          func(c *Config) { c.Reading.Types = fetch.Types{"x": "text/html"} },
		"SkipReserved":   func(c *Config) { c.Scope.SkipReserved = true },
		"Rules":          func(c *Config) { c.Judging.Rules = []Rule{{Name: "x", Verdict: "ignore"}} },
		"Depth":          func(c *Config) { c.Scope.Depth = 2 },
		"Robots":         func(c *Config) { c.Scope.Robots = RobotsIgnore },
		"RobotsGiven":    func(c *Config) { c.Scope.RobotsGiven = true },
		"RobotsAgent":    func(c *Config) { c.Scope.RobotsAgent = "x" },
		"Select":         func(c *Config) { c.Reading.Select = selector },
		"IgnoreSelect":   func(c *Config) { c.Reading.IgnoreSelect = selector },
		"Reading":        func(c *Config) { c.Reading.Options.Verbatim = true },
		"TextFragments":  func(c *Config) { c.Judging.TextFragments = true },
		"Credentials":    func(c *Config) { c.Scope.Credentials = true },
		"AllowUnsafe":    func(c *Config) { c.Scope.AllowUnsafe = true },
		"LeaveAlone":     func(c *Config) { c.Scope.LeaveAlone = map[string]bool{"x": true} },
		"SessionOrigins": func(c *Config) { c.Scope.SessionOrigins = map[string]bool{"x": true} },
		"Inspector":      func(c *Config) { c.Judging.Inspector = &inspect.Inspector{} },
		"Render":         func(c *Config) { c.Render.Mode = RenderAuto },
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
	for field := range reflect.TypeFor[Config]().Fields() {
		name := field.Name
		_, decides := changes[name]
		indifferent := false
		for _, other := range known {
			indifferent = indifferent || other == name
		}
		if field.IsExported() && !decides && !indifferent && name != "Sites" && name != "Renderer" {
			t.Errorf("does %s decide about the links of a page?", name)
		}
	}
}
