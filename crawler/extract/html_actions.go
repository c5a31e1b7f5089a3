package extract

import (
	"bytes"
	"slices"
	"strings"

	"github.com/PuerkitoBio/goquery"
	"golang.org/x/net/html"
)

// markTexts sets Link.Acts of links that are not in HTML.
func markTexts(links []Link, names func([]byte) bool) {
	for i := range links {
		if l := &links[i]; l.Kind == Navigation && names([]byte(l.Text)) {
			l.Acts = true
		}
	}
}

// markForms sets Link.Acts of the actions of forms that are sent with GET, if a button or a fixed value
// names an action, or the form itself does. decoded returns the text of the document.
func markForms(links []Link, names func([]byte) bool, decoded func() []byte) {
	if !slices.ContainsFunc(links, func(l Link) bool { return l.Kind == Submission }) {
		return
	}
	doc, err := goquery.NewDocumentFromReader(bytes.NewReader(decoded()))
	if err != nil {
		return // only reading fails, and this is in memory
	}
	f := formReader{names: names, ids: map[string]*goquery.Selection{}, marked: map[string]bool{}}
	doc.Find("[id]").Each(func(_ int, s *goquery.Selection) {
		if id := s.AttrOr("id", ""); f.ids[id] == nil {
			f.ids[id] = s
		}
	})
	doc.Find(`button:not([type=button i]):not([type=reset i]), input[type=submit i], input[type=image i]`).Each(func(_ int, s *goquery.Selection) { f.button(s) })
	doc.Find("form").Each(func(_ int, form *goquery.Selection) {
		if f.acts(form) || f.anyActs(form.Find("input[type=hidden i]")) {
			f.mark(form.Attr("action"))
		}
	})
	for i := range links {
		if l := &links[i]; l.Kind == Submission && f.marked[strings.TrimSpace(l.Ref)] {
			l.Acts = true
		}
	}
}

// formReader finds the forms of a document that sign out or delete something.
type formReader struct {
	names  func([]byte) bool
	ids    map[string]*goquery.Selection
	marked map[string]bool // actions, as written
}

func (f *formReader) mark(action string, has bool) {
	if has {
		f.marked[strings.TrimSpace(action)] = true
	}
}

// button marks what a button sends, if it names an action.
func (f *formReader) button(s *goquery.Selection) {
	if !f.named(s.Text()) && !f.acts(s) && !f.anyActs(s.Find("[alt], [title], [aria-label]")) {
		return
	}
	if action, own := s.Attr("formaction"); own {
		f.mark(action, true)
		return
	}
	form := s.Closest("form")
	if owner, has := s.Attr("form"); has {
		if form = f.ids[owner]; form == nil || !form.Is("form") {
			return
		}
	}
	f.mark(form.Attr("action"))
}

// acts reports whether the attributes of an element name an action, or a method other than GET, with
// which scripts send it.
func (f *formReader) acts(s *goquery.Selection) bool {
	for _, name := range []string{"value", "name", "alt", "title", "aria-label"} {
		if f.named(s.AttrOr(name, "")) {
			return true
		}
	}
	for id := range strings.FieldsSeq(s.AttrOr("aria-labelledby", "")) {
		if label := f.ids[id]; label != nil && f.named(shortText(label.Nodes[0])) {
			return true
		}
	}
	return slices.ContainsFunc([]string{"data-method", "data-turbo-method"}, func(name string) bool {
		method := strings.TrimSpace(s.AttrOr(name, ""))
		return method != "" && !strings.EqualFold(method, "get")
	})
}

func (f *formReader) anyActs(s *goquery.Selection) (acts bool) {
	s.EachWithBreak(func(_ int, one *goquery.Selection) bool {
		acts = f.acts(one)
		return !acts
	})
	return acts
}

// Limits on the texts that are looked at: their bytes, and the nodes that a label consists of.
const (
	maxActionText  = 1 << 10
	maxActionNodes = 64
)

// shortText returns the text of a label, "" for a long one.
func shortText(n *html.Node) string {
	var text strings.Builder
	left := maxActionNodes
	for part := range n.Descendants() {
		if left--; left < 0 || text.Len() > maxActionText {
			return ""
		}
		if part.Type == html.TextNode {
			text.WriteString(part.Data)
		}
	}
	return text.String()
}

func (f *formReader) named(text string) bool {
	return len(text) <= maxActionText && f.names([]byte(strings.Join(strings.Fields(text), " ")))
}

// markActions sets Link.Acts of the links of the open a element, whose text is complete.
func (r *htmlReader) markActions() {
	l, tag := &r.link, r.tokens.doc[r.link.tag:]
	labelled := func(at span) bool {
		r.folded = foldSpace(r.folded[:0], r.attributes.value(at).text)
		return at.start < at.end && r.input.Acts(trimFolded(r.folded))
	}
	acts := r.input.Acts(trimFolded(l.text)) || sendsOtherMethod(tag) || labelled(l.title) || labelled(l.label)
	if !acts && len(trimFolded(l.text)) == 0 {
		acts = hasLabel(tag, func(at span) bool { return labelled(span{l.tag + at.start, l.tag + at.end}) })
	}
	for i := l.first; i < l.end; i++ {
		r.links[i].Acts = acts
	}
}

// maxIcon is how much of a link without text is searched for the label of an icon, in bytes.
const maxIcon = 2 << 10

// hasLabel reports whether an element within the a element at the beginning of a text has a label
// that satisfies is.
func hasLabel(doc []byte, is func(value span) bool) bool {
	doc = doc[:min(maxIcon, len(doc))]
	if end := bytes.Index(doc, []byte("</a>")); end >= 0 {
		doc = doc[:end]
	}
	for at := 1; ; at++ {
		next := bytes.IndexByte(doc[at:], '<')
		if next < 0 {
			return false
		}
		at += next
		s := attributeScanner{tag: doc[at:], pos: tagName(doc[at:]).end}
		for name, value, ok := s.next(); ok; name, value, ok = s.next() {
			n := doc[at+name.start : at+name.end]
			isLabel := equalFold(n, "title") || equalFold(n, "aria-label") || equalFold(n, "value")
			if isLabel && is(span{at + value.start, at + value.end}) {
				return true
			}
		}
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
