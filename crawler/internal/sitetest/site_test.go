package sitetest

import (
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

const example = `What happens to pages that moved.

/old.html: status 301, Location: /new.html
/busy.html: status 503
	Retry-After: 120
	Content-Type: text/plain

More prose:
	indented, but no header.

-- index.html --
<a href="old.html">Old</a> <a href="gone.html">Gone</a>
-- busy.html --
busy
-- sub dir/ü.html --
<p>
-- sub dir/index.html --
<p>
-- wants --
# remark

index.html 1:38 http-404 gone.html
index.html 1:10 redirect-permanent/- old.html
index.html 1:60 http-404/file-case Index.html
sub%20dir/ 2:1 -/file-missing sub%20dir/
-- skipped --
index.html 9:9 scheme-unchecked tel:1
`

func mustParse(t *testing.T, archive string) *Site {
	t.Helper()
	s, err := parse([]byte(archive))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestParse(t *testing.T) {
	s := mustParse(t, example)
	if got := slices.Sorted(maps.Keys(s.files)); !slices.Equal(got, []string{"busy.html", "index.html", "sub dir/index.html", "sub dir/ü.html"}) {
		t.Errorf("files %q", got)
	}
	if got := string(s.files["busy.html"].Data); got != "busy\n" {
		t.Errorf("busy.html has the content %q", got)
	}
	if s.Static() || !mustParse(t, "-- a --\n").Static() {
		t.Error("Static is wrong")
	}
	for name, lists := range map[string][2][]Want{
		"wants": {s.Wants(), {
			{"index.html", 1, 10, "redirect-permanent", "old.html"},
			{"index.html", 1, 38, "http-404", "gone.html"},
			{"index.html", 1, 60, "http-404", "Index.html"},
		}},
		"directory wants": {s.DirectoryWants(), {
			{"index.html", 1, 38, "file-missing", "gone.html"},
			{"index.html", 1, 60, "file-case", "Index.html"},
			{"sub%20dir/index.html", 2, 1, "file-missing", "sub%20dir/index.html"},
		}},
		"skipped":           {s.Skipped(), {{"index.html", 9, 9, "scheme-unchecked", "tel:1"}}},
		"directory skipped": {s.DirectorySkipped(), {{"index.html", 9, 9, "scheme-unchecked", "tel:1"}}},
	} {
		if diff := Diff(lists[0], lists[1]); diff != "" {
			t.Errorf("%s:\n%s", name, diff)
		}
	}
}

func TestParseMistakes(t *testing.T) {
	for archive, want := range map[string]string{
		"":                                 "parse site: it has no page",
		"prose\n":                          "parse site: it has no page",
		"-- ../a --\n":                     `parse site: "../a" is not a path inside the site`,
		"-- /a --\n":                       `parse site: "/a" is not a path inside the site`,
		"-- a//b --\n":                     `parse site: "a//b" is not a path inside the site`,
		"-- a --\n-- a --\n":               `parse site: the file "a" occurs twice`,
		"/a: 301\n":                        `parse site: "/a: 301" is not of the form "/target: status NNN, Name: value"`,
		"/a: status x\n":                   `parse site: "/a: status x" is not of the form "/target: status NNN, Name: value"`,
		"/a: status 301, x\n":              `parse site: "x" is not a header field`,
		"/a: status 301\n\tx y:":           `parse site: "\tx y:" is not a header field`,
		"/a: status 301\n/a: status 302\n": "parse site: /a has two answers",
		"-- wants --\nindex.html 1:1 x\n":  `parse site: wants: "index.html 1:1 x" is not of the form "page line:column code url"`,
		"-- wants --\na 0:1 x y\n":         `parse site: wants: "a 0:1 x y": 0:1 is not a place`,
		"-- wants --\na 1 x y\n":           `parse site: wants: "a 1 x y": 1 is not a place`,
		"-- skipped --\na 1:1 - y\n":       `parse site: skipped: "a 1:1 - y" has no code`,
	} {
		if _, err := parse([]byte(archive)); err == nil || err.Error() != want {
			t.Errorf("%q: %v, want %s", archive, err, want)
		}
	}
}

func TestWriteDir(t *testing.T) {
	s := mustParse(t, "-- a.html --\nA\n-- sub dir/ü#?%.html --\nB\n")
	dir := s.WriteDir(t)
	var got []string
	err := filepath.WalkDir(dir, func(name string, entry os.DirEntry, err error) error {
		if err == nil && !entry.IsDir() {
			rel, _ := filepath.Rel(dir, name)
			data, _ := os.ReadFile(name)
			got = append(got, filepath.ToSlash(rel)+"="+string(data))
		}
		return err
	})
	if err != nil || !slices.Equal(got, []string{"a.html=A\n", "sub dir/ü#?%.html=B\n"}) {
		t.Errorf("%q, %v", got, err)
	}
}

// ask sends a request and returns the status, the header and the body.
func ask(t *testing.T, h http.Handler, method, target string, header ...string) (status int, got http.Header, body string) {
	t.Helper()
	r := httptest.NewRequest(method, target, nil)
	for i := 0; i < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
	}
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w.Code, w.Header(), w.Body.String()
}

func TestAnswers(t *testing.T) {
	h := mustParse(t, "/old.html: status 301, Location: /new.html\n/busy.html: status 503\n\tRetry-After: 120\n\tContent-Type: text/plain\n"+
		"/data: status 200, Content-Type: application/json\n/page?x=1: status 410\n/none: status 204\n"+
		"-- busy.html --\nbusy\n-- data --\n{}\n-- page --\npage\n-- 404.html --\nnot here\n").Handler()
	tests := []struct {
		target string
		status int
		header string
		value  string
		body   string
	}{
		{"/old.html", 301, "Location", "/new.html", "<!doctype html><title>301</title><h1>301 Moved Permanently</h1>\n"},
		{"/busy.html", 503, "Retry-After", "120", "busy\n"},
		{"/busy.html", 503, "Content-Type", "text/plain", "busy\n"},
		{"/data", 200, "Content-Type", "application/json", "{}\n"},
		{"/page", 200, "Content-Type", "application/octet-stream", "page\n"},
		{"/page?x=1", 410, "Content-Type", "application/octet-stream", "page\n"},
		{"/none", 204, "Content-Type", "", ""},
		{"/gone", 404, "Content-Type", "text/html", "not here\n"},
	}
	for _, tt := range tests {
		status, header, body := ask(t, h, "GET", tt.target)
		if status != tt.status || header.Get(tt.header) != tt.value || body != tt.body {
			t.Errorf("%s: %d, %s: %q, %q", tt.target, status, tt.header, header.Get(tt.header), body)
		}
	}
}

func TestServe(t *testing.T) {
	base, log := mustParse(t, example).Serve(t)
	client := &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	for _, target := range []string{"/", "/?x", "/old.html", "/old.html"} {
		resp, err := client.Get(base + target)
		if err != nil {
			t.Fatal(err)
		}
		_, _ = io.Copy(io.Discard, resp.Body)
		resp.Body.Close()
	}
	resp, err := client.Head(base + "/")
	if err != nil {
		t.Fatal(err)
	}
	resp.Body.Close()
	if want := []string{"GET / 1", "GET /?x 1", "GET /old.html 2", "HEAD / 1"}; !slices.Equal(log.Lines(), want) {
		t.Errorf("%q, want %q", log.Lines(), want)
	}
	if log.Total() != 5 || log.Count("GET", "/old.html") != 2 || log.Count("", "/") != 2 || log.Count("HEAD", "/old.html") != 0 {
		t.Error("the counts are wrong")
	}
}

func TestFindingAndDiff(t *testing.T) {
	s := mustParse(t, example)
	tests := []struct{ base, address, want string }{
		{"http://127.0.0.1:80", "http://127.0.0.1:80/", "index.html"},
		{"http://127.0.0.1:80/", "http://127.0.0.1:80/#x", "index.html#x"},
		{"http://127.0.0.1:80", "http://127.0.0.1:80/?q#x", "index.html?q#x"},
		{"http://127.0.0.1:80", "http://127.0.0.1:80/sub%20dir/", "sub%20dir/index.html"},
		{"http://127.0.0.1:80", "http://127.0.0.1:80/sub%20dir", "sub%20dir"},
		{"http://127.0.0.1:80", "http://127.0.0.1:80/none/", "none/"},
		{"http://127.0.0.1:80", "http://127.0.0.1:8080/", "http://127.0.0.1:8080/"},
		{"http://127.0.0.1:80", "tel:1", "tel:1"},
		{"tmp/site", "tmp/site/gone.html", "gone.html"},
		{"tmp/site", "tmp/site2/gone.html", "tmp/site2/gone.html"},
		{"", "sub%20dir/#x", "sub%20dir/index.html#x"},
	}
	for _, tt := range tests {
		if got := s.Finding(tt.base, tt.address, 1, 1, "x", "y").Page; got != tt.want {
			t.Errorf("%s under %s: %s, want %s", tt.address, tt.base, got, tt.want)
		}
	}
	a, b, c := Want{"a", 1, 2, "x", "u"}, Want{"a", 10, 2, "x", "u"}, Want{"a", 9, 2, "x", "u"}
	if got := Diff([]Want{b, a, a}, []Want{c, a}); got != "- a 9:2 x u\n+ a 10:2 x u\n" {
		t.Errorf("%q", got)
	}
	if got := Diff([]Want{a, b}, []Want{b, a, a}); got != "" {
		t.Errorf("%q", got)
	}
}

// TestSites tests the archives of the crawler's tests without a crawl: every finding must be
// at the start of a reference on a page of the site, and an HTTP status in its code must be
// that of the answer.
func TestSites(t *testing.T) {
	names, err := filepath.Glob("../../../testdata/sites/*.txtar")
	if err != nil || len(names) < 12 {
		t.Fatalf("%d sites, %v", len(names), err)
	}
	for _, name := range names {
		s := ParseFile(t, name)
		handler := s.Handler()
		for _, e := range slices.Concat(s.wants, s.skipped) {
			checkPlace(t, name, s, e.Want)
			if status, ok := strings.CutPrefix(e.Code, "http-"); ok {
				if got := statusOf(t, handler, e.URL); got != status {
					t.Errorf("%s: %s: the server answers %s", name, e.Want, got)
				}
			}
		}
		if s.Static() {
			s.WriteDir(t)
		}
	}
}

func checkPlace(t *testing.T, name string, s *Site, w Want) {
	t.Helper()
	var lines []string
	if page := s.files[unescape(w.Page)]; page != nil {
		lines = strings.Split(string(page.Data), "\n")
	}
	if w.Line > len(lines) {
		t.Errorf("%s: %s: the line does not exist", name, w)
		return
	}
	line := []rune(lines[w.Line-1])
	if w.Column < 1 || w.Column > len(line) {
		t.Errorf("%s: %s: the column does not exist", name, w)
		return
	}
	if w.Column > 1 && line[w.Column-1] != '<' && !strings.ContainsRune("\"'=( ,;", line[w.Column-2]) {
		t.Errorf("%s: %s: no reference starts at %q", name, w, string(line[w.Column-2:]))
	}
}

func unescape(s string) string {
	r := httptest.NewRequest("GET", "/"+s, nil)
	return strings.TrimPrefix(r.URL.Path, "/")
}

// statusOf returns the status of a target after redirects.
func statusOf(t *testing.T, h http.Handler, target string) string {
	t.Helper()
	target, _, _ = strings.Cut(target, "#")
	for range 5 {
		r := httptest.NewRequest("GET", "/"+strings.TrimPrefix(target, "/"), nil)
		w := httptest.NewRecorder()
		h.ServeHTTP(w, r)
		target = w.Header().Get("Location")
		if target == "" {
			return strconv.Itoa(w.Code)
		}
	}
	return "a loop"
}
