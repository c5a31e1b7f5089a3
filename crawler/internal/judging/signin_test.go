package judging

import (
	"slices"
	"testing"

	"github.com/orbweaver/orbweaver/crawler/check"
	"github.com/orbweaver/orbweaver/crawler/extract"
)

// A redirect to a page that asks for an account first, and for the password on the next page,
// leads to a sign-in. A page with a form for a newsletter does not.
func TestAccountForms(t *testing.T) {
	const article = `<h1>How to sign in</h1><p>Open the app.</p>`
	for _, row := range []struct {
		name, url, body string
		want            bool
	}{
		{"mail address", "/login", `<form method=post action=/login/identifier><input type=email name=email><button>Continue</button></form>`, true},
		{"to itself", "/users/sign_in?next=/report", `<form method=post><input type=hidden name=csrf value=x><input type=email name=email required><input type=submit value=Next></form>`, true},
		{"name of a user", "/signin", `<form action="/auth/step2" method=post><label>Name <input name=username autofocus></label><button>Next</button></form>`, true},
		{"autocomplete", "/sso", `<form><input name=q1 autocomplete="username webauthn"><button>Continue</button></form>`, true},
		{"remember me", "/login.php", `<form action=login.php><input type=text name=loginfmt><input type=checkbox name=keep><button>Next</button></form>`, true},
		{"no end tag", "/login", `<form><input type=email name=identifier>`, true},
		{"beside a newsletter", "/login", `<form><input type=email name=user></form><form action=/newsletter><input type=email name=email></form>`, true},
		{"beside a search", "/login", `<form action=/search><input type=search name=q></form><form><input type=email name=email></form>`, true},

		{"newsletter below an article", "/help/login", article + `<form action=/newsletter method=post><input type=email name=email><button>Subscribe</button></form>`, false},
		{"newsletter of a service", "/help/login", article + `<form action="https://x.list-manage.com/subscribe/post?u=1" method=post><input type=email name=EMAIL></form>`, false},
		{"newsletter without a word", "/help/login", article + `<form action=/api/forms/17 method=post><input type=email name=email></form>`, false},
		{"newsletter named by its form", "/help/login", article + `<form id=newsletter-form><input type=email name=email></form>`, false},
		{"newsletter named by its field", "/help/login", article + `<form><input type=email name=newsletter_email></form>`, false},
		{"contact form", "/help/login", article + `<form><input name=name><input type=email name=email><textarea name=message></textarea></form>`, false},
		{"feedback", "/help/login", article + `<form><input type=email name=email><textarea name=message></textarea></form>`, false},
		{"search", "/help/login", article + `<form><input type=search name=q></form>`, false},
		{"search for users", "/help/login", article + `<form action=/search><input name=user></form>`, false},
		{"registration", "/help/login", article + `<form action=/register><input type=email name=email><input name=company></form>`, false},
		{"in a template", "/help/login", article + `<template><form><input type=email name=email></form></template>`, false},
		{"without a form", "/help/login", article + `<input type=email name=email>`, false},
		{"nothing", "/help/login", article, false},
		{"another path", "/welcome", `<form><input type=email name=email></form>`, false},
	} {
		redirects, final := way(t, "302 https://e.test/report https://e.test"+row.url)
		doc := extract.Extract(extract.Input{Body: []byte("<!doctype html><title>t</title><body>" + row.body), ContentType: "text/html"})
		o := Outcome{Code: check.CodeOK, Status: 200, ContentType: "text/html"}
		o = o.With(DocumentFacts(doc))
		o = o.With(Facts{Content: Content{Login: AsksForAccount(final, doc)}})
		j := judgeChain(Question{Internal: true}, redirects, final, &o, 10)
		if got := slices.ContainsFunc(j.Warnings, func(w check.Warning) bool { return w.Code == check.CodeRedirectToLogin }); got != row.want {
			t.Errorf("%s: a sign-in page: %t, want %t", row.name, got, row.want)
		}
	}
}
