package session

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

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
	targets := []urinorm.URL{parse(t, "https://app.test/docs/")}
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

// TestChallengeNamesTheDifference checks what a sign-in says that leaves its origins.
func TestChallengeNamesTheDifference(t *testing.T) {
	for _, row := range []struct{ login, to, want string }{
		{"https://app.test/login", "https://sso.test/in", "another host, https://sso.test:"},
		{"https://app.test/login", "https://app.test:8443/in", "another port, https://app.test:8443:"},
		{"https://app.test:8443/login", "https://app.test/in", "another port, https://app.test:"},
		{"http://app.test:8080/login", "https://app.test:8080/in", "another scheme, https://app.test:8080:"},
		{"http://app.test:8080/login", "https://app.test:8443/in", "another scheme and port, https://app.test:8443:"},
		{"http://app.test/login", "https://app.test:8443/in", "another port, https://app.test:8443:"},
		{"https://app.test/login", "https://app.test:80/in", "another port, https://app.test:80:"},
		{"https://app.test/login", "http://app.test/in", "from https to http, at http://app.test/in:"},
		{"https://app.test/login", "https://www.app.test/in", ""},
	} {
		plan, err := NewPlan([]Config{{URL: row.login, User: "u", Password: NewSecret("p")}}, nil, nil)
		if err != nil {
			t.Fatal(err)
		}
		message := ""
		if failure := plan.Logins[0].permits(parse(t, row.login), parse(t, row.to)); failure != nil {
			message = failure.Message
		}
		if !strings.Contains(message, row.want) || row.want == "" && message != "" {
			t.Errorf("%s leads to %s: %q, want %q", row.login, row.to, message, row.want)
		}
	}
	// What the message advises to list is then a part of the login.
	plan, err := NewPlan([]Config{{URL: "http://app.test:8080/", Hosts: []string{"https://sso.test"}, User: "u", Password: NewSecret("p")}}, nil, nil)
	if err != nil || !plan.Logins[0].Covers(parse(t, "https://sso.test/in")) {
		t.Errorf("an origin in hosts: %v", err)
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
		if l := plan.Logins[0]; l.check.String() != row.url || l.checkText != row.want {
			t.Errorf("%s: %s, %q", row.check, l.check.String(), l.checkText)
		}
	}
}

// The test vectors of RFC 6238, appendix B.
func TestOneTimeCodes(t *testing.T) {
	const url = "otpauth://totp/x?digits=8&algorithm=%s&secret=%s"
	keys := map[string]string{
		"SHA1":   "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ",
		"SHA256": "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQGEZA",
		"SHA512": "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQGEZDGNA",
	}
	for _, row := range []struct {
		at              int64
		algorithm, want string
	}{
		{59, "SHA1", "94287082"}, {59, "SHA256", "46119246"}, {59, "SHA512", "90693936"},
		{1111111109, "SHA1", "07081804"}, {1111111109, "SHA256", "68084774"}, {1111111109, "SHA512", "25091201"},
		{1234567890, "SHA1", "89005924"}, {1234567890, "SHA256", "91819424"}, {1234567890, "SHA512", "93441116"},
		{20000000000, "SHA1", "65353130"}, {20000000000, "SHA256", "77737706"}, {20000000000, "SHA512", "47863826"},
	} {
		c, err := newOneTimeCodes(NewSecret(fmt.Sprintf(url, row.algorithm, keys[row.algorithm])))
		if err != nil {
			t.Fatal(err)
		}
		if got := c.next(time.Unix(row.at, 0)).Reveal(); got != row.want {
			t.Errorf("%s at %d: %s, want %s", row.algorithm, row.at, got, row.want)
		}
	}
	c, err := newOneTimeCodes(NewSecret("gezd gnbv-gy3t qojq gezd gnbv gy3t qojq"))
	if err != nil {
		t.Fatal(err)
	}
	first, second := c.next(time.Unix(59, 0)).Reveal(), c.next(time.Unix(59, 0)).Reveal()
	if first != "287082" || second == first || second != c.at(2) {
		t.Errorf("%s, then %s", first, second)
	}
	for _, wrong := range []string{"otpauth://hotp/x?secret=GEZDGNBV", "otpauth://totp/x?secret=GEZDGNBV&digits=9", "otpauth://totp/x?secret=GEZDGNBV&period=0",
		"otpauth://totp/x?secret=GEZDGNBV&algorithm=MD5", "otpauth://totp/x", "1", "otpauth:%"} {
		if _, err := newOneTimeCodes(NewSecret(wrong)); err == nil {
			t.Errorf("%s is accepted", wrong)
		}
	}
}
