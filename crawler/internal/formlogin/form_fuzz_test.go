package formlogin

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"github.com/orbweaver/orbweaver/crawler/session"
)

// FuzzForms reads pages for forms and fills them in. Whatever a page contains, a password
// goes only to a form with POST and exactly one visible password field, in one entry, and
// no button is sent but one.
func FuzzForms(f *testing.F) {
	for _, seed := range []string{
		simpleForm,
		`<form method=post id=a action="?x"><input type=hidden name=t value="&lt;"></form><input form=a name=user><input form=a type=password name=p><button form=a name=go>`,
		`<table><form method=post><tr><td><input name=u><tr><td><input type=password name=p></form></table>`,
		`<form method=post enctype=multipart/form-data accept-charset="utf-16 latin1"><input type=email name=e><input type=password name=p><input type=image name=i></form>`,
		`<form method=dialog><fieldset disabled><legend><input name=u></legend><input type=password name=p></fieldset></form>`,
		`<base href="//b.test/"><form method=post action=x><select name=s multiple><option selected>1<option selected value=2></select><input type=password name=p autocomplete="section-x new-password">`,
		`<meta charset=utf-16le><form method=post><template><input type=password name=p></template><div style="DISPLAY : none"><input type=password name=q></div><input type=password name=r>`,
	} {
		f.Add([]byte(seed))
	}
	const secret = "s3cr3t-that-no-page-contains"
	f.Fuzz(func(t *testing.T, body []byte) {
		if bytes.Contains(body, []byte("s3cr3t")) {
			return
		}
		p := ReadPage(parse(t, "https://app.test/login"), 200, "text/html", body)
		s := New(&session.Login{URL: p.URL, Origins: []string{"https://app.test"}, Given: session.Config{User: "u", Password: session.NewSecret(secret)}}, Options{})
		form, at, failure := choose(s.login, p, stageNone)
		if failure != nil && form != nil {
			t.Fatal("both a form and a failure")
		}
		p.errorText()
		s.actions(p)
		if form == nil || at != stagePassword {
			return
		}
		if form.passwords() != 1 || !form.isPost() {
			t.Fatalf("the form has %d password fields, POST is %t", form.passwords(), form.isPost())
		}
		if to, ok := form.action(); !ok || originOf(to) != "https://app.test" {
			t.Fatalf("the form is sent to %v", to)
		}
		list := form.entries(map[*control]string{form.password(): secret}, nil)
		if n := len(slices.DeleteFunc(slices.Clone(list), func(e entry) bool { return !strings.Contains(e.name+e.value, secret) })); n != 1 {
			t.Fatalf("the password is in %d entries", n)
		}
		encoded, err := form.encode(list)
		if err != nil {
			t.Fatal(err)
		}
		if bytes.Count(encoded.Body, []byte(secret)) != 1 {
			t.Fatalf("%q", encoded.Body)
		}
	})
}
