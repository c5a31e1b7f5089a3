package session

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/orbweaver/orbweaver/urinorm"
)

func TestSecretIsNeverPrinted(t *testing.T) {
	secret := NewSecret("hunter2")
	within := struct {
		Public  Secret
		private Secret
		list    []Secret
	}{secret, secret, []Secret{secret}}
	text, err := json.Marshal(map[string]any{"a": secret, "b": within.Public, "c": []Secret{secret}})
	if err != nil {
		t.Fatal(err)
	}
	for _, printed := range []string{string(text), fmt.Sprint(secret, &secret, within, &within), fmt.Sprintf("%s %v %+v %#v %q", secret, secret, secret, secret, secret),
		fmt.Sprintf("%+v %#v", within, within), secret.String(), secret.GoString()} {
		if strings.Contains(printed, "hunter") || strings.Contains(printed, fmt.Sprintf("%x", "hunter2")) {
			t.Error(printed)
		}
	}
	if secret.Reveal() != "hunter2" || !NewSecret("").IsZero() {
		t.Error("the text is not kept")
	}
}

func TestPlan(t *testing.T) {
	valid := func() Config {
		return Config{Name: "login", URL: "https://app.test/login", User: "u", Password: NewSecret("hunter2")}
	}
	targets := []urinorm.URL{parsed(t, "https://app.test/docs/")}
	internal := func(u urinorm.URL) bool { return u.Host() == "app.test" || u.Host() == "www.app.test" }
	for _, row := range []struct {
		change func(*Config)
		want   string // of the error; "" for none
	}{
		{func(c *Config) {}, ""},
		{func(c *Config) { c.URL = "ftp://app.test/" }, "not an http or https URL"},
		{func(c *Config) { c.URL = "login" }, "not an http or https URL"},
		{func(c *Config) { c.URL = "https://u:hunter2@app.test/login" }, "must not contain a user name"},
		{func(c *Config) { c.URL = "https://sso.test/login" }, "list it in hosts"},
		{func(c *Config) { c.URL, c.Hosts = "https://sso.test/login", []string{"app.test"} }, "list it in hosts"},
		{func(c *Config) { c.URL, c.Hosts = "https://sso.test/login", []string{"app.test", "sso.test"} }, ""},
		{func(c *Config) { c.URL = "http://app.test/login" }, "uses http"},
		{func(c *Config) { c.URL = "http://www.app.test/login" }, "uses http"},
		{func(c *Config) { c.URL, c.Hosts = "http://sso.test/login", []string{"sso.test", "app.test:443"} }, "uses http"},
		{func(c *Config) { c.User = "" }, "no user name"},
		{func(c *Config) { c.Password = Secret{} }, "no password"},
		{func(c *Config) { c.Check = "https://app.test/me" }, ""},
		{func(c *Config) { c.Check = "https://app.test/me=a=b" }, ""},
		{func(c *Config) { c.Check = "https://other.test/me" }, "another host"},
		{func(c *Config) { c.Check = "mailto:me" }, "--login-check: "},
		{func(c *Config) { c.Check, c.CheckText = "https://app.test/me=a", "b" }, "twice"},
		{func(c *Config) { c.CheckText = "b" }, "no page"},
		{func(c *Config) { c.Form = "form[" }, "not a CSS selector"},
		{func(c *Config) { c.Hosts = []string{"ftp://app.test"} }, "HOST"},
		{func(c *Config) { c.Hosts = []string{"app.test/path"} }, "HOST"},
		{func(c *Config) { c.Hosts = []string{"u@app.test"} }, "HOST"},
		{func(c *Config) { c.TOTP = NewSecret("not base32!") }, "base32"},
		{func(c *Config) { c.Fields = []Field{{"", NewSecret("v")}} }, "NAME=VALUE"},
	} {
		c := valid()
		row.change(&c)
		_, err := NewPlan([]Config{c}, targets, internal)
		if (err == nil) != (row.want == "") || err != nil && !strings.Contains(err.Error(), row.want) {
			t.Errorf("%+v: %v, want %q", c, err, row.want)
		}
		if err != nil && strings.Contains(err.Error(), "hunter2") {
			t.Error(err)
		}
	}
	if _, err := NewPlan([]Config{valid(), valid()}, targets, internal); err == nil || !strings.Contains(err.Error(), "only one login") {
		t.Error(err)
	}
}

func TestOrigins(t *testing.T) {
	for _, row := range []struct {
		url   string
		hosts []string
		want  string
	}{
		{"https://app.test/login", nil, "https://app.test https://www.app.test"},
		{"http://app.test:8080/", nil, "http://app.test:8080 http://www.app.test:8080"},
		{"http://app.test/", []string{"b.test"}, "http://b.test https://b.test http://app.test https://app.test"},
		{"https://app.test:8443/", []string{"b.test", "c.test:444", "[::1]", "[::1]:9"}, "https://b.test:8443 https://c.test:444 https://[::1]:8443 https://[::1]:9 https://app.test:8443"},
	} {
		plan, err := NewPlan([]Config{{URL: row.url, Hosts: row.hosts, User: "u", Password: NewSecret("p")}}, nil, nil)
		if err != nil {
			t.Errorf("%s: %v", row.url, err)
			continue
		}
		if got := strings.Join(plan.CookieGroups()[0], " "); got != row.want {
			t.Errorf("%s: %s, want %s", row.url, got, row.want)
		}
	}
}

func TestCheckIsSplit(t *testing.T) {
	for _, row := range []struct{ check, text, url, want string }{
		{"https://app.test/me=Hello=x", "", "https://app.test/me", "Hello=x"},
		{"https://app.test/me?a=b", "", "https://app.test/me?a=b", ""},
		{"https://app.test/me?a=b", "c", "https://app.test/me?a=b", "c"},
		{"https://app.test/me", "c", "https://app.test/me", "c"},
	} {
		plan, err := NewPlan([]Config{{URL: "https://app.test/", User: "u", Password: NewSecret("p"), Check: row.check, CheckText: row.text}}, nil, nil)
		if err != nil {
			t.Fatal(err)
		}
		if l := plan.Logins[0]; l.Check.String() != row.url || l.Given.CheckText != row.want {
			t.Errorf("%s: %s, %q", row.check, l.Check.String(), l.Given.CheckText)
		}
	}
}

// The test vectors of RFC 6238, appendix B.

func parsed(t testing.TB, s string) urinorm.URL {
	t.Helper()
	u, _, err := urinorm.ParseWeb(s)
	if err != nil {
		t.Fatal(err)
	}
	return u
}
