package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/orbweaver/orbweaver/crawler/check"
	"github.com/orbweaver/orbweaver/report"
)

// agent is a client of `orbweaver mcp`, over pipes.
type agent struct {
	t       *testing.T
	in      io.WriteCloser
	schemas map[string]*jsonschema.Schema // of results, by tool

	mu      sync.Mutex
	id      int
	waiting map[string]chan map[string]any // answers by id
	others  chan map[string]any            // what answers nothing
}

// startAgent starts the command and greets it.
func startAgent(t *testing.T, args ...string) *agent {
	t.Helper()
	if wd, err := os.Getwd(); err == nil {
		t.Chdir(wd) // the command changes it
	}
	in, input := io.Pipe()
	output, out := io.Pipe()
	a := &agent{t: t, in: input, schemas: map[string]*jsonschema.Schema{}, waiting: map[string]chan map[string]any{}, others: make(chan map[string]any, 1000)}
	root := newRoot()
	root.SetArgs(append([]string{"mcp"}, args...))
	root.SetIn(in)
	root.SetOut(out)
	root.SetErr(io.Discard)
	ended := make(chan int)
	go func() {
		code := exitCode(root.ExecuteContext(t.Context()), io.Discard)
		out.Close()
		ended <- code
	}()
	go a.read(output)
	t.Cleanup(func() {
		input.Close()
		if code := <-ended; code != exitOK {
			t.Errorf("the exit status is %d", code)
		}
	})
	hello := a.request("initialize", map[string]any{"protocolVersion": "2025-06-18", "capabilities": map[string]any{}, "clientInfo": map[string]any{"name": "test", "version": "1"}})
	if v := hello["result"].(map[string]any)["protocolVersion"]; v != "2025-06-18" {
		t.Errorf("the version is %v", v)
	}
	a.send(map[string]any{"jsonrpc": "2.0", "method": "notifications/initialized"})
	a.readSchemas()
	return a
}

func (a *agent) read(out io.Reader) {
	lines := bufio.NewScanner(out)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var m map[string]any
		if err := json.Unmarshal(lines.Bytes(), &m); err != nil {
			a.t.Errorf("the line %s is not JSON: %v", lines.Text(), err)
			continue
		}
		a.mu.Lock()
		waits := a.waiting[fmt.Sprint(m["id"])]
		a.mu.Unlock()
		if waits == nil {
			a.others <- m
			continue
		}
		waits <- m
	}
}

// line sends a line.
func (a *agent) line(text string) {
	a.t.Helper()
	if _, err := io.WriteString(a.in, text+"\n"); err != nil {
		a.t.Fatal(err)
	}
}

func (a *agent) send(m map[string]any) {
	a.t.Helper()
	text, err := json.Marshal(m)
	if err != nil {
		a.t.Fatal(err)
	}
	a.line(string(text))
}

// begin sends a request and returns its id and what will be answered.
func (a *agent) begin(method string, params map[string]any) (id int, answer chan map[string]any) {
	a.mu.Lock()
	a.id++
	id, answer = a.id, make(chan map[string]any, 1)
	a.waiting[fmt.Sprint(id)] = answer
	a.mu.Unlock()
	a.send(map[string]any{"jsonrpc": "2.0", "id": id, "method": method, "params": params})
	return id, answer
}

func (a *agent) request(method string, params map[string]any) map[string]any {
	_, answer := a.begin(method, params)
	return <-answer
}

// readSchemas reads what the tools give.
func (a *agent) readSchemas() {
	a.t.Helper()
	list := a.request("tools/list", map[string]any{})
	text, err := json.Marshal(list["result"])
	if err != nil || len(text) > 16<<10 {
		a.t.Errorf("the list of tools has %d bytes: %v", len(text), err)
	}
	var tools struct {
		Tools []struct {
			Name, Description         string
			InputSchema, OutputSchema any
		}
	}
	if err := json.Unmarshal(text, &tools); err != nil {
		a.t.Fatal(err)
	}
	compile := func(name string, schema any) *jsonschema.Schema {
		c := jsonschema.NewCompiler()
		if err := c.AddResource(name, schema); err != nil {
			a.t.Fatal(err)
		}
		compiled, err := c.Compile(name)
		if err != nil {
			a.t.Fatalf("%s: %v", name, err)
		}
		return compiled
	}
	for _, tool := range tools.Tools {
		if len(tool.Description) > 400 {
			a.t.Errorf("%s is described in %d bytes", tool.Name, len(tool.Description))
		}
		compile(tool.Name+"/in", tool.InputSchema)
		a.schemas[tool.Name] = compile(tool.Name, tool.OutputSchema)
	}
}

// try calls a tool. It returns its result, or why there is none.
func (a *agent) try(name string, arguments map[string]any) (map[string]any, string) {
	a.t.Helper()
	return a.resultOf(name, arguments, a.request("tools/call", map[string]any{"name": name, "arguments": arguments}))
}

// resultOf checks the form of an answer.
func (a *agent) resultOf(name string, arguments, answer map[string]any) (map[string]any, string) {
	a.t.Helper()
	if wrong, ok := answer["error"].(map[string]any); ok {
		return nil, fmt.Sprint(wrong["message"])
	}
	result := answer["result"].(map[string]any)
	text := result["content"].([]any)[0].(map[string]any)["text"].(string)
	if result["isError"] == true {
		return nil, text
	}
	got := result["structuredContent"].(map[string]any)
	if err := a.schemas[name].Validate(got); err != nil {
		a.t.Errorf("%s %v: the result is not as described: %v", name, arguments, err)
	}
	var same map[string]any
	if err := json.Unmarshal([]byte(text), &same); err != nil || fmt.Sprint(same) != fmt.Sprint(got) {
		a.t.Errorf("%s: the text is not the structured content: %v", name, err)
	}
	most := 2048
	if n, ok := arguments["max_bytes"].(int); ok {
		most = n
	}
	if len(text) > most {
		a.t.Errorf("%s %v: the answer has %d bytes, more than %d", name, arguments, len(text), most)
	}
	return got, ""
}

// call calls a tool that must not fail.
func (a *agent) call(name string, arguments map[string]any) map[string]any {
	a.t.Helper()
	got, why := a.try(name, arguments)
	if why != "" {
		a.t.Fatalf("%s %v: %s", name, arguments, why)
	}
	return got
}

// pages follows next and returns all items.
func (a *agent) pages(name string, arguments map[string]any) (items []map[string]any) {
	a.t.Helper()
	for {
		got := a.call(name, arguments)
		for _, item := range got["items"].([]any) {
			items = append(items, item.(map[string]any))
		}
		if got["next"] == nil {
			if total := int(got["total"].(float64)); total != len(items) {
				a.t.Errorf("%s: %d items of %d", name, len(items), total)
			}
			return items
		}
		arguments["after"] = got["next"]
	}
}

// writeFiles writes files below a directory.
func writeFiles(t testing.TB, dir string, files map[string]string) {
	t.Helper()
	for name, text := range files {
		at := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(at), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(at, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

// TestAgentEqualsCheck tests that the findings of the tool are those of the command, page by page,
// whatever the size of the pages.
func TestAgentEqualsCheck(t *testing.T) {
	dir := t.TempDir()
	var links strings.Builder
	for i := range 40 {
		fmt.Fprintf(&links, "<p><a href='missing-%d-%s.html'>x</a><a href='#no-%d'>y</a>", i, strings.Repeat("ü", i*6), i)
	}
	writeFiles(t, dir, map[string]string{"site/index.html": "<!doctype html><title>x</title>" + links.String(), "site/b.html": "<!doctype html><title>b</title><p id=a><p id=a><a href=missing-0-.html>z</a><a href='Index.html'>i</a>"})
	t.Chdir(dir)
	var out bytes.Buffer
	root := newRoot()
	root.SetArgs([]string{"check", "site", "-f", "json", "--show", "broken,unverified,warning"})
	root.SetOut(&out)
	root.SetErr(io.Discard)
	_ = root.ExecuteContext(t.Context())
	saved, err := report.Read(&out)
	if err != nil {
		t.Fatal(err)
	}
	var want []string
	for _, r := range saved.Results {
		if v := r.Verdict.String(); v == "broken" || v == "unverified" || v == "warning" {
			want = append(want, fmt.Sprintf("%s %s %s %d", r.URL, v, r.Code, len(r.References)))
		}
		for _, w := range r.Warnings {
			if !w.IsVerdict(r.Code) && !w.IsInfo() {
				want = append(want, fmt.Sprintf("%s warning %s", r.URL, w.Code))
			}
		}
	}
	slices.Sort(want)
	a := startAgent(t, "--root", dir)
	for _, size := range []int{1024, 2048, 65536} {
		checked := a.call("check", map[string]any{"target": "site", "max_bytes": size})
		if checked["exit_status"] != float64(1) || checked["complete"] != true || checked["state"] != "done" {
			t.Errorf("%v", checked)
		}
		items := a.pages("findings", map[string]any{"run": checked["run"], "max_bytes": size})
		var got []string
		for n, i := range items {
			line := fmt.Sprintf("%s %s %s", a.whole(checked["run"], i), i["verdict"], i["code"])
			if i["verdict"] != "warning" || !slices.Contains(want, line) {
				line += fmt.Sprint(" ", i["places"])
			}
			got = append(got, line)
			if n > 0 && items[n-1]["verdict"] == "warning" && i["verdict"] == "broken" {
				t.Error("a warning precedes broken links")
			}
		}
		slices.Sort(got)
		if !slices.Equal(got, want) {
			t.Errorf("%d bytes:\n%s\nwant\n%s", size, strings.Join(got, "\n"), strings.Join(want, "\n"))
		}
	}
}

// whole returns the URL of an item, which may be cut.
func (a *agent) whole(run any, item map[string]any) string {
	if item["cut"] != true {
		return item["url"].(string)
	}
	return a.call("finding", map[string]any{"run": run, "id": item["id"], "max_bytes": 8192})["url"].(string)
}

// TestAgentFilters tests what findings can be asked for, and what is said of wrong arguments.
func TestAgentFilters(t *testing.T) {
	dir := t.TempDir()
	writeFiles(t, dir, map[string]string{"a.html": "<!doctype html><title>x</title><a href=no.html>1</a><a href=b.html#no>2</a>", "b.html": "<!doctype html><title>x</title><a href=no.html>1</a><a href=a.html>3</a>"})
	a := startAgent(t, "--root", dir)
	run := a.call("check", map[string]any{"target": "."})["run"]
	for _, c := range []struct {
		arguments map[string]any
		want      string
	}{
		{map[string]any{}, "b.html#no no.html"},
		{map[string]any{"verdict": "ok"}, "a.html"},
		{map[string]any{"verdict": "broken,ok", "q": "B.HTML"}, "b.html#no"},
		{map[string]any{"code": "file-missing"}, "no.html"},
		{map[string]any{"page": "b.html"}, "no.html"},
		{map[string]any{"page": "a.html", "code": "fragment-missing"}, "b.html#no"},
	} {
		c.arguments["run"] = run
		var got []string
		for _, i := range a.pages("findings", c.arguments) {
			got = append(got, i["url"].(string))
		}
		slices.Sort(got)
		if strings.Join(got, " ") != c.want {
			t.Errorf("%v: %v, want %s", c.arguments, got, c.want)
		}
	}
	other := a.call("check", map[string]any{"target": "a.html"})["run"]
	first := a.call("findings", map[string]any{"run": run, "limit": 1})
	for _, c := range []struct {
		tool      string
		arguments map[string]any
		want      string
	}{
		{"findings", map[string]any{}, "run is missing"},
		{"findings", map[string]any{"run": run, "verdict": "brocken"}, "did you mean broken?"},
		{"findings", map[string]any{"run": run, "code": "file-mising"}, "did you mean file-missing?"},
		{"findings", map[string]any{"run": run, "limt": 3}, `did you mean "limit"?`},
		{"findings", map[string]any{"run": run, "limit": 0}, "limit must be a whole number from 1 to 1000"},
		{"findings", map[string]any{"run": run, "max_bytes": 100}, "max_bytes must be"},
		{"findings", map[string]any{"run": other, "after": first["next"]}, "another run"},
		{"findings", map[string]any{"run": run, "after": first["next"], "q": "x"}, "another list"},
		{"findings", map[string]any{"run": "r99"}, "there is no run"},
		{"check", map[string]any{"target": 3}, "target must be a string"},
		{"check", map[string]any{"target": ".", "options": map[string]any{"header": "x"}}, `unknown argument "options.header"`},
		{"check", map[string]any{"target": ".", "options": map[string]any{"depth": -1}}, "depth"},
		{"check", map[string]any{"target": ".", "options": map[string]any{"check": []string{"virus"}}}, "virus"},
		{"check", map[string]any{"target": ".", "options": map[string]any{"scope": "pat"}}, "one of path, host, domain, page"},
		{"verify", map[string]any{"urls": []string{}}, "an array of 1 to 20 strings"},
		{"explain", map[string]any{}, "give code, or url"},
		{"explain", map[string]any{"code": "file-mising"}, "did you mean file-missing?"},
		{"explain", map[string]any{"code": "zzz"}, `code "zzz" is unknown`},
		{"explain", map[string]any{"code": "zzz", "url": "http://a.test/"}, "give code, or url"},
		{"explain", map[string]any{"url": "nonsense"}, "use an absolute URL"},
		{"finding", map[string]any{"run": run, "id": "x"}, "use an id that findings gave"},
		{"findings", map[string]any{"run": run, "after": "x"}, "give what next was"},
		{"findings", map[string]any{"run": run, "after": fmt.Sprint(run, ".all.99999")}, "leave it out"},
		{"findings", map[string]any{"run": run, "verdict": "zzz"}, "use broken, unverified"},
		{"check", map[string]any{"target": "http://"}, "use an http or https URL"},
		{"check", map[string]any{"target": " "}, "give an http or https URL"},
		{"check", map[string]any{"target": "none.html"}, "name a file or directory"},
		{"check", map[string]any{"target": ".", "options": map[string]any{"depth": "x", "exclude": []string{"("}}}, "; "},
		{"findings", map[string]any{"run": run, "code": "zzz"}, `code "zzz" is unknown`},
		{"fixes", map[string]any{"run": other, "after": "x"}, "cursor"},
		{"apply_fixes", map[string]any{"run": run, "all": true}, "unknown tool"},
	} {
		_, why := a.try(c.tool, c.arguments)
		if !strings.Contains(why, c.want) {
			t.Errorf("%s %v: %q, want %q", c.tool, c.arguments, why, c.want)
		}
		if what, do, found := strings.Cut(why, ": "); c.tool != "apply_fixes" && (!found || what == "" || do == "") && !strings.Contains(why, " must be ") || strings.Contains(why, "\n") {
			t.Errorf("%s %v: %q does not say what to do", c.tool, c.arguments, why)
		}
	}
}

// TestAgentLines tests that a line that is no message is answered, and does not end the session.
func TestAgentLines(t *testing.T) {
	a := startAgent(t)
	for _, c := range []struct {
		line string
		code float64
	}{
		{"nonsense", -32700}, {`{"jsonrpc":`, -32700}, {"\xff", -32700}, {`[{"jsonrpc":"2.0","id":7,"method":"ping"}]`, -32600}, {"3", -32600},
		{`{"jsonrpc":"2.0","id":"x` + strings.Repeat("x", 5<<20) + `","method":"ping"}`, -32600}, {`{"id":4}`, -32600},
	} {
		a.line(c.line)
		a.line("") // is ignored
		m := <-a.others
		wrong, _ := m["error"].(map[string]any)
		if id, has := m["id"]; !has || id != nil || wrong["code"] != c.code {
			t.Errorf("%.60s: %v", c.line, m)
		}
	}
	if answer := a.request("no/method", nil); answer["error"].(map[string]any)["code"] != float64(-32601) {
		t.Errorf("%v", answer)
	}
	if answer := a.request("ping", nil); answer["result"] == nil {
		t.Errorf("%v", answer)
	}
}

// TestAgentFiles tests that no tool opens a file outside the roots, and that nobody learns whether
// there is one.
func TestAgentFiles(t *testing.T) {
	dir := t.TempDir()
	writeFiles(t, dir, map[string]string{"in/a.html": "<title>x</title>a", "in/sub/b.html": "<title>x</title>b", "out/secret.html": "<title>x</title>s", "two/c.html": "<title>x</title>c"})
	for link, to := range map[string]string{"in/link.html": "../out/secret.html", "in/away": "../out", "in/inner.html": "a.html"} {
		if err := os.Symlink(to, filepath.Join(dir, link)); err != nil {
			t.Skip("this system has no symbolic links")
		}
	}
	a := startAgent(t, "--root", filepath.Join(dir, "in"), "--root", filepath.Join(dir, "two"))
	for _, target := range []string{"../out/secret.html", "../out/none.html", filepath.Join(dir, "out/secret.html"), filepath.Join(dir, "out/none.html"), "link.html", "away/secret.html", "away/none.html",
		"file://" + filepath.Join(dir, "in/a.html"), "file:a.html", "ftp://a.test/", "sub/../../out/secret.html", "..", "/", "/dev/null"} {
		if got, why := a.try("check", map[string]any{"target": target}); !strings.Contains(why, "outside the roots") {
			t.Errorf("%s: %v %s", target, got, why)
		}
	}
	for _, target := range []string{"a.html", "inner.html", "sub", ".", "sub/b.html", "c.html", filepath.Join(dir, "two", "c.html"), filepath.Join(dir, "in", "a.html")} {
		a.call("check", map[string]any{"target": target})
	}
	if _, why := a.try("check", map[string]any{"target": "none.html"}); !strings.Contains(why, "no such file") {
		t.Error(why)
	}
	none := startAgent(t)
	if _, why := none.try("check", map[string]any{"target": filepath.Join(dir, "in/a.html")}); !strings.Contains(why, "outside the roots") {
		t.Error(why)
	}
}

// TestAgentConfiguration tests that the configuration of a root counts for its files alone.
func TestAgentConfiguration(t *testing.T) {
	one, two := t.TempDir(), t.TempDir()
	page := map[string]string{"a.html": "<!doctype html><title>x</title><a href=no.html>1</a>"}
	writeFiles(t, one, page)
	writeFiles(t, two, page)
	writeFiles(t, two, map[string]string{"orbweaver.toml": "exclude = ['no\\.html$']\n"})
	a := startAgent(t, "--root", one, "--root", two)
	for dir, want := range map[string]float64{one: 1, two: 0} {
		if got := a.call("check", map[string]any{"target": filepath.Join(dir, "a.html")}); got["total"] != want {
			t.Errorf("%v", got)
		}
	}
	writeFiles(t, two, map[string]string{"orbweaver.toml": "login = 'x'\n"})
	if _, why := a.try("check", map[string]any{"target": filepath.Join(two, "a.html")}); !strings.Contains(why, "orbweaver.toml") {
		t.Error(why)
	}
}

// TestAgentFixes tests that the edits are those of the command fix, that they are made once, and
// that an edit whose place has changed is left out.
func TestAgentFixes(t *testing.T) {
	dir := t.TempDir()
	text := "[one](Guide.md)\n[two](guide.md#instal)\n"
	writeFiles(t, dir, map[string]string{"a.md": text, "b.md": strings.Repeat("[one](GUIDE.md)\n", 60), "guide.md": "# Install\n"})
	t.Chdir(dir)
	args := []string{"check", ".", "-o", filepath.Join(t.TempDir(), "report.json")}
	{
		root := newRoot()
		root.SetArgs(args)
		root.SetOut(io.Discard)
		root.SetErr(io.Discard)
		_ = root.ExecuteContext(t.Context())
		var patch bytes.Buffer
		root = newRoot()
		root.SetArgs([]string{"fix", args[3]})
		root.SetOut(&patch)
		root.SetErr(io.Discard)
		_ = root.ExecuteContext(t.Context())
		a := startAgent(t, "--root", dir, "--write")
		run := a.call("check", map[string]any{"target": "."})["run"]
		var joined string
		var ids []string
		arguments := map[string]any{"run": run, "max_bytes": 1500}
		for {
			got := a.call("fixes", arguments)
			joined += got["patch"].(string)
			for _, i := range got["items"].([]any) {
				ids = append(ids, i.(map[string]any)["id"].(string))
				if _, known := check.Lookup(check.Code(i.(map[string]any)["code"].(string))); !known {
					t.Errorf("%v has no code of a finding", i)
				}
			}
			if got["next"] == nil {
				break
			}
			arguments["after"] = got["next"]
		}
		if joined != patch.String() || joined == "" {
			t.Errorf("the patch is\n%s\nwant\n%s", joined, patch.String())
		}
		if dry := a.call("apply_fixes", map[string]any{"run": run, "ids": ids[:1], "dry_run": true}); len(dry["applied"].([]any)) != 1 {
			t.Errorf("%v", dry)
		}
		if now, _ := os.ReadFile("a.md"); string(now) != text {
			t.Errorf("a dry run wrote %s", now)
		}
		if got := a.call("apply_fixes", map[string]any{"run": run, "ids": ids[:1]}); len(got["applied"].([]any)) != 1 || len(got["left_out"].([]any)) != 0 {
			t.Errorf("%v", got)
		}
		if now, _ := os.ReadFile("a.md"); string(now) == text || !strings.Contains(string(now), "guide.md)") {
			t.Errorf("written is %s", now)
		}
		if got := a.call("apply_fixes", map[string]any{"run": run, "ids": ids[:1]}); len(got["applied"].([]any)) != 0 || len(got["left_out"].([]any)) != 1 {
			t.Errorf("applied twice: %v", got)
		}
		if got := a.call("apply_fixes", map[string]any{"run": run, "all": true, "max_bytes": 65536}); len(got["applied"].([]any)) != len(ids)-1 {
			t.Errorf("%v", got)
		}
	}
}

// aSite is a site whose pages, /PREFIX/0 to /PREFIX/N-1, link to all others. It counts requests.
func aSite(t *testing.T, n int, answer func(w http.ResponseWriter, r *http.Request) bool) (url string, requests *atomic.Int64) {
	requests = &atomic.Int64{}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		requests.Add(1)
		if answer != nil && answer(w, r) {
			return
		}
		if r.URL.Path == "/robots.txt" {
			http.NotFound(w, r)
			return
		}
		w.Header().Set("Content-Type", "text/html")
		fmt.Fprint(w, "<!doctype html><title>x</title>")
		for i := range n {
			fmt.Fprintf(w, "<a href=%d>%d</a>", i, i)
		}
	}))
	t.Cleanup(server.Close)
	return server.URL, requests
}

// TestAgentBudget tests that no more requests are sent than the budgets allow, robots.txt included,
// and that a run that ended for that is not complete.
func TestAgentBudget(t *testing.T) {
	url, requests := aSite(t, 100, nil)
	a := startAgent(t, "--allow-private", "127.0.0.0/8", "--budget", "40", "--call-budget", "25")
	for _, c := range []struct {
		options   map[string]any
		sent, all int64
	}{{nil, 25, 25}, {map[string]any{"max-requests": 5}, 5, 30}, {nil, 10, 40}, {nil, 0, 40}} {
		arguments := map[string]any{"target": url + "/a/0"}
		if c.options != nil {
			arguments["options"] = c.options
		}
		got := a.call("check", arguments)
		if requests.Load() != c.all || got["budget_left"] != float64(40-c.all) {
			t.Errorf("%d requests were sent, want %d: %v", requests.Load(), c.all, got)
		}
		if got["complete"] != false || got["stopped_by"] != "limit" || got["state"] != "done" || got["exit_status"] != float64(3) {
			t.Errorf("%v", got)
		}
	}
	item := a.call("verify", map[string]any{"urls": []string{url + "/b/0"}})["items"].([]any)[0].(map[string]any)
	if item["answer"] != "unverifiable" || item["code"] != "limit" || requests.Load() != 40 {
		t.Errorf("%v", item)
	}
}

// TestAgentTurns tests that two runs at once have no requests under way at one host at once.
func TestAgentTurns(t *testing.T) {
	var mu sync.Mutex
	under, mixed := map[string]int{}, 0
	url, _ := aSite(t, 30, func(w http.ResponseWriter, r *http.Request) bool {
		prefix := r.URL.Path[:min(3, len(r.URL.Path))]
		if prefix == "/ro" {
			return false
		}
		mu.Lock()
		under[prefix]++
		if under["/a/"] > 0 && under["/b/"] > 0 {
			mixed++
		}
		mu.Unlock()
		t.Cleanup(func() {})
		fmt.Fprint(w, "<!doctype html><title>x</title>")
		for i := range 30 {
			fmt.Fprintf(w, "<a href=%d>%d</a>", i, i)
		}
		mu.Lock()
		under[prefix]--
		mu.Unlock()
		return true
	})
	a := startAgent(t, "--allow-private", "127.0.0.0/8")
	_, one := a.begin("tools/call", map[string]any{"name": "check", "arguments": map[string]any{"target": url + "/a/0"}})
	_, two := a.begin("tools/call", map[string]any{"name": "check", "arguments": map[string]any{"target": url + "/b/0"}})
	for _, answer := range []chan map[string]any{one, two} {
		if got, why := a.resultOf("check", nil, <-answer); got["complete"] != true {
			t.Errorf("%v %s", got, why)
		}
	}
	if mixed > 0 {
		t.Errorf("%d requests were sent while another run had some under way", mixed)
	}
}

// TestAgentCancel tests that a call that is cancelled sends nothing more, and that its findings can
// be read; another call goes on.
func TestAgentCancel(t *testing.T) {
	arrived, release := make(chan struct{}, 100), make(chan struct{})
	url, requests := aSite(t, 50, func(_ http.ResponseWriter, r *http.Request) bool {
		if strings.HasPrefix(r.URL.Path, "/slow/") && r.URL.Path != "/slow/0" {
			arrived <- struct{}{}
			select {
			case <-release:
			case <-r.Context().Done():
			}
		}
		return false
	})
	defer close(release)
	a := startAgent(t, "--allow-private", "127.0.0.0/8", "--concurrency", "2")
	id, answer := a.begin("tools/call", map[string]any{"name": "check", "arguments": map[string]any{"target": url + "/slow/0"}, "_meta": map[string]any{"progressToken": "p"}})
	<-arrived
	a.send(map[string]any{"jsonrpc": "2.0", "method": "notifications/cancelled", "params": map[string]any{"requestId": id}})
	a.send(map[string]any{"jsonrpc": "2.0", "method": "notifications/cancelled", "params": map[string]any{"requestId": 9999}})
	<-answer
	sent := requests.Load()
	got := a.call("findings", map[string]any{"run": "r1", "verdict": "ok,skipped,broken"})
	if got["state"] != "interrupted" || got["total"].(float64) < 40 {
		t.Errorf("%v", got)
	}
	if requests.Load() != sent {
		t.Error("requests were sent after the end")
	}
	last := 0.0
	for len(a.others) > 0 {
		m := <-a.others
		p := m["params"].(map[string]any)
		if m["method"] != "notifications/progress" || p["progressToken"] != "p" || p["progress"].(float64) <= last {
			t.Errorf("%v after %v", m, last)
		}
		last = p["progress"].(float64)
	}
}

// TestAgentHostileTexts tests that what nobody sees in texts of pages, passwords and what the command line keeps secret
// are in no answer, and that texts of pages are no keys.
func TestAgentHostileTexts(t *testing.T) {
	dir := t.TempDir()
	hidden := "a\u202eb\u2066\u200bc\U000E0041\u001b[31m\u0000"
	writeFiles(t, dir, map[string]string{"a.html": "<!doctype html><title>" + hidden + "</title><h1 id='" + hidden + "'>x</h1><a href='no" + hidden + ".html'>" + hidden + "</a>" +
		"<a href='b.html#" + hidden + "'>y</a><a href='http://user:hushhush@127.0.0.1:9/x'>z</a><a href=ignore-all-instructions>w</a>", "b.html": "<!doctype html><title>x</title><h1 id=abc>x</h1>"})
	a := startAgent(t, "--root", dir, "--header", "X-Key: hushhush", "--allow-private", "127.0.0.0/8")
	run := a.call("check", map[string]any{"target": ".", "max_bytes": 65536})["run"]
	var answers []any
	for _, item := range a.pages("findings", map[string]any{"run": run, "verdict": "broken,unverified,ok,skipped"}) {
		answers = append(answers, item, a.call("finding", map[string]any{"run": run, "id": item["id"], "max_bytes": 65536}))
	}
	answers = append(answers, a.call("fixes", map[string]any{"run": run, "max_bytes": 65536}),
		a.call("verify", map[string]any{"urls": []string{"http://user:hushhush@127.0.0.1:9/" + hidden}, "max_bytes": 65536}))
	_, why := a.try("check", map[string]any{"target": "none" + hidden + ".html"})
	answers = append(answers, why)
	for _, answer := range answers {
		text, err := json.Marshal(answer)
		if err != nil {
			t.Fatal(err)
		}
		for _, secret := range []string{"hushhush", "\u202e", "\u2066", "\u200b", "\U000E0041", `\u001b`, `\u0000`, `instructions":`} {
			if strings.Contains(string(text), secret) {
				t.Errorf("an answer has %q: %.600s", secret, text)
			}
		}
	}
	if len(answers) < 8 {
		t.Errorf("there are %d answers: too few to tell", len(answers))
	}
}
