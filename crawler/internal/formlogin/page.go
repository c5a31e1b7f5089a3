package formlogin

import (
	"bytes"
	"strings"

	"github.com/PuerkitoBio/goquery"
	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"github.com/orbweaver/orbweaver/crawler/extract"
	"github.com/orbweaver/orbweaver/crawler/internal/judging"
	"github.com/orbweaver/orbweaver/urinorm"
)

// Limits of a page. What is beyond them is not read.
const (
	maxForms     = 200
	maxControls  = 2000 // of all forms
	maxErrorText = 200  // bytes
)

// Page is an answer that is read for forms.
type Page struct {
	URL    urinorm.URL
	status int
	// challenge is true if a service that keeps programs out has answered.
	challenge bool

	source  string // in UTF-8
	charset string // WHATWG name
	base    *urinorm.Base
	doc     *goquery.Document
	forms   []*Form
}

// ReadPage reads a document. Anything but HTML is a page without forms.
func ReadPage(u urinorm.URL, status int, contentType string, body []byte) *Page {
	p := &Page{URL: u, status: status}
	text, charset, ok := extract.Decode(extract.Input{Body: body, ContentType: contentType})
	if !ok {
		text, charset = body, "utf-8"
	}
	p.source, p.charset = string(text), charset
	// A user agent without scripts shows what is in noscript.
	root, err := html.ParseWithOptions(bytes.NewReader(text), html.ParseOptionEnableScripting(false))
	if err != nil {
		root = &html.Node{Type: html.DocumentNode}
	}
	p.doc = goquery.NewDocumentFromNode(root)
	p.base = p.findBase()
	p.forms = p.readForms()
	return p
}

// findBase returns what the actions of forms are relative to.
func (p *Page) findBase() *urinorm.Base {
	base, err := urinorm.NewBase(p.URL, p.charset)
	if err != nil {
		return nil
	}
	if href, ok := p.doc.Find("base[href]").First().Attr("href"); ok {
		if u, _, err := base.Resolve(href); err == nil && (u.Scheme() == "http" || u.Scheme() == "https") {
			if other, err := urinorm.NewBase(u.WithoutFragment(), p.charset); err == nil {
				return other
			}
		}
	}
	return base
}

// readForms returns the forms of the page with their controls.
func (p *Page) readForms() []*Form {
	r := formReader{page: p, byNode: map[*html.Node]*Form{}, byID: map[string]*html.Node{}}
	r.collect(p.doc.Nodes[0])
	r.walk(p.doc.Nodes[0], nil)
	return r.forms
}

// formReader associates controls with forms (HTML standard section 4.10.18.3).
type formReader struct {
	page     *Page
	forms    []*Form
	byNode   map[*html.Node]*Form
	byID     map[string]*html.Node // the first element of each id
	table    *Form                 // a form that a table has closed at once
	loose    *Form                 // the controls of a page that a browser shows which are in no form
	controls int
}

// collect finds the forms and the ids.
func (r *formReader) collect(n *html.Node) {
	if n.Type == html.ElementNode {
		if id := attribute(n, "id"); id != "" && r.byID[id] == nil {
			r.byID[id] = n
		}
		if n.DataAtom == atom.Form && len(r.forms) < maxForms {
			f := &Form{page: r.page, node: n}
			r.forms, r.byNode[n] = append(r.forms, f), f
		}
		if n.DataAtom == atom.Template {
			return
		}
	}
	for c := n.FirstChild; c != nil; c = c.NextSibling {
		r.collect(c)
	}
}

// walk gives each control to its form, in document order.
func (r *formReader) walk(n *html.Node, around *Form) {
	if n.Type == html.ElementNode {
		switch n.DataAtom {
		case atom.Template:
			return
		case atom.Form:
			around = r.byNode[n]
			r.table = nil
			if n.FirstChild == nil && isTablePart(n.Parent) {
				r.table = around // the parser closes it before the rows that contain its controls
			}
		case atom.Input, atom.Button, atom.Select, atom.Textarea:
			r.control(n, around)
		}
	}
	for c := n.FirstChild; c != nil; c = c.NextSibling {
		r.walk(c, around)
	}
	if n.DataAtom == atom.Table {
		r.table = nil
	}
}

func isTablePart(n *html.Node) bool {
	switch n.DataAtom {
	case atom.Table, atom.Tbody, atom.Thead, atom.Tfoot, atom.Tr:
		return true
	}
	return false
}

func (r *formReader) control(n *html.Node, around *Form) {
	form := around
	if form == nil {
		form = r.table
	}
	if id, has := lookup(n, "form"); has {
		form = r.byNode[r.byID[id]]
	}
	if _, rendered := lookup(n, controlAttribute); form == nil && rendered { // a script sends it without a form
		if r.loose == nil {
			r.loose = &Form{page: r.page, node: r.page.doc.Find("body").Nodes[0]}
			r.forms = append(r.forms, r.loose)
		}
		form = r.loose
	}
	if form == nil || r.controls >= maxControls {
		return
	}
	r.controls++
	form.controls = append(form.controls, newControl(n, form.node))
}

// attribute returns the value of an attribute, or "".
func attribute(n *html.Node, name string) string {
	value, _ := lookup(n, name)
	return value
}

func lookup(n *html.Node, name string) (string, bool) {
	for _, a := range n.Attr {
		if a.Namespace == "" && a.Key == name {
			return a.Val, true
		}
	}
	return "", false
}

// errorText returns what the page says about an error: the text of the first element that
// is marked as a message.
func (p *Page) errorText() string {
	for _, selector := range []string{"[role=alert]", ".error, .errornote, .errorlist", ".alert-danger, .alert, .invalid-feedback, .flash, .message, .notice"} {
		for _, n := range p.doc.Find(selector).EachIter() {
			if text := strings.Join(strings.Fields(n.Text()), " "); text != "" {
				return text
			}
		}
	}
	return ""
}

// truncate shortens a text from the site.
func truncate(text string) string {
	if len(text) <= maxErrorText {
		return text
	}
	return strings.ToValidUTF8(text[:maxErrorText], "") + "…"
}

// isOK reports whether the status is 2xx.
func (p *Page) isOK() bool { return p.status >= 200 && p.status <= 299 }

// signInForm returns the form with the one visible password field, or nil. A form that
// asks for a new password is not one.
func (p *Page) signInForm() *Form {
	for _, f := range p.forms {
		if f.passwords() == 1 && !f.setsPassword() {
			return f
		}
	}
	return nil
}

// maxLinksBesideForm is the number of links on a page up to which a form makes it a sign-in
// page. Public pages with a small form at their top have more.
const maxLinksBesideForm = 25

// isSignInPage reports whether the page is there for signing in: its address says so, or
// it has little besides the form.
func (p *Page) isSignInPage() bool {
	return p.signInForm() != nil && (judging.IsLoginURL(p.URL) || p.doc.Find("a[href]").Length() <= maxLinksBesideForm)
}
