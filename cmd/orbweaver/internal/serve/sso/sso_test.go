package sso

import (
	"encoding/json"
	"net/url"
	"strings"
	"testing"

	"github.com/orbweaver/orbweaver/cmd/orbweaver/internal/serve/auth"
)

func TestPerson(t *testing.T) {
	c := &Config{Issuer: &url.URL{Scheme: "https", Host: "login.example"}}
	for _, text := range []string{"viewer=*", "editor=groups:docs", "admin=realm.roles:boss", "editor=https://example.com/team:docs", "admin=flat.name:yes"} {
		rule, err := ParseRule(text)
		if err != nil {
			t.Fatal(err)
		}
		c.Roles = append(c.Roles, rule)
	}
	for _, row := range []struct {
		claims, name string
		role         auth.Role
	}{
		{`{}`, "s-1", auth.Viewer},
		{`{"preferred_username": "ann b", "groups": "docs"}`, "annb", auth.Editor},
		{`{"preferred_username": "", "email": "a@example.com", "email_verified": true, "groups": ["x", "docs"]}`, "a@example.com", auth.Editor},
		{`{"email": "a@example.com", "email_verified": "true", "groups": ["DOCS"]}`, "s-1", auth.Viewer},
		{`{"preferred_username": "日本", "realm": {"roles": ["boss"]}}`, "s-1", auth.Admin},
		{`{"realm": {"roles": {"boss": true}}, "groups": [1, null, {"docs": "docs"}]}`, "s-1", auth.Viewer},
		{`{"realm": "boss", "flat.name": "yes"}`, "s-1", auth.Admin},
		{`{"https://example.com/team": ["docs"]}`, "s-1", auth.Editor},
	} {
		claims := map[string]any{}
		if err := json.Unmarshal([]byte(row.claims), &claims); err != nil {
			t.Fatal(err)
		}
		p, ok := c.person("s-1", claims)
		if p.Name != row.name || p.Role != row.role || !ok || p.Issuer != "https://login.example" || p.Subject != "s-1" {
			t.Errorf("%s: %+v, want %s %s", row.claims, p, row.name, row.role)
		}
	}
	c.Roles = nil
	if p, ok := c.person("日本", map[string]any{}); ok || !strings.HasPrefix(p.Name, "user-") {
		t.Errorf("without rules: %+v", p)
	}
}

func TestParse(t *testing.T) {
	for text, want := range map[string]bool{"admin=*": true, "editor=a:b": true, "editor=a.b:c:d": true, "": false, "admin": false, "admin=": false, "admin=x": false, "admin=:x": false, "admin=x:": false, "king=*": false} {
		if _, err := ParseRule(text); (err == nil) != want {
			t.Errorf("the rule %q: %v", text, err)
		}
	}
	for text, want := range map[string]bool{"https://a.example/": true, "https://a.example/realms/x": true, "http://127.0.0.1:8080": true, "http://localhost/": true, "http://[::1]/": true,
		"http://a.example/": false, "http://localhost.example/": false, "https://u:p@a.example/": false, "https://a.example/?x": false, "https://a.example/#x": false, "a.example": false, "ftp://a.example/": false, "": false} {
		if _, err := ParseIssuer(text); (err == nil) != want {
			t.Errorf("the issuer %q: %v", text, err)
		}
	}
}

// FuzzPerson gives whatever claims a provider may send.
func FuzzPerson(f *testing.F) {
	f.Add("s-1", `{"preferred_username": "ann b", "realm": {"roles": ["boss"]}}`)
	f.Add("", `{"email": "\u0000", "email_verified": true, "a": {"b": {"c": ["x"]}}}`)
	c := &Config{Issuer: &url.URL{Scheme: "https", Host: "login.example"}, Roles: []Rule{{auth.Editor, "a.b.c", "x"}, {auth.Viewer, "", ""}}}
	f.Fuzz(func(t *testing.T, subject, text string) {
		claims := map[string]any{}
		if json.Unmarshal([]byte(text), &claims) != nil {
			return
		}
		p, ok := c.person(subject, claims)
		if err := auth.CheckName(p.Name); err != nil || !ok || p.Role < auth.Viewer || p.Role > auth.Editor {
			t.Errorf("%q %s: %+v, %v", subject, text, p, err)
		}
	})
}
