package formlogin

import (
	"strings"

	"golang.org/x/net/html/atom"
)

// captchaMarks select what services against programs put into a form.
const captchaMarks = ".g-recaptcha, .h-captcha, .cf-turnstile, .frc-captcha, [data-sitekey], altcha-widget, [name=g-recaptcha-response], " +
	"[name=h-captcha-response], [name=cf-turnstile-response], iframe[src*=captcha], iframe[src*='challenges.cloudflare.com'], img[src*=captcha i]"

// captchaScripts are parts of the addresses of their scripts.
var captchaScripts = []string{"recaptcha/", "hcaptcha.com/", "challenges.cloudflare.com/turnstile", "friendlycaptcha", "mtcaptcha", "arkoselabs.com"}

// asksCaptcha reports whether a person must solve something to send a form. A script of
// such a service counts only if the page has no other form it could be for.
func (f *Form) asksCaptcha() bool {
	doc := f.page.doc
	if doc.FindNodes(f.node).Find(captchaMarks).Length() > 0 {
		return true
	}
	if f.find(func(c *control) bool {
		return (c.isText() || c.kind == "hidden") && !c.disabled && (containsAny(c.name, []string{"captcha"}) || containsAny(c.id, []string{"captcha"}))
	}) != nil {
		return true
	}
	posts := 0
	for _, other := range f.page.forms {
		if other.isPost() {
			posts++
		}
	}
	return posts == 1 && f.page.usesCaptcha()
}

// usesCaptcha reports whether the page loads a script or shows a widget against programs.
func (p *Page) usesCaptcha() bool {
	for _, n := range p.doc.Find("script[src]").EachIter() {
		if containsAny(n.AttrOr("src", ""), captchaScripts) {
			return true
		}
	}
	return p.doc.Find(captchaMarks).Length() > 0
}

// asksSecurityKey reports whether the page asks for a passkey or another WebAuthn device.
func (p *Page) asksSecurityKey() bool {
	for _, n := range p.doc.Find("script").Nodes {
		if text := textOf(n); strings.Contains(text, "navigator.credentials.get") || strings.Contains(text, "startAuthentication(") {
			return true
		}
	}
	for _, f := range p.forms {
		if f.find(func(c *control) bool {
			return containsAny(c.name, securityKeyWords) || containsAny(c.id, securityKeyWords)
		}) != nil {
			return true
		}
	}
	return false
}

var securityKeyWords = []string{"webauthn", "passkey", "security_key", "security-key", "securitykey", "u2f"}

// handsOver reports whether the page contains a form that a script sends on to another
// service: SAML and WS-Federation.
func (p *Page) handsOver() bool {
	for _, f := range p.forms {
		for _, name := range []string{"SAMLResponse", "SAMLRequest", "wresult"} {
			if f.named(name) != nil {
				return true
			}
		}
	}
	return false
}

// isOtherForm reports whether a form with a field for a name is known not to sign in: a
// search, or a subscription.
func (f *Form) isOtherForm() bool {
	if strings.EqualFold(attribute(f.node, "role"), "search") || f.find(func(c *control) bool { return c.kind == "search" }) != nil {
		return true
	}
	about := []string{attribute(f.node, "id"), attribute(f.node, "class"), attribute(f.node, "name"), attribute(f.node, "action")}
	return containsAny(strings.Join(about, " "), []string{"search", "newsletter", "subscribe", "register", "signup", "sign-up", "sign_up", "contact", "comment", "forgot", "reset"}) ||
		f.find(func(c *control) bool { return c.node.DataAtom == atom.Textarea && c.visible }) != nil
}
