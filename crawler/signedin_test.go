package crawler

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/orbweaver/orbweaver/crawler/check"
	"github.com/orbweaver/orbweaver/crawler/fetch"
	"github.com/orbweaver/orbweaver/crawler/internal/formlogin"
	"github.com/orbweaver/orbweaver/crawler/internal/frontier"
	"github.com/orbweaver/orbweaver/crawler/internal/frontier/diskstore"
	"github.com/orbweaver/orbweaver/crawler/internal/judging"
	"github.com/orbweaver/orbweaver/crawler/internal/sitetest"
	"github.com/orbweaver/orbweaver/crawler/result"
	"github.com/orbweaver/orbweaver/crawler/session"
	"github.com/orbweaver/orbweaver/crawler/store"
	"github.com/orbweaver/orbweaver/urinorm"
)

// membersSite is a site whose pages are for members. It signs in with a form, and ends a
// session as the test says.
type membersSite struct {
	base string

	public    bool             // the start page is for everybody
	wayOut    bool             // it has a link for signing out, for members
	formIn200 bool             // pages answer with the form instead of a redirect
	cut       func(n int) bool // whether the n-th request of all ends the session before it is answered
	lives     int              // a session ends after so many answers for members; 0 for never
	spares    bool             // no page is hit by two cuts, neither at its request nor at the proof after it, and no session is cut during its sign-in
	removes   bool             // the cookie of a session that has ended is removed
	halfOpen  bool             // everybody may read the pages but the first, with fewer links; the cookies of all who are signed out are removed
	soft      string           // the page for what is missing in directories, with 200; "" for none
	refuses   bool             // the form is never accepted after the first time
	remembers bool             // a session that has ended is renewed when the sign-in page is requested, which has no form then

	mu       sync.Mutex
	requests int
	session  int // the number of the session, 0 for none
	signIns  int
	wrong    int    // forms that were refused
	used     int    // requests of the session
	served   int    // answers for members of the session
	due      int    // cuts that wait
	last     string // the page that was requested last, besides the start page
	hit      map[string]bool
	ended    map[string]int // sessions that were cut at a page, or at the proof after it
	asked    map[string]int // requests by path
}

// memberPages is the number of pages of the site, besides the start page.
const memberPages = 60

func serveMembers(t *testing.T, s *membersSite) *membersSite {
	t.Helper()
	s.asked, s.hit, s.ended = map[string]int{}, map[string]bool{}, map[string]int{}
	s.base, _ = sitetest.Serve(t, s)
	return s
}

const memberForm = `<!doctype html><title>Sign in</title><form method=post action=/login><input name=user><input type=password name=pw><button>Go</button></form>`

// signInRequests is the number of pages that a sign-in asks for after the form, at most. A
// session that is cut there is one that the site refuses, which ends a crawl at its start.
const signInRequests = 3

func (s *membersSite) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	w.Header().Set("Content-Type", "text/html")
	if r.URL.Path == "/robots.txt" {
		http.NotFound(w, r)
		return
	}
	s.asked[r.URL.Path]++
	cookie, _ := r.Cookie("sid")
	if r.URL.Path == "/login" && s.remembers && r.Method == http.MethodGet && cookie != nil {
		s.session = s.signIns
		io.WriteString(w, "You are signed in")
		return
	}
	if r.URL.Path == "/login" {
		body, _ := io.ReadAll(r.Body)
		form, _ := url.ParseQuery(string(body))
		if r.Method != http.MethodPost || form.Get("pw") != "secret" || s.refuses && s.signIns > 0 {
			if r.Method == http.MethodPost {
				s.wrong++
			}
			if s.halfOpen {
				removeSession(w)
			}
			io.WriteString(w, memberForm)
			return
		}
		s.signIns++
		s.session, s.used, s.served = s.signIns, 0, 0
		http.SetCookie(w, &http.Cookie{Name: "sid", Value: fmt.Sprint("sid-", s.session), Path: "/"})
		http.Redirect(w, r, "/", http.StatusSeeOther)
		return
	}
	s.requests++
	s.used++
	if s.cut != nil && s.cut(s.requests) {
		s.due++
	}
	if r.URL.Path != "/" {
		s.last = r.URL.Path
	}
	if s.due > 0 && !(s.spares && (s.hit[s.last] || s.used <= signInRequests)) {
		if s.session > 0 {
			s.ended[s.last]++
		}
		s.session, s.hit[s.last] = 0, true
		s.due--
	}
	in := s.session > 0 && cookie != nil && cookie.Value == fmt.Sprint("sid-", s.session)
	if s.served++; in && s.lives > 0 && s.served > s.lives {
		s.session, in = 0, false
	}
	switch {
	case r.URL.Path == "/" && s.public:
		io.WriteString(w, s.page(r.URL.Path))
		if in && s.wayOut {
			io.WriteString(w, "<a href=/way-out>Log out</a>")
		}
	case r.URL.Path != "/p60" && s.wayOut:
		io.WriteString(w, s.page(r.URL.Path))
	case !in && s.halfOpen && r.URL.Path != "/":
		removeSession(w)
		io.WriteString(w, "for everybody")
	case !in && s.formIn200:
		io.WriteString(w, memberForm)
	case !in:
		if s.removes && cookie != nil {
			removeSession(w)
		}
		http.Redirect(w, r, "/login?next="+url.QueryEscape(r.URL.Path), http.StatusFound)
	default:
		s.serveMember(w, r)
	}
}

func removeSession(w http.ResponseWriter) {
	http.SetCookie(w, &http.Cookie{Name: "sid", Path: "/", MaxAge: -1})
}

// serveMember answers a member.
func (s *membersSite) serveMember(w http.ResponseWriter, r *http.Request) {
	switch path := r.URL.Path; path {
	case "/bye": // ends the session on the server only
		s.session = 0
		io.WriteString(w, s.page(path))
	case "/forget": // removes the cookie
		s.session = 0
		removeSession(w)
		io.WriteString(w, s.page(path))
	case "/quit": // the same, and leads to the sign-in page
		s.session = 0
		removeSession(w)
		http.Redirect(w, r, "/login", http.StatusFound)
	case "/admins":
		http.Redirect(w, r, "/login?next=/admins", http.StatusFound)
	case "/for401":
		w.WriteHeader(http.StatusUnauthorized)
	case "/for403":
		w.WriteHeader(http.StatusForbidden)
	case "/form":
		io.WriteString(w, memberForm)
	case "/missing":
		http.NotFound(w, r)
	default:
		if s.soft != "" && strings.LastIndexByte(path, '/') > 0 {
			io.WriteString(w, s.soft)
			return
		}
		io.WriteString(w, s.page(path))
	}
}

// page returns a page with links to a few others.
func (s *membersSite) page(path string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "<!doctype html><title>%s</title><h1 id=top>%s</h1>", path, path)
	n := 0
	if _, err := fmt.Sscanf(path, "/p%d", &n); (err != nil || path != fmt.Sprint("/p", n)) && path != "/" {
		n = memberPages
	}
	for i := 4*n + 1; i <= 4*n+4 && i <= memberPages; i++ {
		fmt.Fprintf(&b, "<a href=/p%d>%d</a> ", i, i)
	}
	if n == 3 || path == "/" {
		b.WriteString("<a href=/missing>gone</a> <a href=/p1#nothing>x</a>")
	}
	return b.String()
}

// withLinks adds .
func withLinks(s *membersSite, links string) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.ServeHTTP(w, r)
		if r.URL.Path == "/p1" {
			io.WriteString(w, links)
		}
	})
}

// crawlMembers signs in and crawls.
func crawlMembers(t *testing.T, s *membersSite, login bool, change func(*Config)) (*collector, *result.Summary) {
	t.Helper()
	return crawl(t, configOf(t, s, login, change), seedOf(t, s.base+"/"))
}

// configOf returns the settings of a crawl of a site with a login, or with cookies.
func configOf(t *testing.T, s *membersSite, login bool, change func(*Config)) *Config {
	t.Helper()
	start := mustParse(t, s.base+"/")
	config := fetch.HTTPConfig{Timeout: time.Minute, Secrets: fetch.Secrets{Origins: fetch.NewOrigins(start)}}
	var one *session.Login
	if login {
		plan, err := session.NewPlan([]session.Config{{Name: "--login", URL: s.base + "/login", User: "me", Password: session.NewSecret("secret")}},
			[]urinorm.URL{start}, func(urinorm.URL) bool { return true })
		if err != nil {
			t.Fatal(err)
		}
		config.CookieGroups = plan.CookieGroups()
		one = plan.Logins[0]
	} else {
		config.Header = http.Header{"Cookie": {"sid=sid-1"}}
		s.session = 1
		one = session.ForCookies([]urinorm.URL{start})
	}
	client, err := fetch.NewHTTP(config)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(client.Close)
	cfg := web(t)
	cfg.Fetch = fetch.Mux{"http": client}
	cfg.Login, cfg.Scope.Credentials = Login{Logins: []*session.Login{one}, Fetch: client}, true
	if change != nil {
		change(cfg)
	}
	return cfg
}

// reportOf lists what a run found, without what differs between two runs of one site.
func reportOf(c *collector, base string) string {
	var b strings.Builder
	for _, r := range c.results {
		fmt.Fprintf(&b, "%s %s %s %d", r.URL, r.Verdict, r.Code, r.Status)
		for _, w := range r.Warnings {
			fmt.Fprintf(&b, " [%s]", w.Code)
		}
		for _, ref := range r.References {
			fmt.Fprintf(&b, " %s:%d:%d", ref.Page, ref.Line, ref.Column)
		}
		b.WriteByte('\n')
	}
	return strings.ReplaceAll(b.String(), base, "")
}

// A run whose session is cut reports what an undisturbed one reports.
func TestSessionIsRenewed(t *testing.T) {
	undisturbed := serveMembers(t, &membersSite{})
	c, sum := crawlMembers(t, undisturbed, true, nil)
	want := reportOf(c, undisturbed.base)
	if !sum.Soundness.Complete() || undisturbed.signIns != 1 || strings.Count(want, " ok ") < memberPages {
		t.Fatalf("complete %t, %d sign-ins\n%s", sum.Soundness.Complete(), undisturbed.signIns, want)
	}
	every := func(k int) func(int) bool { return func(n int) bool { return n%k == 0 } }
	at := func(k int) func(int) bool { return func(n int) bool { return n == k } }
	for _, row := range []struct {
		name    string
		shape   func(*membersSite)
		signIns int // at least
	}{
		{"once", func(s *membersSite) { s.cut = at(20) }, 2},
		{"often", func(s *membersSite) { s.cut, s.spares = every(37), true }, 3},
		{"form with 200", func(s *membersSite) { s.formIn200, s.cut, s.spares = true, every(41), true }, 2},
		{"cookie removed", func(s *membersSite) { s.removes, s.cut = true, at(20) }, 2},
		{"by the site itself", func(s *membersSite) { s.remembers, s.cut = true, at(20) }, 1},
		{"cookies of everybody removed", func(s *membersSite) { s.halfOpen, s.cut = true, at(20) }, 2},
	} {
		for _, run := range []struct{ workers, maxPages int }{{1, 0}, {16, 0}, {16, 1000}} {
			t.Run(fmt.Sprint(row.name, " ", run), func(t *testing.T) {
				t.Parallel()
				s := &membersSite{}
				row.shape(s)
				serveMembers(t, s)
				c, sum := crawlMembers(t, s, true, func(cfg *Config) { cfg.Politeness.Concurrency, cfg.Limits.MaxPages = run.workers, run.maxPages })
				if got := reportOf(c, s.base); got != want || !sum.Soundness.Complete() {
					t.Errorf("complete %t, stopped by %q:\n%swant:\n%s", sum.Soundness.Complete(), sum.Soundness.StoppedBy, got, want)
				}
				if s.signIns < row.signIns || s.signIns > formlogin.MaxSignIns {
					t.Errorf("%d sign-ins", s.signIns)
				}
			})
		}
	}
}

// A crawl that is interrupted again and again, and whose session is cut as well, gives the
// report of an undisturbed one.
func TestSessionIsCutInResumedCrawls(t *testing.T) {
	undisturbed := serveMembers(t, &membersSite{})
	c, _ := crawlMembers(t, undisturbed, true, nil)
	want := reportOf(c, undisturbed.base)
	for _, workers := range []int{1, 16} {
		s := serveMembers(t, &membersSite{spares: true, removes: true, cut: func(n int) bool { return n%50 == 20 }})
		configure := func() *Config {
			return configOf(t, s, true, func(cfg *Config) { cfg.Politeness.Concurrency, cfg.Politeness.Backoff = workers, time.Millisecond })
		}
		random := rand.New(rand.NewPCG(7, uint64(workers)))
		c, sum, count := sessions(t, configure, seedOf(t, s.base+"/"), func() int { return 20 + random.IntN(40) })
		if got := reportOf(c, s.base); got != want || !sum.Soundness.Complete() || count < 2 {
			t.Errorf("%d workers: complete %t, stopped by %q, %d parts:\n%swant:\n%s", workers, sum.Soundness.Complete(), sum.Soundness.StoppedBy, count, got, want)
		}
	}
}

// A crawl that --max-time ends is resumed, with the report of an undisturbed one. A process
// that cannot sign in requests nothing of what is left, and keeps what was found.
func TestResumeAfterMaxTime(t *testing.T) {
	undisturbed := serveMembers(t, &membersSite{})
	c, _ := crawlMembers(t, undisturbed, true, nil)
	want := reportOf(c, undisturbed.base)
	for _, refuses := range []bool{false, true} {
		s := serveMembers(t, &membersSite{})
		file := filepath.Join(t.TempDir(), "crawl.sqlite")
		store, err := diskstore.Create(file, frontier.Narrow, nil)
		if err != nil {
			t.Fatal(err)
		}
		part := func(change func(*Config)) (report, stoppedBy string) {
			c, sum := crawl(t, configOf(t, s, true, func(cfg *Config) { cfg.Keep.Store = store; change(cfg) }), seedOf(t, s.base+"/"))
			if err := store.Close(); err != nil {
				t.Fatal(err)
			}
			if sum.Soundness.Complete() != (sum.Soundness.StoppedBy == "") {
				t.Errorf("complete %t, stopped by %q", sum.Soundness.Complete(), sum.Soundness.StoppedBy)
			}
			return reportOf(c, s.base), sum.Soundness.StoppedBy
		}
		first, why := part(func(cfg *Config) {
			cfg.Fetch = &stopper{Fetcher: cfg.Fetch, left: 45, stop: make(chan struct{})} // the last request waits for the end
			cfg.Limits.MaxTime, cfg.Limits.Grace, cfg.Politeness.Concurrency = 300*time.Millisecond, time.Millisecond, 4
		})
		settled := strings.Count(first, " ok ok ")
		if why != "max-time" || settled > memberPages {
			t.Errorf("stopped by %q after %d pages", why, settled)
		}
		if store, err = diskstore.Open(file); err != nil {
			t.Fatal(err)
		}
		s.refuses = refuses
		asked := s.requests
		second, why := part(func(*Config) {})
		switch {
		case !refuses && (second != want || why != ""):
			t.Errorf("stopped by %q:\n%swant:\n%s", why, second, want)
		case refuses && (why != "login-failed" || strings.Count(second, " ok ok ") != settled || !strings.Contains(second, "unverified login-failed") || s.requests != asked || s.asked["/login"] != 5):
			t.Errorf("stopped by %q after %d requests, %d for the sign-in page:\n%s", why, s.requests-asked, s.asked["/login"], second)
		}
	}
}

// No answer of a session is kept for later runs, whether it has a validator or not.
func TestAnswersOfSessionsAreNotCached(t *testing.T) {
	other, _ := sitetest.Serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("ETag", `"1"`)
		w.Header().Set("Content-Type", "text/html")
	}))
	for _, login := range []bool{true, false} {
		for _, public := range []bool{true, false} {
			s := &membersSite{asked: map[string]int{}, hit: map[string]bool{}, ended: map[string]int{}, public: public}
			inner := withLinks(s, "<a href="+other+"/>outside</a> <a href=/file.pdf>file</a> <a href=/admins>x</a>")
			s.base, _ = sitetest.Serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				w.Header().Set("ETag", `"1"`)
				w.Header().Set("Cache-Control", "public, max-age=3600")
				inner.ServeHTTP(w, r)
			}))
			file := filepath.Join(t.TempDir(), "cache.db")
			memory, err := store.OpenCache(file, store.CacheOptions{})
			if err != nil {
				t.Fatal(err)
			}
			c, sum := crawlMembers(t, s, login, func(cfg *Config) { cfg.Keep.Cache, cfg.Keep.MaxAge, cfg.Keep.Edition = memory, time.Hour, "test" })
			if err := memory.Close(); err != nil {
				t.Fatal(err)
			}
			if !sum.Soundness.Complete() || c.find(s.base+"/file.pdf") == nil {
				t.Errorf("login %t, public %t: complete %t", login, public, sum.Soundness.Complete())
			}
			kept, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			if bytes.Contains(kept, []byte(s.base)) || !bytes.Contains(kept, []byte(other)) {
				t.Errorf("login %t, public %t: kept of the site %t, of another host %t", login, public, bytes.Contains(kept, []byte(s.base)), bytes.Contains(kept, []byte(other)))
			}
		}
	}
}

// What --soft-404 compares pages with is requested again after a loss.
func TestProbesAreRepeated(t *testing.T) {
	serve := func(s *membersSite) *membersSite {
		s.asked, s.hit, s.ended = map[string]int{}, map[string]bool{}, map[string]int{}
		var links strings.Builder
		for i := range 20 {
			fmt.Fprintf(&links, "<a href=/d%d/missing>x</a> ", i)
		}
		s.soft = "<!doctype html><title>Nothing</title><p>" + strings.Repeat("There is nothing here that anybody could find. ", 20)
		s.base, _ = sitetest.Serve(t, withLinks(s, links.String()))
		return s
	}
	soft := func(cfg *Config) { cfg.Judging.SoftNotFound = true }
	undisturbed := serve(&membersSite{})
	c, _ := crawlMembers(t, undisturbed, true, soft)
	want := reportOf(c, undisturbed.base)
	if n := strings.Count(want, "[soft-404]"); n != 20 {
		t.Fatalf("%d pages are soft 404:\n%s", n, want)
	}
	for _, workers := range []int{1, 16} {
		for cut := 20; cut <= 80; cut += 12 {
			t.Run(fmt.Sprint(workers, " ", cut), func(t *testing.T) {
				t.Parallel()
				s := serve(&membersSite{cut: func(n int) bool { return n == cut }})
				c, sum := crawlMembers(t, s, true, func(cfg *Config) { soft(cfg); cfg.Politeness.Concurrency = workers })
				if got := reportOf(c, s.base); got != want || !sum.Soundness.Complete() {
					t.Errorf("complete %t, stopped by %q:\n%swant:\n%s", sum.Soundness.Complete(), sum.Soundness.StoppedBy, got, want)
				}
			})
		}
	}
}

// A page for others leads to the sign-in page or is refused, although the session was not
// lost. It is judged by its answer, and costs no sign-in.
func TestPageForAnotherRole(t *testing.T) {
	s := &membersSite{asked: map[string]int{}, hit: map[string]bool{}, ended: map[string]int{}}
	s.base, _ = sitetest.Serve(t, withLinks(s, "<a href=/admins>x</a> <a href=/for401>x</a> <a href=/for403>x</a> <a href=/form>x</a>"))
	c, sum := crawlMembers(t, s, true, nil)
	for path, want := range map[string]check.Code{"/admins": check.CodeRedirectToLogin, "/form": check.CodeRedirectToLogin, "/for401": "http-401", "/for403": "http-403"} {
		r := c.find(s.base + path)
		if r == nil {
			t.Errorf("%s is missing", path)
			continue
		}
		message := r.Message
		if want == check.CodeRedirectToLogin {
			i := slices.IndexFunc(r.Warnings, func(w check.Warning) bool { return w.Code == want })
			if r.Verdict != check.OK || i < 0 {
				t.Errorf("%s: %+v", path, r)
				continue
			}
			message = r.Warnings[i].Message
		} else if r.Verdict != check.Broken || r.Code != want {
			t.Errorf("%s: %+v", path, r)
		}
		if !strings.Contains(message, "another role") || s.asked[path] != 1 {
			t.Errorf("%s, requested %d times: %q", path, s.asked[path], message)
		}
	}
	if !sum.Soundness.Complete() || s.signIns != 1 {
		t.Errorf("complete %t, %d sign-ins", sum.Soundness.Complete(), s.signIns)
	}
}

// A session that cannot be renewed makes the run incomplete, and no page counts that was
// requested without it.
func TestSessionIsLost(t *testing.T) {
	for name, site := range map[string]*membersSite{
		"login":   {refuses: true, cut: func(n int) bool { return n == 20 }},
		"cookies": {cut: func(n int) bool { return n == 20 }},
		"public":  {cut: func(n int) bool { return n == 20 }, public: true},
		"form":    {cut: func(n int) bool { return n == 20 }, formIn200: true},
		"start":   {cut: func(n int) bool { return n == 1 }},
		"way out": {cut: func(n int) bool { return n == 20 }, public: true, wayOut: true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := serveMembers(t, site)
			c, sum := crawlMembers(t, s, name == "login", func(cfg *Config) { cfg.Politeness.Concurrency = 4 })
			lost := 0
			for _, r := range c.results {
				if r.Code == judging.CodeLoginLost {
					lost++
				} else if strings.HasPrefix(r.FinalURL, s.base+"/login") {
					t.Errorf("%s: %s %s", r.URL, r.Verdict, r.Code)
				}
			}
			if sum.Soundness.Complete() || sum.Soundness.StoppedBy != "login-lost" || lost == 0 {
				t.Errorf("complete %t, stopped by %q, %d targets are lost", sum.Soundness.Complete(), sum.Soundness.StoppedBy, lost)
			}
		})
	}
}

// A run that is stopped while visits are held ends, and the rest is reported as
// interrupted.
func TestStopWithHeldVisits(t *testing.T) {
	s := serveMembers(t, &membersSite{})
	stop := make(chan struct{})
	var once sync.Once
	s.cut = func(n int) bool {
		if n == 10 {
			once.Do(func() { close(stop) })
		}
		return false
	}
	ctx, cancel := context.WithTimeout(t.Context(), 3*time.Minute)
	defer cancel()
	_, sum := crawlMembers(t, s, true, func(cfg *Config) { cfg.Stop = stop })
	if sum.Soundness.Complete() || sum.Soundness.StoppedBy != "interrupt" || ctx.Err() != nil {
		t.Errorf("complete %t, stopped by %q", sum.Soundness.Complete(), sum.Soundness.StoppedBy)
	}
}

// A link that ends the session is reported, and is not requested again.
func TestLinkThatEndsTheSession(t *testing.T) {
	for _, row := range []struct {
		path string
		most int // requests
	}{{"/forget", 1}, {"/quit", 1}, {"/bye", 3}} {
		for _, workers := range []int{1, 16} {
			s := &membersSite{asked: map[string]int{}, hit: map[string]bool{}, ended: map[string]int{}}
			s.base, _ = sitetest.Serve(t, withLinks(s, "<a href="+row.path+">x</a>"))
			c, sum := crawlMembers(t, s, true, func(cfg *Config) { cfg.Politeness.Concurrency = workers })
			r := c.find(s.base + row.path)
			if r == nil || r.Verdict != check.OK || !slices.ContainsFunc(r.Warnings, func(w check.Warning) bool { return w.Code == judging.CodeLoginEndedBy }) {
				t.Errorf("%s, %d workers: %+v", row.path, workers, r)
			}
			if !sum.Soundness.Complete() || s.asked[row.path] > row.most || sum.Pages < memberPages+2 {
				t.Errorf("%s, %d workers: complete %t, %d requests, %d pages", row.path, workers, sum.Soundness.Complete(), s.asked[row.path], sum.Pages)
			}
		}
	}
}

// Sessions that end by a count of requests are blamed on no link, those that end at random only on
// one that two of them ended at, and nothing that was seen signed out is the result of a target.
func TestSessionsThatEndByThemselves(t *testing.T) {
	undisturbed := serveMembers(t, &membersSite{})
	c, _ := crawlMembers(t, undisturbed, true, nil)
	want := reportOf(c, undisturbed.base)
	test := func(name string, s *membersSite) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			serveMembers(t, s)
			c, sum := crawlMembers(t, s, true, func(cfg *Config) { cfg.Politeness.Concurrency = 4 })
			blamed := 0
			for _, r := range c.results {
				if r.Verdict == check.OK && (strings.HasPrefix(r.FinalURL, s.base+"/login") || slices.ContainsFunc(r.Warnings, func(w check.Warning) bool { return w.Code == check.CodeRedirectToLogin })) {
					t.Errorf("%s was seen signed out: %s %+v", r.URL, r.FinalURL, r.Warnings)
				}
				if slices.ContainsFunc(r.Warnings, func(w check.Warning) bool { return w.Code == judging.CodeLoginEndedBy }) {
					blamed++
					if path := strings.TrimPrefix(r.URL, s.base); s.ended[path] < 2 {
						t.Errorf("%s is blamed, and ended %d sessions", path, s.ended[path])
					}
				}
			}
			report := reportOf(c, s.base)
			switch {
			case sum.Soundness.StoppedBy == "login-lost":
			case !sum.Soundness.Complete() || s.lives == 2:
				t.Errorf("complete %t, stopped by %q", sum.Soundness.Complete(), sum.Soundness.StoppedBy)
			case blamed == 0 && report != want:
				t.Errorf("got\n%swant\n%s", report, want)
			}
		})
	}
	for lives := 2; lives <= 12; lives++ {
		test(fmt.Sprint("after ", lives, " answers"), &membersSite{lives: lives})
		test(fmt.Sprint("after ", lives, " answers, form"), &membersSite{lives: lives, formIn200: true})
	}
	for seed := range uint64(12) {
		random := rand.New(rand.NewPCG(seed, 2))
		test(fmt.Sprint("at random ", seed), &membersSite{formIn200: seed%2 == 0, cut: func(n int) bool { return n > signInRequests && random.IntN(40) == 0 }})
	}
}

// If nobody can sign in, nothing is crawled.
func TestNobodyCanSignIn(t *testing.T) {
	s := serveMembers(t, &membersSite{refuses: true, signIns: 1})
	c, sum := crawlMembers(t, s, true, nil)
	if len(c.results) != 1 || c.results[0].Code != judging.CodeLoginFailed || c.results[0].Verdict != check.Unverified || sum.Soundness.Complete() || sum.Soundness.StoppedBy != "login-failed" {
		t.Errorf("%+v, complete %t, stopped by %q", c.results, sum.Soundness.Complete(), sum.Soundness.StoppedBy)
	}
	if s.asked["/"] > 0 {
		t.Errorf("the start page was requested %d times", s.asked["/"])
	}
	// robots.txt is of no interest then, whatever its answer would be.
	site := &membersSite{refuses: true, signIns: 1, asked: map[string]int{}, hit: map[string]bool{}, ended: map[string]int{}}
	robots := 0
	site.base, _ = sitetest.Serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/robots.txt" {
			robots++
			w.WriteHeader(http.StatusServiceUnavailable)
			return
		}
		site.ServeHTTP(w, r)
	}))
	c, _ = crawlMembers(t, site, true, func(cfg *Config) { cfg.Scope.Robots, cfg.Scope.RobotsGiven = RobotsStrict, true })
	if len(c.results) != 1 || c.results[0].Code != judging.CodeLoginFailed || robots > 0 {
		t.Errorf("%+v, robots.txt was requested %d times", c.results, robots)
	}
}

// A run that is stopped does not wait until the next sign-in is tried, which would be in an hour. On a
// slow machine, it is stopped before the first one.
func TestStopBeforeTheNextSignIn(t *testing.T) {
	for _, why := range []string{"interrupt", "max-time"} {
		s := serveMembers(t, &membersSite{refuses: true, cut: func(n int) bool { return n == 20 }})
		stop := make(chan struct{})
		c, sum := crawlMembers(t, s, true, func(cfg *Config) {
			cfg.Stop, cfg.Politeness.Backoff, cfg.Limits.Grace, cfg.Login.Retries = stop, time.Hour, time.Millisecond, 10
			if why == "max-time" {
				cfg.Limits.MaxTime = 300 * time.Millisecond
			} else {
				time.AfterFunc(300*time.Millisecond, func() { close(stop) })
			}
		})
		if sum.Soundness.Complete() || sum.Soundness.StoppedBy != why || sum.Elapsed > time.Minute || s.wrong > 1 {
			t.Errorf("%s: complete %t, stopped by %q after %v, %d forms were refused", why, sum.Soundness.Complete(), sum.Soundness.StoppedBy, sum.Elapsed, s.wrong)
		}
		if report := reportOf(c, s.base); strings.Contains(report, string(judging.CodeLoginLost)) || strings.Contains(report, "/login ") {
			t.Errorf("%s: the report is\n%s", why, report)
		}
	}
}

// While a proof is requested, other workers read documents.
func TestProofTakesNoSlot(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	const pages = 10
	var read atomic.Int32 // pages of another host
	proving, done := make(chan struct{}), make(chan struct{})
	other, _ := sitetest.Serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		<-proving
		w.Header().Set("Content-Type", "text/html")
		if n := read.Add(1); n < pages {
			fmt.Fprintf(w, "<a href=?n=%d>x</a>", n)
		} else {
			close(done)
		}
	}))
	s := &membersSite{asked: map[string]int{}, hit: map[string]bool{}, ended: map[string]int{}}
	s.base, _ = sitetest.Serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.mu.Lock()
		proof := s.asked["/form"] == 1 && r.URL.Path == "/" && read.Load() == 0
		s.mu.Unlock()
		if proof {
			close(proving)
			select {
			case <-done:
			case <-time.After(3 * time.Minute):
				t.Errorf("%d pages were read during the proof, want %d", read.Load(), pages)
			}
		}
		s.ServeHTTP(w, r)
	}))
	cfg := configOf(t, s, true, func(cfg *Config) { cfg.Scope.Robots = RobotsIgnore })
	if _, sum := crawl(t, cfg, slices.Concat(seedOf(t, s.base+"/form"), seedOf(t, other+"/"))); !sum.Soundness.Complete() {
		t.Errorf("stopped by %q", sum.Soundness.StoppedBy)
	}
}
