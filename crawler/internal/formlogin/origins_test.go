package formlogin

import (
	"strings"
	"testing"

	"github.com/orbweaver/orbweaver/crawler/session"
)

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
		plan, err := session.NewPlan([]session.Config{{URL: row.login, User: "u", Password: session.NewSecret("p")}}, nil, nil)
		if err != nil {
			t.Fatal(err)
		}
		message := ""
		if failure := permits(plan.Logins[0], parse(t, row.login), parse(t, row.to)); failure != nil {
			message = failure.Message
		}
		if !strings.Contains(message, row.want) || row.want == "" && message != "" {
			t.Errorf("%s leads to %s: %q, want %q", row.login, row.to, message, row.want)
		}
	}
	// What the message advises to list is then a part of the login.
	plan, err := session.NewPlan([]session.Config{{URL: "http://app.test:8080/", Hosts: []string{"https://sso.test"}, User: "u", Password: session.NewSecret("p")}}, nil, nil)
	if err != nil || !plan.Logins[0].Covers(parse(t, "https://sso.test/in")) {
		t.Errorf("an origin in hosts: %v", err)
	}
}
