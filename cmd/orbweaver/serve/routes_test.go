package serve

import (
	"slices"
	"strings"
	"testing"

	"github.com/orbweaver/orbweaver/cmd/orbweaver/serve/auth"
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
		"GET /setup",
		"GET /share/{token}",
		"GET /static/{file}",
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

func TestMatches(t *testing.T) {
	r := route{Path: "/runs/{r}/findings/{id}"}
	for path, want := range map[string]bool{"/runs/a/findings/b": true, "/runs/a/findings": false, "/runs/a/findings/": false, "/runs//findings/b": false, "/runs/a/findings/b/": false, "/runs/a%2Fb/findings/c": true, "/runs/%zz/findings/c": false} {
		params, got := r.matches(path)
		if got != want {
			t.Errorf("%s: %v, want %v", path, got, want)
		}
		if path == "/runs/a%2Fb/findings/c" && params["r"] != "a/b" {
			t.Errorf("%s: %v", path, params)
		}
	}
}

func TestIsLocalPath(t *testing.T) {
	for path, want := range map[string]bool{"/": true, "/runs/x?a=b": true, "": false, "//evil.example": false, "/\\evil.example": false, "https://evil.example": false, "/a\r\nb": false, "/\t/evil.example": false} {
		if got := isLocalPath(path); got != want {
			t.Errorf("%q: %v, want %v", path, got, want)
		}
	}
}
