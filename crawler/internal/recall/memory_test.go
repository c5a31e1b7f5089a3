package recall

import (
	"crypto/tls"
	"crypto/x509"
	"net/http"
	"path/filepath"
	"testing"
	"time"

	"github.com/orbweaver/orbweaver/crawler/check"
	"github.com/orbweaver/orbweaver/crawler/extract"
	"github.com/orbweaver/orbweaver/crawler/fetch"
	"github.com/orbweaver/orbweaver/crawler/internal/admit"
	"github.com/orbweaver/orbweaver/crawler/internal/frontier"
	"github.com/orbweaver/orbweaver/crawler/internal/judging"
	"github.com/orbweaver/orbweaver/crawler/internal/scope"
	"github.com/orbweaver/orbweaver/crawler/internal/traffic"
	"github.com/orbweaver/orbweaver/crawler/store"
	"github.com/orbweaver/orbweaver/urinorm"
)

// fetcher sends nothing. Its certificates expire soon from a day on.
type fetcher struct {
	fetch.Fetcher
	agent string
	soon  time.Duration
}

func (f fetcher) Identity(*fetch.Request) (traffic.Identity, bool) {
	return traffic.Identity{Open: f.agent}, true
}
func (f fetcher) ExpiryNote(at time.Time) (fetch.Note, bool) {
	return fetch.Note{Code: string(judging.CodeTLSExpiresSoon)}, time.Until(at) < f.soon
}

// target returns a target of which nothing but its URL is known.
func target(u urinorm.URL) *admit.Target { return &admit.Target{Target: &frontier.Target{}, At: u} }

// observation is the answer to a request that a run sent to an external target, with what differs
// from an ordinary page with an anchor "id" that was observed a minute before the next run began.
type observation struct {
	url      string
	status   int
	header   http.Header
	cookies  bool // were sent
	bodyless bool // its body was not requested
	next     string
	warning  check.Code
	expires  time.Duration // from now
	settings func(*Settings)
	judging  scope.Judging
	agent    string        // of the next run
	soon     time.Duration // likewise
	age      time.Duration
}

// What an earlier run observed of a target replaces a request, with the anchors that it had, unless
// the server forbids that, more must be known, or too much time has passed.
func TestStands(t *testing.T) {
	vary := func(value string) http.Header { return http.Header{"Vary": {value}} }
	for name, test := range map[string]struct {
		observation
		stands, anchors bool
	}{
		"a page":                       {observation{}, true, true},
		"not to be stored":             {observation{header: http.Header{"Cache-Control": {"private, No-Store"}}}, true, false},
		"varies by anything":           {observation{header: vary("Accept, *")}, true, false},
		"varies by cookies, none sent": {observation{header: vary("Cookie")}, true, true},
		"varies by cookies":            {observation{header: vary("cookie"), cookies: true}, true, false},
		"without its body":             {observation{bodyless: true}, true, false},
		"missing meanwhile":            {observation{status: 404}, false, false},
		"cut off":                      {observation{warning: check.CodeBodyTruncated}, false, false},
		"too old":                      {observation{settings: func(s *Settings) { s.MaxAge = time.Nanosecond }}, false, false},
		"no age is young enough":       {observation{settings: func(s *Settings) { s.MaxAge = 0 }}, false, false},
		"observed in the future":       {observation{age: -2 * time.Minute}, false, false},
		"robots.txt comes first":       {observation{settings: func(s *Settings) { s.RobotsFirst = true }}, false, false},
		"its content is scanned":       {observation{settings: func(s *Settings) { s.Scans = true }}, false, false},
		"asked over https, too":        {observation{settings: func(s *Settings) { s.CheckHTTPS = true }}, false, false},
		"already over https":           {observation{url: "https://example.org/there", settings: func(s *Settings) { s.CheckHTTPS = true }}, true, true},
		"compared with a made-up page": {observation{judging: scope.Judging{SoftNotFound: true}}, false, false},
		"its certificate has expired":  {observation{expires: -time.Hour}, false, false},
		"its certificate is valid":     {observation{expires: time.Hour}, true, true},
		"another request":              {observation{agent: "curl"}, false, false},
		"a file":                       {observation{url: "file:///there.html"}, false, false},
		"another protocol":             {observation{url: "ftp://example.org/there"}, false, false},
	} {
		m, in, u := test.run(t)
		v := scope.HrefOf(u)
		stands := func(fragment string) bool {
			return m.StandsFor(m.fingerprint(u), v, scope.Fate{Need: frontier.NeedLinked}, []byte(fragment), in) != nil
		}
		if got := stands(""); got != test.stands {
			t.Errorf("%s: it stands: %t", name, got)
		}
		if got := stands("id"); got != test.anchors {
			t.Errorf("%s: it stands for its anchor: %t", name, got)
		}
		if stands("other") {
			t.Errorf("%s: it stands for an anchor that it does not have", name)
		}
		for what, fate := range map[string]scope.Fate{"internal": {Internal: true}, "a page to be read": {Need: frontier.NeedPage}, "a start page": {Need: frontier.NeedSeed}} {
			if m.StandsFor(m.fingerprint(u), v, fate, nil, in) != nil {
				t.Errorf("%s: it stands for a target that is %s", name, what)
			}
		}
	}
}

// What the end of a certificate means is judged by the day, and by the settings of the day.
func TestStandsWarnsOfCertificates(t *testing.T) {
	for soon, want := range map[time.Duration]int{time.Minute: 0, 48 * time.Hour: 1} {
		m, scope, u := observation{expires: 24 * time.Hour, soon: soon, warning: judging.CodeTLSExpiresSoon}.run(t)
		o, _ := m.Stands(target(u), scope)
		if o == nil || !o.Cached || o.Requests != 0 || len(o.Warnings) != want {
			t.Errorf("a certificate that is to be reported within %v: %+v, want %d warnings", soon, o, want)
		}
	}
}

// A permanent redirect stands, at its turn, if its target stands, too.
func TestStandsRedirects(t *testing.T) {
	const there = "http://example.org/there"
	for name, test := range map[string]struct {
		observation
		stands bool
	}{
		"permanent":              {observation{status: 301, next: there}, true},
		"permanent, by method":   {observation{status: 308, next: there}, true},
		"temporary":              {observation{status: 302, next: there}, false},
		"not to be stored":       {observation{status: 301, next: there, header: http.Header{"Cache-Control": {"no-store"}}}, false},
		"sets a cookie":          {observation{status: 301, next: there, header: http.Header{"Set-Cookie": {"a=b"}}}, false},
		"with a password":        {observation{status: 301, next: "http://me:s3cret@example.org/there"}, false},
		"to an unknown target":   {observation{status: 301, next: "http://example.org/new"}, false},
		"to the site":            {observation{status: 301, next: "http://example.com/"}, false},
		"links may be rewritten": {observation{status: 301, next: there, settings: func(s *Settings) { s.Remaps = true }}, false},
		"no redirects allowed":   {observation{status: 301, next: there, settings: func(s *Settings) { s.MaxRedirects = 0 }}, false},
	} {
		test.url = "http://example.org/old"
		m, in, u := test.run(t)
		o, way := m.Stands(&admit.Target{Target: &frontier.Target{Depth: 2, Hops: 1}, At: u}, in)
		if (o != nil) != test.stands || (way != nil) != test.stands {
			t.Errorf("%s: %+v, %+v", name, o, way)
		}
		if way != nil && (string(way.Job.URL) != there || way.Job.Hops != 2 || way.Job.Depth != 2 || way.Fate.Outcome == nil || !o.Cached) {
			t.Errorf("%s: leads to %+v, %+v", name, way.Job, way.Fate)
		}
		if m.StandsFor(m.fingerprint(u), scope.HrefOf(u), scope.Fate{}, nil, in) != nil {
			t.Errorf("%s: it stands before its turn", name)
		}
	}
}

// run lets a run learn the observation, and that http://example.org/there is a page. It returns the
// memory of the next one, and the URL of the target.
func (ob observation) run(t *testing.T) (*Memory, *scope.Scope, urinorm.URL) {
	t.Helper()
	parse := func(url string) urinorm.URL {
		u, _, err := urinorm.ParseWeb(url)
		if err != nil {
			t.Fatal(err)
		}
		return u
	}
	if ob.age == 0 {
		ob.age = time.Minute
	}
	now := time.Now()
	name := filepath.Join(t.TempDir(), "cache.db")
	open := func() *store.Cache {
		file, err := store.OpenCache(name, store.CacheOptions{})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { file.Close() })
		return file
	}
	in := scope.New(scope.Settings{Rules: &scope.Rules{}, Judging: ob.judging}, []scope.Seed{{URL: parse("http://example.com/"), Crawl: true}})
	from := Sources{Cache: open(), Fetcher: fetcher{}, Rules: scope.NewTargetRules(in, nil),
		Frontier: frontier.New(frontier.NewMemory(), frontier.Treatment{}), Print: in.Print}
	before := New(from, Settings{}, now)
	before.Begin(now.Add(-time.Minute))
	doc := extract.Extract(extract.Input{Body: []byte("<p id=id>"), ContentType: "text/html"})
	learn := func(url string, ob observation) urinorm.URL {
		u := parse(url)
		o := judging.Outcome{Code: check.CodeOK, Status: max(ob.status, 200), Requests: 1, Next: ob.next}.With(judging.DocumentFacts(doc))
		switch {
		case ob.next != "":
			o.Code = check.CodeRedirect
		case ob.status == 404:
			o.Code = "http-404"
		}
		if ob.warning != "" {
			o.Warn(check.Warning{Code: ob.warning})
		}
		resp := &fetch.Response{Status: o.Status, Header: ob.header, SentCookies: ob.cookies}
		if ob.expires != 0 {
			resp.TLS = &tls.ConnectionState{PeerCertificates: []*x509.Certificate{{NotAfter: now.Add(ob.expires)}}}
		}
		req := &fetch.Request{URL: u, Need: fetch.Content}
		if ob.bodyless {
			req.Need = fetch.Existence
		}
		asked := before.Condition(target(u), req, in)
		before.Learn(asked, Answer{Outcome: &o, Response: resp}, in)
		return u
	}
	learn("http://example.org/there", observation{})
	if ob.url == "" {
		ob.url = "http://example.org/there"
	}
	u := learn(ob.url, ob)
	if err := from.Cache.Close(); err != nil {
		t.Fatal(err)
	}
	from.Cache, from.Fetcher = open(), fetcher{agent: ob.agent, soon: ob.soon}
	next := Settings{MaxAge: time.Hour, MaxRedirects: 10}
	if ob.settings != nil {
		ob.settings(&next)
	}
	m := New(from, next, now.Add(ob.age-time.Minute))
	m.Begin(now.Add(ob.age))
	return m, in, u
}
