package formlogin

import (
	"cmp"
	"slices"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"github.com/orbweaver/orbweaver/urinorm"
)

// Form is a form of a page.
type Form struct {
	page     *Page
	node     *html.Node
	controls []control
}

// control is an element whose value a form sends.
type control struct {
	name, id     string
	kind         string // the type of an input or button in lower case, "select" or "textarea"
	values       []string
	autocomplete []string // in lower case
	checked      bool
	disabled     bool
	visible      bool
	number       string // in a page that a browser shows, "" for others
	node         *html.Node
}

// newControl reads a control of a form.
func newControl(n, form *html.Node) control {
	c := control{name: attribute(n, "name"), id: attribute(n, "id"), node: n}
	c.autocomplete = strings.Fields(strings.ToLower(attribute(n, "autocomplete")))
	_, c.disabled = lookup(n, "disabled")
	c.disabled = c.disabled || inDisabledFieldset(n)
	c.visible = isVisible(n, form)
	if number, rendered := lookup(n, controlAttribute); rendered { // a script may read it without a name
		c.number, c.visible = strings.TrimPrefix(number, "-"), !strings.HasPrefix(number, "-")
		c.name = cmp.Or(c.name, c.id, "control "+c.number)
	}
	switch n.DataAtom {
	case atom.Select:
		c.kind, c.values = "select", selected(n)
	case atom.Textarea:
		c.kind, c.values = "textarea", []string{textOf(n)}
	default:
		c.kind = strings.ToLower(strings.TrimSpace(attribute(n, "type")))
		if n.DataAtom == atom.Button && c.kind != "button" && c.kind != "reset" {
			c.kind = "submit"
		}
		value, has := lookup(n, "value")
		_, c.checked = lookup(n, "checked")
		if !has && (c.kind == "checkbox" || c.kind == "radio") {
			value = "on"
		}
		c.visible = c.visible && c.kind != "hidden"
		c.values = []string{value}
	}
	return c
}

// isVisible reports whether a reader sees a control, as far as the markup tells. Elements
// around the form do not count: a sign-in form may be in a dialog that a script opens.
func isVisible(n, form *html.Node) bool {
	for ; n != nil && n != form; n = n.Parent {
		if _, hiddenByAttribute := lookup(n, "hidden"); hiddenByAttribute || strings.EqualFold(attribute(n, "aria-hidden"), "true") {
			return false
		}
		style := strings.ToLower(strings.Join(strings.Fields(attribute(n, "style")), ""))
		if strings.Contains(style, "display:none") || strings.Contains(style, "visibility:hidden") {
			return false
		}
		if n.DataAtom == atom.Form {
			return true // the control belongs to another form by its form attribute
		}
	}
	return true
}

// inDisabledFieldset reports whether a fieldset disables a control. Those in its first
// legend are not disabled.
func inDisabledFieldset(n *html.Node) bool {
	for child, parent := n, n.Parent; parent != nil; child, parent = parent, parent.Parent {
		if parent.DataAtom != atom.Fieldset {
			continue
		}
		if _, disabled := lookup(parent, "disabled"); disabled && child.DataAtom != atom.Legend {
			return true
		}
	}
	return false
}

// selected returns the values of the options that are selected, or of the first one in a
// list of which one always is.
func selected(n *html.Node) []string {
	var chosen []string
	var first *string
	var walk func(n *html.Node, disabled bool)
	walk = func(n *html.Node, disabled bool) {
		_, own := lookup(n, "disabled")
		disabled = disabled || own && n.DataAtom != atom.Select
		if n.DataAtom == atom.Option && !disabled {
			value, has := lookup(n, "value")
			if !has {
				value = strings.Join(strings.Fields(textOf(n)), " ")
			}
			if first == nil {
				first = &value
			}
			if _, is := lookup(n, "selected"); is {
				chosen = append(chosen, value)
			}
		}
		for c := n.FirstChild; c != nil; c = c.NextSibling {
			walk(c, disabled)
		}
	}
	walk(n, false)
	if _, multiple := lookup(n, "multiple"); multiple {
		return chosen
	}
	if len(chosen) > 1 {
		return chosen[len(chosen)-1:]
	}
	if size := attribute(n, "size"); len(chosen) == 0 && first != nil && (size == "" || size == "0" || size == "1") {
		return []string{*first}
	}
	return chosen
}

func textOf(n *html.Node) string {
	var b strings.Builder
	var walk func(*html.Node)
	walk = func(n *html.Node) {
		if n.Type == html.TextNode {
			b.WriteString(n.Data)
		}
		for c := n.FirstChild; c != nil; c = c.NextSibling {
			walk(c)
		}
	}
	walk(n)
	return b.String()
}

// isText reports whether a reader writes into a control.
func (c *control) isText() bool {
	switch c.kind {
	case "", "text", "email", "tel", "url", "number":
		return true
	case "password", "search", "hidden", "checkbox", "radio", "submit", "image", "button", "reset", "file", "color", "date",
		"datetime-local", "month", "range", "time", "week", "select", "textarea":
		return false
	}
	return true // an unknown type means text
}

func (c *control) isButton() bool { return c.kind == "submit" || c.kind == "image" }

// passwords returns the number of visible password fields.
func (f *Form) passwords() int {
	n := 0
	for i := range f.controls {
		if f.controls[i].isVisiblePassword() {
			n++
		}
	}
	return n
}

func (c *control) isVisiblePassword() bool { return c.kind == "password" && c.visible && !c.disabled }

// password returns the visible password field, or nil.
func (f *Form) password() *control {
	return f.find(func(c *control) bool { return c.isVisiblePassword() })
}

// setsPassword reports whether the form asks for a new password, as that of a registration
// does.
func (f *Form) setsPassword() bool {
	return f.find(func(c *control) bool {
		return c.isVisiblePassword() && slices.Contains(c.autocomplete, "new-password")
	}) != nil
}

// find returns the first control that matches, or nil.
func (f *Form) find(match func(*control) bool) *control {
	for i := range f.controls {
		if match(&f.controls[i]) {
			return &f.controls[i]
		}
	}
	return nil
}

// named returns the first control of a name, or nil.
func (f *Form) named(name string) *control {
	return f.find(func(c *control) bool { return c.name == name })
}

// userWords are parts of the names of user fields, the surest first.
var userWords = []string{"user", "login", "email", "mail", "log"}

// user returns the field for the user name, or nil: the one that is marked so, or has a
// fitting type or name, or else the last text field before the password. certain is false
// for the last.
func (f *Form) user() (field *control, certain bool) {
	writable := func(c *control) bool { return c.visible && !c.disabled && c.name != "" && c.isText() }
	marks := []func(*control) bool{
		func(c *control) bool { return slices.Contains(c.autocomplete, "username") },
		func(c *control) bool { return c.kind == "email" },
	}
	for i := range userWords {
		marks = append(marks, func(c *control) bool {
			return containsAny(c.name, userWords[i:i+1]) || containsAny(c.id, userWords[i:i+1])
		})
	}
	for _, match := range marks {
		if c := f.find(func(c *control) bool { return writable(c) && match(c) }); c != nil {
			return c, true
		}
	}
	for i := range f.controls {
		c := &f.controls[i]
		if c.isVisiblePassword() {
			break
		}
		if writable(c) {
			field = c
		}
	}
	return field, false
}

func containsAny(s string, words []string) bool {
	s = strings.ToLower(s)
	return slices.ContainsFunc(words, func(word string) bool { return strings.Contains(s, word) })
}

// codeWords are parts of the names of fields for one-time codes.
var codeWords = []string{"otp", "code", "token", "mfa", "2fa", "twofactor", "two_factor", "two-factor", "verification", "authenticator"}

// code returns the field for a one-time code, or nil.
func (f *Form) code() *control {
	writable := func(c *control) bool {
		return c.visible && !c.disabled && c.name != "" && (c.isText() || c.kind == "password")
	}
	if c := f.find(func(c *control) bool { return writable(c) && slices.Contains(c.autocomplete, "one-time-code") }); c != nil {
		return c
	}
	return f.find(func(c *control) bool {
		return writable(c) && c.kind != "password" && (containsAny(c.name, codeWords) || containsAny(c.id, codeWords))
	})
}

// button returns the button that a user presses, or nil if there is none: the first one
// after the field that is filled in last. Buttons before it often lead elsewhere, such as
// to another service.
func (f *Form) button() *control {
	pressable := func(c *control) bool { return c.isButton() && !c.disabled && c.visible }
	last := -1
	for i := range f.controls {
		if c := &f.controls[i]; c.visible && (c.isText() || c.kind == "password") {
			last = i
		}
	}
	for i := last + 1; i < len(f.controls); i++ {
		if pressable(&f.controls[i]) {
			return &f.controls[i]
		}
	}
	return f.find(pressable)
}

// setting returns an attribute of the form, which that of the pressed button overrides.
func (f *Form) setting(button *control, name string) string {
	if button != nil {
		if value, has := lookup(button.node, "form"+name); has {
			return strings.TrimSpace(value)
		}
	}
	return strings.TrimSpace(attribute(f.node, name))
}

// action returns where the form is sent, and false if that is no URL.
func (f *Form) action() (urinorm.URL, bool) {
	action := f.setting(f.button(), "action")
	if action == "" {
		return f.page.URL.WithoutFragment(), true
	}
	if f.page.base == nil {
		return urinorm.URL{}, false
	}
	u, _, err := f.page.base.Resolve(action)
	return u.WithoutFragment(), err == nil
}

// isPost reports whether the form is sent with POST.
func (f *Form) isPost() bool { return strings.EqualFold(f.setting(f.button(), "method"), "post") }
