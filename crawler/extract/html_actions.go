package extract

import (
	"bytes"
	"slices"
	"strings"

	"github.com/PuerkitoBio/goquery"
)

// markForms sets Link.Acts of the actions of forms that are sent with GET, if a button names an
// action, or the form itself does. decoded returns the text of the document.
func markForms(links []Link, names func([]byte) bool, decoded func() []byte) {
	if !slices.ContainsFunc(links, func(l Link) bool { return l.Kind == Submission }) {
		return
	}
	doc, err := goquery.NewDocumentFromReader(bytes.NewReader(decoded()))
	if err != nil {
		return // only reading fails, and this is in memory
	}
	acts := func(s *goquery.Selection) bool {
		named := []string{s.Text()}
		for _, attribute := range []string{"value", "alt", "title", "aria-label"} {
			named = append(named, s.AttrOr(attribute, ""))
		}
		return slices.ContainsFunc(named, func(text string) bool { return names([]byte(strings.Join(strings.Fields(text), " "))) })
	}
	marked := map[string]bool{}
	mark := func(action string, has bool) {
		if has {
			marked[strings.TrimSpace(action)] = true
		}
	}
	buttons := doc.Find(`button:not([type=button i]):not([type=reset i]), input[type=submit i], input[type=image i]`)
	buttons.Each(func(_ int, button *goquery.Selection) {
		if !acts(button) {
			return
		}
		mark(button.Attr("formaction"))
		form := button.Closest("form")
		if owner, has := button.Attr("form"); has {
			form = doc.Find("form").FilterFunction(func(_ int, f *goquery.Selection) bool { return f.AttrOr("id", "") == owner })
		}
		if _, own := button.Attr("formaction"); !own {
			mark(form.Attr("action"))
		}
	})
	doc.Find("form").Each(func(_ int, form *goquery.Selection) {
		for _, attribute := range []string{"title", "aria-label"} {
			if label := form.AttrOr(attribute, ""); names([]byte(strings.TrimSpace(label))) {
				mark(form.Attr("action"))
			}
		}
	})
	for i := range links {
		if l := &links[i]; l.Kind == Submission && marked[strings.TrimSpace(l.Ref)] {
			l.Acts = true
		}
	}
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
