package extract

import (
	"bytes"
	"slices"
	"strings"

	"github.com/andybalholm/cascadia"
	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// The elements that send a form, unless their type is an unknown word.
var sendsForm = cascadia.MustCompile(`button:not([type=button i]):not([type=reset i]), input[type=submit i], input[type=image i]`)

// markForms sets Link.Acts of the actions of forms that are sent with GET, if a button names an
// action, or the form itself does. decoded returns the text of the document.
func markForms(links []Link, names func([]byte) bool, decoded func() []byte) {
	if !slices.ContainsFunc(links, func(l Link) bool { return l.Kind == Submission }) {
		return
	}
	root, err := html.Parse(bytes.NewReader(decoded()))
	if err != nil {
		return // only reading fails, and this is in memory
	}
	named := func(n *html.Node, texts []string, attributes ...string) bool {
		for _, key := range attributes {
			value, _ := attributeOf(n, key)
			texts = append(texts, value)
		}
		return slices.ContainsFunc(texts, func(text string) bool { return names([]byte(strings.Join(strings.Fields(text), " "))) })
	}
	marked := map[string]bool{}
	mark := func(n *html.Node, key string) (has bool) {
		action, has := attributeOf(n, key)
		if has {
			marked[strings.TrimSpace(action)] = true
		}
		return has
	}
	forms, byID := cascadia.MustCompile("form").MatchAll(root), map[string]*html.Node{}
	for _, form := range slices.Backward(forms) {
		if id, has := attributeOf(form, "id"); has {
			byID[id] = form
		}
		if named(form, nil, "title", "aria-label") {
			mark(form, "action")
		}
	}
	for _, button := range sendsForm.MatchAll(root) {
		if !named(button, []string{textOf(button)}, "value", "alt", "title", "aria-label") || mark(button, "formaction") {
			continue
		}
		form := button
		for form != nil && form.DataAtom != atom.Form {
			form = form.Parent
		}
		if owner, has := attributeOf(button, "form"); has {
			form = byID[owner]
		}
		if form != nil {
			mark(form, "action")
		}
	}
	for i := range links {
		if l := &links[i]; l.Kind == Submission && marked[strings.TrimSpace(l.Ref)] {
			l.Acts = true
		}
	}
}

// attributeOf returns the value of an attribute, and whether the element has it.
func attributeOf(n *html.Node, key string) (value string, has bool) {
	for _, a := range n.Attr {
		if a.Key == key {
			return a.Val, true
		}
	}
	return "", false
}

// textOf returns the text below a node.
func textOf(n *html.Node) string {
	var b strings.Builder
	for d := range n.Descendants() {
		if d.Type == html.TextNode {
			b.WriteString(d.Data)
		}
	}
	return b.String()
}

// markActions sets Link.Acts of the links of the open a element, whose text is complete.
func (r *htmlReader) markActions() {
	l := &r.link
	acts := r.input.Acts(trimFolded(l.text)) || sendsOtherMethod(r.tokens.doc[l.tag:])
	for _, at := range [...]span{l.title, l.label} {
		if !acts && at.start < at.end {
			r.folded = foldSpace(r.folded[:0], r.attributes.value(at).text)
			acts = r.input.Acts(trimFolded(r.folded))
		}
	}
	for i := l.first; i < l.end; i++ {
		r.links[i].Acts = acts
	}
}

// sendsOtherMethod reports whether the start tag at the beginning of a text names a method other than
// GET, with which scripts of Rails and others send the request for a link.
func sendsOtherMethod(doc []byte) bool {
	s := attributeScanner{tag: doc, pos: tagName(doc).end}
	for {
		name, value, ok := s.next()
		if !ok {
			return false
		}
		if n := doc[name.start:name.end]; equalFold(n, "data-method") || equalFold(n, "data-turbo-method") {
			if method := trimSpace(doc[value.start:value.end]); len(method) > 0 && !equalFold(method, "get") {
				return true
			}
		}
	}
}
