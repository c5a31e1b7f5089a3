package lsptest

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
)

// counting is a server that counts requests, by path, and those that are under way at once.
type counting struct {
	*httptest.Server
	mu          sync.Mutex
	requests    map[string]int
	under, most int
}

func serveCounting(t *testing.T) *counting {
	c := &counting{requests: map[string]int{}}
	c.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		c.mu.Lock()
		c.requests[r.URL.Path]++
		c.under++
		c.most = max(c.most, c.under)
		c.mu.Unlock()
		defer func() {
			c.mu.Lock()
			c.under--
			c.mu.Unlock()
		}()
		switch {
		case strings.HasPrefix(r.URL.Path, "/missing"), r.URL.Path == "/robots.txt":
			http.NotFound(w, r)
		case r.URL.Path == "/moved":
			http.Redirect(w, r, "/ok", http.StatusMovedPermanently)
		case r.URL.Path == "/forbidden":
			w.WriteHeader(http.StatusForbidden)
		default:
			w.Header().Set("Content-Type", "text/html")
			fmt.Fprint(w, "<title>ok</title><h1 id=here>Here</h1>")
		}
	}))
	t.Cleanup(c.Close)
	return c
}

// count returns the number of requests for a path, or of all that are not for robots.txt.
func (c *counting) count(path string) (n int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for p, k := range c.requests {
		if p == path || path == "" && p != "/robots.txt" {
			n += k
		}
	}
	return n
}

// atOnce returns how many requests were under way at once.
func (c *counting) atOnce() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.most
}

// abroad starts the program with a folder, and a cache of its own.
func abroad(t *testing.T, dir string, args ...string) *editor {
	t.Helper()
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	return start(t, dir, map[string]any{}, args...)
}

// codes returns the codes of the pushed findings of a document.
func (e *editor) codes(uri string) (all []string) {
	for _, f := range e.findings[uri] {
		all = append(all, f.Code)
	}
	return all
}

// TestExternal tests that targets of saved documents are requested once, one at a time at each host, and
// judged as check judges them.
func TestExternal(t *testing.T) {
	server := serveCounting(t)
	dir := t.TempDir()
	page := ""
	for _, path := range []string{"/ok", "/missing", "/moved", "/forbidden", "/ok#here", "/ok#nothing", "/ok"} {
		page += fmt.Sprintf("[x](%s%s)\n", server.URL, path)
	}
	for i := range 20 {
		page += fmt.Sprintf("[x](%s/missing/%d)\n", server.URL, i)
	}
	write(t, dir, "a.md", page)
	write(t, dir, "b.md", "[x]("+server.URL+"/missing)\n")
	cmd := exec.Command(program, "check", ".", "-f", "json")
	cmd.Dir = dir
	out, _ := cmd.Output()
	var want struct {
		Results []struct {
			Code, Verdict string
			References    []struct{ Page string }
			Warnings      []struct{ Code string }
		}
	}
	if err := json.Unmarshal(out, &want); err != nil {
		t.Fatal(err)
	}
	var checked []string
	for _, r := range want.Results {
		for _, ref := range r.References {
			if ref.Page == "a.md" && (r.Verdict == "broken" || r.Verdict == "unverified") {
				checked = append(checked, r.Code)
			}
			for _, w := range r.Warnings {
				if ref.Page == "a.md" {
					checked = append(checked, w.Code)
				}
			}
		}
	}
	slices.Sort(checked)
	server.mu.Lock()
	server.requests, server.most = map[string]int{}, 0
	server.mu.Unlock()

	e := abroad(t, dir, "--external", "check")
	e.until("the findings of check", func() bool {
		found := e.codes(uri(dir, "a.md"))
		slices.Sort(found)
		return slices.Equal(found, checked) && len(e.findings[uri(dir, "b.md")]) == 1
	})
	e.mu.Lock()
	found := e.findings[uri(dir, "a.md")]
	e.mu.Unlock()
	for _, f := range found {
		if !strings.Contains(f.Message, "; observed 20") {
			t.Errorf("%s: it does not tell when: %q", f.Code, f.Message)
		}
	}
	if most := server.atOnce(); most > 1 {
		t.Errorf("%d requests at once to one host", most)
	}
	if n := server.count("/missing"); n == 0 || n > 3 { // HEAD, then GET
		t.Errorf("%d requests for /missing", n)
	}
	sent := server.count("")
	e.hovers(dir, "a.md", 4, "title ok")

	typed := page + "[x](" + server.URL + "/typed)\n"
	e.open(dir, "a.md", typed)
	e.request("textDocument/hover", map[string]any{"textDocument": map[string]any{"uri": uri(dir, "a.md")}, "position": map[string]any{"line": 27, "character": 8}})
	e.request("textDocument/completion", map[string]any{"textDocument": map[string]any{"uri": uri(dir, "a.md")}, "position": map[string]any{"line": 27, "character": 8}})
	write(t, dir, "c.md", "[x]("+server.URL+"/c)\n") // it is requested after what was typed would be
	e.notify("workspace/didChangeWatchedFiles", map[string]any{"changes": []any{map[string]any{"uri": uri(dir, "c.md"), "type": 1}}})
	e.hovers(dir, "c.md", 0, "observed 20")
	if n := server.count("/typed"); n != 0 {
		t.Errorf("%d requests for what was typed", n)
	}
	write(t, dir, "a.md", typed)
	e.notify("textDocument/didSave", map[string]any{"textDocument": map[string]any{"uri": uri(dir, "a.md")}})
	e.hovers(dir, "a.md", 27, "observed 20")
	if n := server.count("/missing") + server.count("/ok"); n > sent {
		t.Errorf("a target was requested again")
	}
	again := server.count("/missing")
	if a := e.request("workspace/executeCommand", map[string]any{"command": "orbweaver.refresh", "arguments": []any{uri(dir, "b.md")}}); a.code() != 0 {
		t.Errorf("refresh: %v", a.Error)
	}
	for server.count("/missing") == again {
		e.request("workspace/symbol", map[string]any{"query": "nothing"})
	}
	if a := e.request("workspace/executeCommand", map[string]any{"command": "rm"}); a.code() != -32602 {
		t.Errorf("another command: %v", a.Error)
	}
}

// hovers asks until the hover on a line has a text.
func (e *editor) hovers(dir, name string, line int, text string) {
	e.t.Helper()
	for range 10000 {
		a := e.request("textDocument/hover", map[string]any{"textDocument": map[string]any{"uri": uri(dir, name)}, "position": map[string]any{"line": line, "character": 8}})
		if strings.Contains(string(a.Result), text) {
			return
		}
	}
	e.t.Errorf("the hover on line %d of %s never has %q", line, name, text)
}

// TestStrangersWorkspace tests that a workspace cannot make the server send requests to private addresses,
// however it asks, unless the command line allows that.
func TestStrangersWorkspace(t *testing.T) {
	server := serveCounting(t)
	dir := t.TempDir()
	port := server.URL[strings.LastIndexByte(server.URL, ':'):]
	page := ""
	for _, host := range []string{"127.0.0.1", "localhost", "2130706433", "0x7f.1", "[::1]", "[::ffff:127.0.0.1]", "127.0.0.2"} {
		page += "[x](http://" + host + port + "/missing)\n"
	}
	write(t, dir, "a.md", page+"[y](no.md)\n")
	write(t, dir, "orbweaver.toml", "external = \"check\"\nmax-age = \"0s\"\n")
	e := abroad(t, dir)
	e.until("the finding of the folder", func() bool { return slices.Contains(e.codes(uri(dir, "a.md")), "file-missing") })
	if a := e.request("workspace/executeCommand", map[string]any{"command": "orbweaver.refresh"}); a.code() != 0 {
		t.Errorf("refresh: %v", a.Error)
	}
	for range 100 { // the requests would be sent in the background
		e.hovers(dir, "a.md", 0, "not observed")
	}
	if server.count("")+server.count("/robots.txt") != 0 {
		t.Error("requests were sent to private addresses")
	}

	e = abroad(t, dir, "--allow-private", "127.0.0.1")
	e.until("the finding of an address that is allowed", func() bool { return slices.Contains(e.codes(uri(dir, "a.md")), "http-404") })
	e = abroad(t, dir, "--external", "cache")
	if a := e.request("workspace/executeCommand", map[string]any{"command": "orbweaver.refresh"}); a.code() != -32803 {
		t.Errorf("refresh where nothing is requested: %v", a.Error)
	}
}

// TestObservationsOfCheck tests that the cache of another run is used, and nothing is requested.
func TestObservationsOfCheck(t *testing.T) {
	server := serveCounting(t)
	dir := t.TempDir()
	page := ""
	for _, path := range []string{"/ok", "/moved", "/missing", "/ok#here", "/ok#nothing", "/forbidden"} {
		page += "[x](" + server.URL + path + ")\n"
	}
	write(t, dir, "a.md", page)
	cache := filepath.Join(t.TempDir(), "cache.db")
	cmd := exec.Command(program, "check", ".", "--cache", cache)
	cmd.Dir = dir
	cmd.Run()
	sent := server.count("")
	e := abroad(t, dir, "--cache", cache)
	e.hovers(dir, "a.md", 0, "observed 20")
	e.hovers(dir, "a.md", 1, "redirected to")
	for line, code := range map[int]string{2: "broken http-404", 3: "ok ok", 4: "broken fragment-missing", 5: "skipped external"} {
		e.hovers(dir, "a.md", line, code)
	}
	e.hovers(dir, "a.md", 2, "observed 20")
	e.hovers(dir, "a.md", 5, "not observed")
	if found := e.codes(uri(dir, "a.md")); !slices.Equal(found, []string{"redirect-permanent"}) {
		t.Errorf("by what earlier runs know, the findings are %v", found)
	}
	if server.count("") != sent {
		t.Error("requests were sent")
	}
	e = abroad(t, dir, "--cache", cache, "--external", "check")
	e.until("what earlier runs found broken is requested", func() bool {
		found := e.codes(uri(dir, "a.md"))
		return slices.Contains(found, "http-404") && slices.Contains(found, "fragment-missing") && slices.Contains(found, "http-403")
	})
	e = abroad(t, dir, "--cache", cache, "--max-age", "0s")
	e.hovers(dir, "a.md", 0, "stale")
	if _, err := os.Stat(filepath.Join(os.Getenv("XDG_CACHE_HOME"), "orbweaver")); err == nil {
		t.Error("a cache was made that nothing needs")
	}
}

// TestProgress tests that the first judgement is shown once, where the editor can, and that no request is
// sent between a cancellation and the next save.
func TestProgress(t *testing.T) {
	server := serveCounting(t)
	dir := t.TempDir()
	write(t, dir, "a.md", "# A\n")
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	e := start(t, dir, map[string]any{"window": map[string]any{"workDoneProgress": true}}, "--external", "check")
	e.until("begin and end", func() bool {
		shown := slices.DeleteFunc(slices.Clone(e.sent), func(method string) bool { return method == "$/progress report" })
		return len(shown) >= 3 && slices.Equal(shown[:3], []string{"window/workDoneProgress/create", "$/progress begin", "$/progress end"})
	})
	e.notify("window/workDoneProgress/cancel", map[string]any{"token": "orbweaver-1"})
	write(t, dir, "a.md", "[x]("+server.URL+"/ok)\n")
	e.notify("workspace/didChangeWatchedFiles", map[string]any{"changes": []any{map[string]any{"uri": uri(dir, "a.md"), "type": 2}}})
	for range 100 {
		e.hovers(dir, "a.md", 0, "not observed")
	}
	if server.count("") != 0 {
		t.Error("requests were sent after they were cancelled")
	}
	e.notify("textDocument/didSave", map[string]any{"textDocument": map[string]any{"uri": uri(dir, "a.md")}})
	e.hovers(dir, "a.md", 0, "observed 20")
}
