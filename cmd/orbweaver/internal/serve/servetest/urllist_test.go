package servetest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"mime/multipart"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"
)

// TestURLList checks URLs of a list, which are no pages to follow.
func TestURLList(t *testing.T) {
	var mu sync.Mutex
	var asked []string
	site := func(pages map[string]string) *httptest.Server {
		web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			mu.Lock()
			asked = append(asked, r.URL.Path+" "+r.Header.Get("X-Key"))
			mu.Unlock()
			if text, ok := pages[r.URL.Path]; ok {
				w.Header().Set("Content-Type", "text/html")
				fmt.Fprint(w, text)
				return
			}
			http.NotFound(w, r)
		}))
		t.Cleanup(web.Close)
		return web
	}
	other := site(map[string]string{"/listed": `<p id="a">x</p> <a href="/beyond">x</a>`, "/second": "x"})
	web := site(map[string]string{"/": `<a href="both">x</a>`, "/both": `<a href="below">x</a>`, "/alone": `<a href="/unread">x</a>`, "/below": "x"})
	s := open(t, t.TempDir())
	put := func(project, list string, status int) *answer {
		t.Helper()
		return wants(t, fmt.Sprintf("the list %.60q", list), s.send("PUT", "api/v1/projects/"+project+"/urls", list, header("Content-Type", "text/plain; charset=utf-8")), status)
	}
	count := func(project string) int {
		t.Helper()
		var p struct{ URLs int }
		s.call("GET", "projects/"+project, nil, 200, &p)
		return p.URLs
	}

	project := s.create(object{"targets": []string{web.URL + "/"}, "options": object{"retries": 0, "header": []string{"X-Key: k"}}})
	list := "# pages of a partner\r\n" + other.URL + "/listed#a\n\n  " + other.URL + "/listed#b\n" + other.URL + "/gone\n" + web.URL + "/both\n" + web.URL + "/alone\n" + other.URL + "/gone\n"
	if got := string(put(project, list, 200).body); strings.TrimSpace(got) != `{"urls":5}` {
		t.Errorf("the answer is %s", got)
	}
	if got := string(s.call("GET", "projects/"+project+"/urls", nil, 200, nil).body); strings.Count(got, "\n") != 5 || !strings.HasPrefix(got, other.URL+"/listed#a\n"+other.URL+"/listed#b\n") {
		t.Errorf("the list is %q", got)
	}
	run := s.checked(project)
	mu.Lock()
	slices.Sort(asked)
	got := strings.Join(slices.Compact(asked), ",")
	mu.Unlock()
	if got != "/ k,/alone k,/below k,/both k,/gone ,/listed " {
		t.Errorf("the run asked %s", got)
	}
	found := map[string]any{}
	for _, f := range s.items("runs/" + run + "/findings") {
		found[strings.TrimPrefix(f["url"].(string), other.URL)] = f["page"]
	}
	if len(found) != 2 || found["/gone"] != nil || found["/listed#b"] != nil {
		t.Errorf("the findings are %v", found)
	}
	if text := s.call("GET", "runs/"+run, nil, 200, nil).body; strings.Contains(string(text), "/gone") {
		t.Errorf("the run has its list: %s", text)
	}

	for bad, field := range map[string]string{"\n# x\nftp://a.example/": "urls.3", "nonsense": "urls.1", "http://u:secret@a.example/": "urls.1", "http://[/": "urls.1", "/etc/passwd": "urls.1",
		"\xff": "urls.1", strings.Repeat(other.URL+"/%d\n", 1) + "http://a\x01b/": "urls.2", manyURLs(10_001): "urls"} {
		var p problem
		if err := json.Unmarshal(put(project, bad, 422).body, &p); err != nil {
			t.Fatal(err)
		}
		if len(p.Errors) != 1 || p.Errors[0].Field != field {
			t.Errorf("%.40q: %+v", bad, p.Errors)
		}
	}
	put(project, strings.Repeat("#"+strings.Repeat("x", 1023)+"\n", 4097), 413)
	wants(t, "JSON", s.send("PUT", "api/v1/projects/"+project+"/urls", "[]"), 415)
	wants(t, "an old version", s.send("PUT", "api/v1/projects/"+project+"/urls", "", header("Content-Type", "text/plain"), header("If-Match", `"1"`)), 412)
	if n := count(project); n != 5 {
		t.Errorf("%d URLs are left", n)
	}
	put(project, manyURLs(10_000), 200)
	if page := wants(t, "the settings", s.send("GET", "projects/"+project+"/settings", nil), 200); len(page.body) > 100_000 || !strings.Contains(string(page.body), "10,000 URLs") {
		t.Errorf("the settings are %d bytes", len(page.body))
	}
	s.call("PATCH", "projects/"+project, object{"targets": []string{}, "options": object{}}, 200, nil)
	s.call("DELETE", "projects/"+project+"/urls", nil, 409, nil)
	s.call("PATCH", "projects/"+project, object{"targets": []string{web.URL + "/"}}, 200, nil)
	s.call("DELETE", "projects/"+project+"/urls", nil, 204, nil)
	if n := count(project); n != 0 {
		t.Errorf("%d URLs are left", n)
	}
	s.call("PATCH", "projects/"+project, object{"targets": []string{}}, 422, nil)

	// Forms take a text or a file.
	upload := func(path, file string, fields url.Values) *answer {
		t.Helper()
		var body bytes.Buffer
		w := multipart.NewWriter(&body)
		for name, values := range fields {
			_ = w.WriteField(name, values[0])
		}
		part, _ := w.CreateFormFile("urls", "list.txt")
		fmt.Fprint(part, file)
		_ = w.Close()
		return s.send("POST", path, body.String(), header("Content-Type", w.FormDataContentType()))
	}
	a := wants(t, "a new project", upload("projects", other.URL+"/second\n", url.Values{"name": {"list"}, "targets": {""}}), 303)
	listed := strings.TrimPrefix(a.header.Get("Location"), "/projects/")
	if run := s.until(s.checked(listed), "done"); run["sound"] != true || count(listed) != 1 {
		t.Errorf("a list alone is checked: %v, %d URLs", run, count(listed))
	}
	wants(t, "a new file", upload("projects/"+listed+"/settings", manyURLs(9_000), url.Values{"do": {"set-urls"}, "urls": {other.URL + "/second"}}), 303)
	if n := count(listed); n != 9_000 {
		t.Errorf("%d URLs after the upload", n)
	}
	if a := wants(t, "a wrong file", upload("projects/"+listed+"/settings", "\nx:y", url.Values{"do": {"set-urls"}}), 422); !strings.Contains(string(a.body), "line 2: ") {
		t.Errorf("the page says %s", a.body)
	}
	wants(t, "no list", s.post("projects/"+listed+"/settings", url.Values{"do": {"set-urls"}, "urls": {" "}}), 422)
	wants(t, "a text", s.post("projects/"+listed+"/settings", url.Values{"do": {"set-urls"}, "urls": {other.URL + "/second\r\n" + other.URL + "/listed"}}), 303)
	if n := count(listed); n != 2 {
		t.Errorf("%d URLs after the text", n)
	}

	exported := s.call("GET", "export?format=json&project="+listed, nil, 200, nil).body
	if !strings.Contains(string(exported), other.URL+"/second") {
		t.Errorf("the export is %s", exported)
	}
	wants(t, "without the list", s.post("projects/"+listed+"/settings", url.Values{"do": {"set-urls"}, "urls": {other.URL + "/listed"}}), 303)
	for _, want := range []string{`"changed":["list"]`, `"same":["list"]`} {
		if got := s.call("POST", "import", string(exported), 200, nil).body; !strings.Contains(string(got), want) {
			t.Errorf("the import says %s, want %s", got, want)
		}
	}
	if n := count(listed); n != 2 {
		t.Errorf("%d URLs after the import", n)
	}
}

// manyURLs returns a list of n URLs.
func manyURLs(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "https://example.com/a/page/of/some/length/%d\n", i)
	}
	return b.String()
}
