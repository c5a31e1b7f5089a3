package serve

import (
	"net/http"
	"net/http/httptest"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/orbweaver/orbweaver/cmd/orbweaver/internal/serve/auth"
)

// TestOpenRoutes prints the routes that need no credentials. Each new one is a decision.
func TestOpenRoutes(t *testing.T) {
	var open []string
	for _, r := range routes() {
		name := r.Method + " " + r.Path
		switch {
		case r.Public:
			open = append(open, name)
		case r.Link != "":
			open = append(open, name+" with a token for its "+r.Link)
		case r.Role < auth.Viewer:
			t.Errorf("%s has no role", name)
		}
		if r.Public && r.Doc != "" {
			t.Errorf("%s of the API is open", name)
		}
	}
	slices.Sort(open)
	t.Logf("open routes:\n%s", strings.Join(open, "\n"))
	want := []string{
		"GET /api/v1/projects/{p}/badge.svg with a token for its badge",
		"GET /api/v1/projects/{p}/feed.atom with a token for its feed",
		"GET /healthz",
		"GET /login",
		"GET /readyz",
		"GET /login/callback",
		"GET /login/sso",
		"GET /setup",
		"GET /share/{token}",
		"GET /static/{file}",
		"GET /status/{token}",
		"POST /login",
		"POST /setup",
	}
	for _, name := range open {
		if !slices.Contains(want, name) {
			t.Errorf("%s needs no credentials, and is not in the list", name)
		}
	}
	for _, name := range want {
		if !slices.Contains(open, name) {
			t.Errorf("%s needs credentials", name)
		}
	}
}

// TestMatch holds the table and the mux together, and tells which paths have no row.
func TestMatch(t *testing.T) {
	table := routes()
	server := &Server{routes: table, mux: newMux(table)}
	match := func(method, path string) *call {
		c := &call{Request: httptest.NewRequest(method, "/", nil), server: server, path: path}
		c.URL.Path, c.URL.RawPath = path, ""
		c.match()
		return c
	}
	braces := regexp.MustCompile(`\{(\w+)\}`)
	for i := range table {
		r := &table[i]
		path := braces.ReplaceAllString(r.Path, "a%2Fb.$1")
		c := match(r.Method, path)
		if c.route != r {
			t.Errorf("%s %s does not lead to its row: %+v", r.Method, path, c.route)
			continue
		}
		for _, name := range braces.FindAllStringSubmatch(r.Path, -1) {
			if got := r.params(c.Request)[name[1]]; got != "a/b."+name[1] {
				t.Errorf("%s %s: %s is %q", r.Method, path, name[1], got)
			}
		}
		if r.Method == http.MethodGet && match(http.MethodHead, path).route != r {
			t.Errorf("HEAD %s does not lead to its row", path)
		}
	}
	for _, path := range []string{"", "*", "/runs/a/findings/", "/runs//findings/b", "/runs/a/findings/b/", "/runs/%zz/findings/c", "//", "/./login", "/x/../login", "/login/", "/static/", "/api/v1", "/api/v1/"} {
		if c := match("GET", path); c.route != nil || c.allowed != nil {
			t.Errorf("%q leads to %+v, %v", path, c.route, c.allowed)
		}
	}
	for path, want := range map[string]string{"/login": "GET HEAD POST", "/logout": "POST", "/": "GET HEAD", "/api/v1/projects/x": "DELETE GET HEAD PATCH", "/api/v1/projects/x/marks/y": "DELETE PUT"} {
		c := match("OPTIONS", path)
		if got := strings.Join(c.allowed, " "); c.route != nil || got != want || c.Method != "OPTIONS" {
			t.Errorf("%s allows %q, want %q", path, got, want)
		}
	}
	if c := match("PUT", "/api/v1/runs/x"); c.PathValue("r") != "x" {
		t.Errorf("the run of a wrong method is %q", c.PathValue("r"))
	}
}

func TestIsLocalPath(t *testing.T) {
	for path, want := range map[string]bool{"/": true, "/runs/x?a=b": true, "": false, "//evil.example": false, "/\\evil.example": false, "https://evil.example": false, "/a\r\nb": false, "/\t/evil.example": false} {
		if got := isLocalPath(path); got != want {
			t.Errorf("%q: %v, want %v", path, got, want)
		}
	}
}
