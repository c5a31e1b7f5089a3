//go:build linux

package render

import (
	"errors"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/orbweaver/orbweaver/crawler/crawlertest"
)

// browserPath returns the path of a browser. On a CI machine, there must be one.
func browserPath(t testing.TB) string {
	t.Helper()
	path, err := Find("")
	if err != nil {
		if os.Getenv("CI") == "true" {
			t.Fatal(err)
		}
		t.Skip(err)
	}
	return path
}

// open starts a browser. Its temporary directory is one of the test.
func open(t *testing.T, o Options) *Renderer {
	t.Helper()
	o.Path, o.UserAgent = browserPath(t), "orbweaver-test/1"
	o.Sandbox, _ = Sandboxed("auto")
	if o.Timeout == 0 {
		o.Timeout = 3 * time.Minute // tests wait for conditions
	}
	if o.Quiet == 0 {
		o.Quiet = 300 * time.Millisecond
	}
	t.Setenv("TMPDIR", t.TempDir())
	r := New(o)
	t.Cleanup(func() {
		if err := r.Close(); err != nil {
			t.Error(err)
		}
	})
	if err := r.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	return r
}

// site answers with pages by their paths, and notes what was asked.
type site struct {
	pages map[string]string
	mu    sync.Mutex
	asked []string
}

func (s *site) answer(ask *Ask) Reply {
	path := strings.TrimPrefix(ask.URL, origin)
	s.mu.Lock()
	s.asked = append(s.asked, path)
	s.mu.Unlock()
	if path == "/never" {
		<-ask.Context().Done()
		return Reply{Refused: true}
	}
	body, ok := s.pages[path]
	if !ok {
		return Reply{Status: http.StatusNotFound, Header: http.Header{"Content-Type": {"text/plain"}}, Body: []byte("nothing")}
	}
	if to, redirects := strings.CutPrefix(body, "to "); redirects {
		return Reply{Status: http.StatusFound, Header: http.Header{"Location": {to}}}
	}
	kind := "text/html; charset=utf-8"
	switch filepath.Ext(path) {
	case ".js":
		kind = "text/javascript"
	case ".json":
		kind = "application/json"
	case ".zip":
		kind = "application/zip"
	}
	return Reply{Status: http.StatusOK, Header: http.Header{"Content-Type": {kind}, "Set-Cookie": {"secret=1"}}, Body: []byte(body)}
}

func (s *site) has(path string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Contains(s.asked, path)
}

const origin = "http://a.example"

// load renders a page, whose requests are answered by answer.
func load(t *testing.T, r *Renderer, url string, answer func(*Ask) Reply) (*Rendered, error) {
	tab, err := r.Open(t.Context(), &Request{URL: url})
	if err != nil {
		return nil, err
	}
	var answering sync.WaitGroup
	defer answering.Wait()
	defer tab.Close()
	for {
		ask, err := tab.Next(t.Context())
		switch {
		case err != nil:
			return nil, err
		case ask == nil:
			return tab.Page(), nil
		}
		answering.Go(func() { tab.Reply(ask, answer(ask)) })
	}
}

// show renders the page of a site.
func show(t *testing.T, r *Renderer, s *site) *Rendered {
	t.Helper()
	got, err := load(t, r, origin+"/", s.answer)
	if err != nil {
		t.Fatal(err)
	}
	return got
}

// TestTraps renders what pages do to those who look at them.
func TestTraps(t *testing.T) {
	r := open(t, Options{Tabs: 4})
	add := `const add = (href, to = document.body) => { const a = document.createElement("a"); a.href = href; to.append(a) };`
	tests := []struct {
		name, script string
		pages        map[string]string
		body         string
		has, lacks   []string // of the HTML
		asked        []string // of scripts
		never        []string // not requested
		errors       []string
	}{
		{name: "dialogs", script: `alert(1); confirm(2); prompt(3); onbeforeunload = () => "stay"; add("/late")`, has: []string{`href="/late"`}},
		{name: "shadow roots", body: `<x-open></x-open><x-closed></x-closed>`,
			script: `for (const mode of ["open", "closed"]) document.querySelector("x-" + mode).attachShadow({mode}).innerHTML = "<p id=in-" + mode + "><a href=/" + mode + ">s</a>"`,
			has:    []string{`href="/open"`, `href="/closed"`, `id="in-closed"`}},
		{name: "lazy list", body: `<div style="height: 5000px"></div><p id=end>end`,
			script: `new IntersectionObserver((e) => { if (e[0].isIntersecting) add("/lazy") }).observe(document.getElementById("end"))`, has: []string{`href="/lazy"`}},
		{name: "frames of animation", script: `requestAnimationFrame(() => add("/" + document.visibilityState))`, has: []string{`href="/visible"`}},
		{name: "windows", script: `open("/popup"); open("/popup2", "_blank", "noopener"); const a = document.createElement("a"); a.href = "/popup3"; a.target = "_blank"; a.click(); add("/after")`,
			has: []string{`href="/after"`}, never: []string{"/popup", "/popup2", "/popup3"}},
		{name: "requests", pages: map[string]string{"/data.json": `{"u": "/from-data"}`, "/mod.js": `import "/mod2.js"`, "/mod2.js": ``, "/worker.js": `fetch("/in-worker.json")`},
			script: `fetch("/data.json").then((r) => r.json()).then((d) => add(d.u)); import("/mod.js"); new Worker("/worker.js"); fetch("/gone.json"); new Image().src = "/pixel.png"`,
			has:    []string{`href="/from-data"`}, asked: []string{"/data.json", "/gone.json", "/in-worker.json", "/mod.js", "/mod2.js", "/worker.js"}},
		{name: "other methods", script: `fetch("/post", {method: "POST"}).catch(() => add("/refused")); navigator.sendBeacon("/beacon"); new WebSocket("ws://127.0.0.1:9/ws").onerror = () => add("/no-socket")`,
			has: []string{`href="/refused"`, `href="/no-socket"`}, never: []string{"/post", "/beacon"}},
		{name: "no answer to others", script: `fetch("/post", {method: "POST"}); import("/gone.js").catch(() => {})`, never: []string{"/post"}, asked: []string{"/gone.js"}},
		{name: "redirects", pages: map[string]string{"/a.json": "to /b.json", "/b.json": "{}", "/c.js": "to /d.js", "/d.js": ""}, body: `<script src=/c.js></script>`,
			script: `fetch("/a.json")`, asked: []string{"/a.json", "/c.js"}},
		{name: "stream", pages: map[string]string{"/events": "data: x\n\n"}, script: `new EventSource("/events").onerror = () => add("/closed")`, has: []string{`href="/closed"`}, asked: []string{"/events"}},
		{name: "frames", body: `<iframe src=/frame></iframe><iframe srcdoc="<script>fetch('/srcdoc.json'); inSrcdoc()</script>"></iframe>`,
			pages: map[string]string{"/frame": `<iframe srcdoc="<script>fetch('/inner.json')</script>"></iframe><script>fetch("/in-frame.json"); new Worker("/worker.js"); inFrame(); setInterval(() => document.body.append(document.createElement("p")), 20)</script>`,
				"/worker.js": `fetch("/in-worker.json")`},
			asked: []string{"/srcdoc.json"}, errors: []string{"ReferenceError: inSrcdoc is not defined (about:srcdoc:1)"}},
		{name: "errors", script: `setTimeout(() => { throw new Error("boom") }); Promise.reject(new TypeError("lost")); console.error("no finding"); Promise.reject(1).catch(() => {}); throw "text"`,
			errors: []string{"Error: boom (http://a.example/page.js:1)", "TypeError: lost (http://a.example/page.js:1)", "text (http://a.example/page.js:1)"}},
		{name: "syntax", script: `)`, errors: []string{"SyntaxError: Unexpected token ')' (http://a.example/page.js:1)"}},
		{name: "service worker", script: `navigator.serviceWorker?.register("/sw.js"); add("/x")`, has: []string{`href="/x"`}, never: []string{"/sw.js"}},
		{name: "cookies", script: `add("/cookie-" + document.cookie)`, has: []string{`href="/cookie-"`}},
		{name: "history", script: `history.pushState(null, "", "/elsewhere"); add("here")`, has: []string{`href="here"`}, never: []string{"/elsewhere"}},
		{name: "download", pages: map[string]string{"/file.zip": "PK"}, script: `add("/x"); location = "/file.zip"`, has: []string{`href="/x"`}, asked: []string{"/file.zip"}},
		{name: "refresh", body: `<meta http-equiv=refresh content="0; url=/moved">`, script: `add("/x")`, has: []string{`href="/x"`}, never: []string{"/moved"}},
		{name: "reload", script: `add("/x"); if (!sessionStorage.n) { sessionStorage.n = 1; location.reload() }`, has: []string{`href="/x"`}},
		{name: "no script", body: `<noscript><a href="/noscript">n</a></noscript><template><a href="/template">t</a></template>`, has: []string{"noscript", "template"},
			lacks: []string{`"/noscript"`, `"/template"`}},
		{name: "user agent", script: `add("/" + navigator.userAgent)`, has: []string{`href="/orbweaver-test/1"`}},
	}
	var running sync.WaitGroup
	for _, test := range tests {
		running.Go(func() {
			s := &site{pages: map[string]string{"/": "<!doctype html><title>t</title><body>" + test.body + "<script src=/page.js></script>", "/page.js": test.script}}
			if !strings.Contains(test.name, "err") && test.name != "syntax" {
				s.pages["/page.js"] = add + test.script
			}
			for path, text := range test.pages {
				s.pages[path] = text
			}
			got, err := load(t, r, origin+"/", s.answer)
			if err != nil {
				t.Errorf("%s: %v", test.name, err)
				return
			}
			for _, want := range test.has {
				if !strings.Contains(string(got.HTML), want) {
					t.Errorf("%s: the page has no %s:\n%s", test.name, want, got.HTML)
				}
			}
			for _, unwanted := range test.lacks {
				if strings.Contains(string(got.HTML), unwanted) {
					t.Errorf("%s: the page has %s:\n%s", test.name, unwanted, got.HTML)
				}
			}
			for _, path := range test.never {
				if s.has(path) {
					t.Errorf("%s: %s was requested", test.name, path)
				}
			}
			var asked []string
			for _, a := range got.Asked {
				if a.URL != origin+"/page.js" {
					asked = append(asked, strings.TrimPrefix(a.URL, origin))
				}
			}
			if !slices.Equal(asked, test.asked) {
				t.Errorf("%s: scripts asked for %q, want %q", test.name, asked, test.asked)
			}
			if !slices.Equal(got.Errors, test.errors) {
				t.Errorf("%s: errors %q, want %q", test.name, got.Errors, test.errors)
			}
			if got.Unsettled != "" || got.Leads != "" {
				t.Errorf("%s: unsettled: %q, leads to %q", test.name, got.Unsettled, got.Leads)
			}
		})
	}
	running.Wait()
}

// TestUnsettled renders pages that never become quiet.
func TestUnsettled(t *testing.T) {
	r := open(t, Options{Timeout: 5 * time.Second, Tabs: 6})
	var running sync.WaitGroup
	for name, script := range map[string]string{
		"polling":      `setInterval(() => fetch("/poll?" + Math.random()), 100)`,
		"adding":       `setInterval(() => { const a = document.createElement("a"); a.href = "/n"; document.body.append(a) }, 50)`,
		"endless":      `for (;;);`,
		"endless late": `setTimeout(() => { for (;;); }, 50)`,
		"endless more": `setInterval(() => { for (;;); })`,
		"no answer":    `fetch("/never")`,
	} {
		running.Go(func() {
			s := &site{pages: map[string]string{"/": `<!doctype html><body><a href="/there">x</a><script>` + script + `</script>`}}
			switch got, err := load(t, r, origin+"/", s.answer); {
			case err != nil:
				t.Errorf("%s: %v", name, err)
			case got.Unsettled == "" || !strings.Contains(string(got.HTML), `href="/there"`):
				t.Errorf("%s: unsettled %q:\n%s", name, got.Unsettled, got.HTML)
			}
		})
	}
	running.Wait()
}

// TestLeads renders a page whose script opens another one.
func TestLeads(t *testing.T) {
	r := open(t, Options{})
	s := &site{pages: map[string]string{"/": `<!doctype html><body><script>setTimeout(() => location = "/next#there", 50)</script>`, "/next": "next"}}
	if got := show(t, r, s); got.Leads != origin+"/next#there" || got.HTML != nil || len(got.Asked) != 1 {
		t.Errorf("it leads to %q, asked %v, HTML %q", got.Leads, got.Asked, got.HTML)
	}
}

// TestWait waits for a selector, and for a time after loading.
func TestWait(t *testing.T) {
	s := &site{pages: map[string]string{"/": `<!doctype html><body><script>setTimeout(() => document.body.append(Object.assign(document.createElement("a"), {href: "/late", id: "late"})), 1500)</script>`}}
	for _, o := range []Options{{Selector: "a[id='late']"}, {Wait: 2500 * time.Millisecond}} {
		r := open(t, o)
		if got := show(t, r, s); !strings.Contains(string(got.HTML), "/late") {
			t.Errorf("%+v: the link is missing:\n%s", o, got.HTML)
		}
		if err := r.ValidSelector(t.Context()); err != nil {
			t.Error(err)
		}
		if err := r.process.checkSelector(t.Context(), "a:::b"); err == nil {
			t.Error("a selector that cannot be parsed is accepted")
		}
	}
}

// TestCrashes kills the processes of the browser while a page is rendered. The page is
// tried once more.
func TestCrashes(t *testing.T) {
	r := open(t, Options{})
	for _, kind := range []string{"renderer", "gpu-process", "browser"} {
		var once sync.Once
		s := &site{pages: map[string]string{"/": `<!doctype html><body><a href="/x">x</a><script src="/slow.js"></script>`, "/slow.js": ""}}
		got, err := load(t, r, origin+"/", func(ask *Ask) Reply {
			if strings.HasSuffix(ask.URL, "/slow.js") {
				once.Do(func() { killProcess(t, r, kind) })
			}
			return s.answer(ask)
		})
		if err != nil || !strings.Contains(string(got.HTML), `href="/x"`) {
			t.Errorf("%s: %v", kind, err)
		}
	}
}

// TestThreeDeaths ends rendering when the browser dies on three pages in a row.
func TestThreeDeaths(t *testing.T) {
	r := open(t, Options{})
	var last error
	for n := range 4 {
		url := origin + "/" + strings.Repeat("x", n)
		_, last = load(t, r, url, func(*Ask) Reply {
			killProcess(t, r, "browser")
			return Reply{Refused: true}
		})
		if last == nil {
			t.Fatal("a page was rendered although the browser was killed")
		}
	}
	if !errors.Is(last, ErrEnded) {
		t.Errorf("the last error is %v", last)
	}
}

// TestMemory lets a page fail that needs too much memory.
func TestMemory(t *testing.T) {
	r := open(t, Options{})
	s := &site{pages: map[string]string{"/": `<!doctype html><body><script>const all = []; for (let n = 0; n < 48; n++) all.push(new Uint8Array(32 << 20).fill(1)); for (;;);</script>`}}
	if _, err := load(t, r, origin+"/", s.answer); err == nil {
		t.Error("the page was rendered")
	}
	s = &site{pages: map[string]string{"/": `<a href="/x">x</a>`}}
	if got := show(t, r, s); !strings.Contains(string(got.HTML), `href="/x"`) {
		t.Error("the next page was not rendered")
	}
}

// TestNothingIsLeft renders pages and looks for what is left: processes, directories,
// ports, goroutines.
func TestNothingIsLeft(t *testing.T) {
	before := goleak.IgnoreCurrent()
	pages := crawlertest.Count(4, 300)
	path := browserPath(t)
	sandbox, _ := Sandboxed("auto")
	dir := t.TempDir()
	t.Setenv("TMPDIR", dir)
	abandoned := filepath.Join(dir, tempPrefix+"999999999-1")
	if err := os.Mkdir(abandoned, 0o700); err != nil {
		t.Fatal(err)
	}
	r := New(Options{Path: path, UserAgent: "x", Sandbox: sandbox, Tabs: 4, Quiet: 50 * time.Millisecond, Timeout: 3 * time.Minute})
	if err := r.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	if entries, _ := filepath.Glob(filepath.Join(dir, "*")); len(entries) != 1 || entries[0] == abandoned {
		t.Errorf("the temporary directory has %q", entries)
	} else if info, err := os.Stat(entries[0]); err != nil || info.Mode().Perm() != 0o700 {
		t.Errorf("%v, %v", info.Mode(), err)
	}
	pid := r.process.cmd.Process.Pid
	s := &site{pages: map[string]string{"/": `<a href="/x">x</a><script>alert(1)</script>`}}
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() {
			for range pages / 4 {
				if _, err := load(t, r, origin+"/", s.answer); err != nil {
					t.Error(err)
				}
			}
		})
	}
	all.Wait()
	if ports := listening(t, pid); len(ports) > 0 {
		t.Errorf("the browser listens on %q", ports)
	}
	if err := r.Close(); err != nil {
		t.Error(err)
	}
	if _, err := load(t, r, origin+"/", s.answer); err == nil {
		t.Error("a closed renderer renders")
	}
	if left := processesOf(pid); len(left) > 0 {
		t.Errorf("processes are left: %v", left)
	}
	if entries, _ := filepath.Glob(filepath.Join(dir, "*")); len(entries) != 0 {
		t.Errorf("files are left: %q", entries)
	}
	goleak.VerifyNone(t, before)
}

func TestFind(t *testing.T) {
	t.Setenv("CHROME", "")
	t.Setenv("PATH", t.TempDir())
	if _, err := Find(""); !errors.Is(err, ErrNoBrowser) || !strings.Contains(err.Error(), "the package chromium") {
		t.Errorf("without a browser: %v", err)
	}
	for _, env := range []string{"", "/nonexistent"} {
		t.Setenv("CHROME", env)
		named := ""
		if env == "" {
			named = "/nonexistent"
		}
		if _, err := Find(named); err == nil || errors.Is(err, ErrNoBrowser) {
			t.Errorf("a browser that does not exist, $CHROME %q: %v", env, err)
		}
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv("CHROME", self)
	if path, err := Find(""); path != self || err != nil {
		t.Errorf("$CHROME: %s, %v", path, err)
	}
}
