package formlogin

import (
	"slices"
	"strings"

	"github.com/orbweaver/orbweaver/crawler/internal/judging"
	"github.com/orbweaver/orbweaver/crawler/session"
)

// stage is what a form of a sign-in asks for.
type stage uint8

const (
	stageNone stage = iota
	stageUser
	stagePassword
	stageCode
)

// choose returns the form that comes next, or none if the sign-in has ended. sent is the
// stage of the form that was sent last.
func choose(l *session.Login, p *Page, sent stage) (*Form, stage, *session.Failure) {
	if p.challenge {
		return nil, stageNone, challenge("%s: a service that keeps programs out has answered", p.URL.Printed())
	}
	if sent >= stagePassword {
		return chooseCode(l, p, sent)
	}
	form, failure := choosePassword(l, p, sent)
	if form != nil || failure != nil {
		return form, stagePassword, failure
	}
	if sent == stageNone {
		if form, failure = chooseUser(l, p); form != nil || failure != nil {
			return form, stageUser, failure
		}
	} else if form, _ := chooseUser(l, p); form != nil {
		return nil, stageNone, refused("the site answered with the form for the user name again%s", quoteError(l, p))
	}
	failure = noForm(l, p)
	failure.Formless = sent == stageNone
	return nil, stageNone, failure
}

// choosePassword returns the form with the one visible password field. If the user has
// chosen a form, no other one of the first page gets the password.
func choosePassword(l *session.Login, p *Page, sent stage) (*Form, *session.Failure) {
	if f := selectedForm(l, p); f != nil {
		switch f.passwords() {
		case 0:
			return nil, nil
		case 1:
			return usable(l, f)
		}
		return nil, formMissing("%s: the form of --login-form has %d password fields", p.URL.Printed(), f.passwords())
	} else if l.Form != nil && sent == stageNone {
		return nil, nil
	}
	var found []*Form
	for _, f := range p.forms {
		if f.passwords() == 1 && !f.setsPassword() && !slices.ContainsFunc(found, f.resembles) {
			found = append(found, f)
		}
	}
	switch len(found) {
	case 0:
		return nil, nil
	case 1:
		return usable(l, found[0])
	}
	return nil, formMissing("%s: %d forms have a password field: choose one with --login-form", p.URL.Printed(), len(found))
}

// resembles reports whether two forms send the same fields to the same address, as those
// in the head of a page and in its body do.
func (f *Form) resembles(other *Form) bool {
	to, ok := f.action()
	otherTo, otherOK := other.action()
	return ok && otherOK && to.String() == otherTo.String() && f.password().name == other.password().name
}

// chooseUser returns the form of a sign-in that asks for the user name first.
func chooseUser(l *session.Login, p *Page) (*Form, *session.Failure) {
	if f := selectedForm(l, p); f != nil {
		if field, _ := f.user(); field != nil && f.passwords() == 0 {
			return usable(l, f)
		}
		return nil, nil
	}
	var found []*Form
	for _, f := range p.forms {
		if field, certain := f.user(); field == nil || !certain || f.passwords() > 0 || f.isOtherForm() || !f.isPost() && !l.Given.Rendered {
			continue
		}
		found = append(found, f)
	}
	if len(found) > 1 {
		marked := slices.DeleteFunc(slices.Clone(found), func(f *Form) bool {
			field, _ := f.user()
			return !slices.Contains(field.autocomplete, "username")
		})
		if len(marked) != 1 {
			return nil, formMissing("%s: %d forms ask for a name and none for a password: choose one with --login-form", p.URL.Printed(), len(found))
		}
		found = marked
	}
	if len(found) == 0 {
		return nil, nil
	}
	return usable(l, found[0])
}

// chooseCode returns the form for the one-time code after the password, or none if the
// sign-in has ended.
func chooseCode(l *session.Login, p *Page, sent stage) (*Form, stage, *session.Failure) {
	for _, f := range p.forms {
		if f.passwords() == 1 && !f.setsPassword() && f.code() == nil {
			return nil, stageNone, refused("the site answered with the sign-in form again%s", quoteError(l, p))
		}
	}
	if p.status >= 400 {
		return nil, stageNone, refused("%s answered %d%s", p.URL.Printed(), p.status, quoteError(l, p))
	}
	for _, f := range p.forms {
		code := f.code()
		if code == nil || !f.isPost() && !l.Given.Rendered || f.isOtherForm() {
			continue
		}
		switch {
		case sent == stageCode:
			return nil, stageNone, refused("the site answered with the form for the one-time code again%s", quoteError(l, p))
		case l.TOTP == nil:
			return nil, stageNone, challenge("%s asks for a second factor: give its key as totp in [[login]]", p.URL.Printed())
		}
		form, failure := usable(l, f)
		return form, stageCode, failure
	}
	switch {
	case p.asksSecurityKey():
		return nil, stageNone, challenge("%s asks for a passkey or security key", p.URL.Printed())
	case p.handsOver():
		return nil, stageNone, challenge("%s hands the sign-in over to another service by a form that a script sends (SAML)", p.URL.Printed())
	}
	return nil, stageNone, nil
}

// selectedForm returns the form that the user has chosen, or nil.
func selectedForm(l *session.Login, p *Page) *Form {
	if l.Form == nil {
		return nil
	}
	for _, n := range p.doc.FindMatcher(l.Form).EachIter() {
		for _, f := range p.forms {
			if n.Closest("form").IsNodes(f.node) {
				return f
			}
		}
	}
	return nil
}

// usable returns the form, or why it cannot be sent.
func usable(l *session.Login, f *Form) (*Form, *session.Failure) {
	page := f.page.URL.Printed()
	if l.Given.Rendered { // where a script sends it is known when it does
		if f.asksCaptcha() {
			return nil, challenge("%s asks for a captcha", page)
		}
		return f, nil
	}
	if !f.isPost() {
		return nil, formMissing("%s: the form is sent with GET, which would write the password into logs; a script may send it in another way", page)
	}
	if c := f.password(); c != nil && c.name == "" {
		return nil, formMissing("%s: the password field has no name, so a script sends the form: try --login-render, or give the cookies of a browser with --cookies", page)
	}
	if f.asksCaptcha() {
		return nil, challenge("%s asks for a captcha", page)
	}
	to, ok := f.action()
	if !ok || to.Scheme() != "http" && to.Scheme() != "https" {
		return nil, formMissing("%s: the form is not sent to an http or https address", page)
	}
	if failure := permits(l, f.page.URL, to); failure != nil {
		return nil, failure
	}
	if c := f.code(); c != nil && l.TOTP == nil && f.password() != nil {
		if _, required := lookup(c.node, "required"); required {
			return nil, challenge("%s asks for a second factor: give its key as totp in [[login]]", page)
		}
	}
	return f, nil
}

// noForm says why a page has no form to sign in with.
func noForm(l *session.Login, p *Page) *session.Failure {
	page := p.URL.Printed()
	for _, f := range p.forms {
		if to, ok := f.action(); ok && f.isPost() && judging.IsLoginURL(to) {
			if failure := permits(l, p.URL, to); failure != nil {
				return failure
			}
		}
	}
	for _, f := range p.forms {
		if n := f.passwords(); n > 1 {
			return formMissing("%s: the form has %d password fields, as for a registration or a change of the password; if another one signs in, choose it with --login-form", page, n)
		}
	}
	switch {
	case p.asksSecurityKey():
		return challenge("%s asks for a passkey or security key", page)
	case p.usesCaptcha():
		return challenge("%s asks for a captcha", page)
	case p.status >= 400:
		return failed("%s answered %d%s", page, p.status, quoteError(l, p))
	case l.Form != nil && selectedForm(l, p) == nil:
		return formMissing("%s: no form matches --login-form", page)
	case len(strings.TrimSpace(p.source)) == 0:
		return formMissing("%s: the page is empty", page)
	}
	return formMissing("%s: there is no form with a password field; if a script makes it, try --login-render, or give the cookies of a browser with --cookies", page)
}

// quoteError returns what the page says about an error, for the end of a message.
func quoteError(l *session.Login, p *Page) string {
	secrets := []session.Secret{l.Given.Password}
	for _, f := range l.Given.Fields {
		secrets = append(secrets, f.Value)
	}
	if text := hide(p.errorText(), secrets...); text != "" {
		return `: "` + truncate(text) + `"`
	}
	return ""
}
