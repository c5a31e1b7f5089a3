package view

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/orbweaver/orbweaver/crawler/check"
	"github.com/orbweaver/orbweaver/crawler/internal/document"
	"github.com/orbweaver/orbweaver/crawler/internal/judging"
	"github.com/orbweaver/orbweaver/crawler/internal/references"
	"github.com/orbweaver/orbweaver/crawler/internal/render"
	"github.com/orbweaver/orbweaver/crawler/internal/scope"
	"github.com/orbweaver/orbweaver/urinorm"
)

// IsView reports whether a target is a view.
func (b *Browser) IsView(u urinorm.URL) bool {
	if b == nil {
		return false
	}
	fragment, has := u.Fragment()
	return has && scope.IsRoute(fragment)
}

// View renders a view and judges whether it exists. Its document has been read. It returns nil for
// a view that is not read for links, and the data that is no target of its own.
func (o *Opening) View(ctx context.Context) (op *Opened, own map[string]bool) {
	t, doc := o.Of, o.Doc.Read
	whole := t.At.WithoutFragment()
	in := o.Browser.Door.Scope()
	needed := in.RenderModeOf(o.Browser.Print.URL(whole)) == scope.RenderAuto && !document.NeedsScripts(o.Doc.Body, doc) // the others are rendered anyway
	references.EnterRoute(o.Page, scope.HrefOf(whole), t.Target, needed)
	w := o.Browser.viewsOf(whole.String())
	w.once.Do(func() {
		o.Browser.Memory.Forget(whole, in)
		o.openMadeUp(ctx, w, whole)
	})
	fragment, _ := t.At.Fragment()
	err := w.err
	if err == nil && w.made.Shown.Docsify {
		if route, query, has := strings.Cut(fragment, "?"); has {
			if base, _, err := urinorm.ParseWeb(whole.String() + "#" + route); err == nil {
				o.judgeAnchor(ctx, w, base, query)
			}
			return nil, nil
		}
	}
	if err == nil {
		op, err = o.open(ctx, t.At)
	}
	if err != nil {
		if ctx.Err() == nil {
			o.Doc.Note(judging.Facts{Code: judging.CodeRenderFailed, Message: failedBecause(err)})
		}
		return nil, nil
	}
	judged, own := o.judgeView(w, op, fragment)
	o.Doc.Note(judged)
	if err == nil && w.made.Shown.Docsify {
		w.viewOf(fragment).once.Do(func() {
			w.viewOf(fragment).set(op, judged)
		})
	}
	doc.Anchors, doc.AnchorHashes = op.doc.Anchors, op.doc.AnchorHashes
	if judged.Code != "" {
		return nil, nil
	}
	o.warnOf(op)
	return op, own
}

// set notes the anchors and the outcome of a view that was rendered.
func (k *view) set(op *Opened, judged judging.Facts) {
	k.anchors = slices.Clone(op.doc.AnchorHashes)
	k.judged = judging.Facts{Code: judged.Code, Message: judged.Message}
}

// openMadeUp opens a view that cannot exist.
func (o *Opening) openMadeUp(ctx context.Context, w *views, document urinorm.URL) {
	var digits [8]byte
	rand.Read(digits[:]) // never fails
	w.name = "/" + hex.EncodeToString(digits[:])
	u, _, err := urinorm.ParseWeb(document.String() + "#" + w.name)
	if err != nil {
		w.err = err
		return
	}
	w.made, w.err = o.open(ctx, u)
}

// judgeAnchor judges a link to an anchor of a docsify view, which its query names.
func (o *Opening) judgeAnchor(ctx context.Context, w *views, base urinorm.URL, query string) {
	route, _ := base.Fragment()
	references.EnterRoute(o.Page, scope.HrefOf(base), o.Of.Target, false)
	k := w.viewOf(route)
	k.once.Do(func() {
		op, err := o.open(ctx, base)
		if err != nil {
			k.judged = judging.Facts{Code: judging.CodeRenderFailed, Message: failedBecause(err)}
			return
		}
		judged, _ := o.judgeView(w, op, route)
		k.set(op, judged)
	})
	o.Doc.Read.Anchors, o.Doc.Read.AnchorHashes = nil, nil
	o.Doc.Note(k.judged)
	if k.judged.Code != "" {
		return
	}
	values, _ := url.ParseQuery(query)
	id := values.Get("id")
	if id == "" {
		return
	}
	if _, found := slices.BinarySearch(k.anchors, judging.HashAnchor(id)); !found {
		o.Doc.Note(judging.Facts{Code: check.CodeFragmentMissing, Message: fmt.Sprintf("no element of the view %s has the id %q", route, id)})
	}
}

// judgeView judges whether a view exists: it does not if data that it alone has asked for
// is missing, and it shows what the made-up view shows. It returns that data, too, which is no
// target of its own.
func (o *Opening) judgeView(w *views, op *Opened, fragment string) (judged judging.Facts, own map[string]bool) {
	if op.Shown.Leads != "" || strings.Trim(fragment, "/!") == "" { // the first view is shown for any that does not exist
		return judged, nil
	}
	missing := o.missingData(w, op)
	same := comparable(op.Shown.Text, fragment, w.name) == comparable(w.made.Shown.Text, fragment, w.name) && w.made.Shown.Leads == ""
	switch {
	case missing.URL != "" && same:
		judged.Code = judging.CodeRouteMissing
		judged.Message = fmt.Sprintf("the view asks for %s, which answers %d, and shows the same text as a made-up view", o.printed(missing.URL), missing.Status)
	case missing.URL != "":
		judged.Warnings = []check.Warning{{Code: check.CodeSoft404, Message: fmt.Sprintf("the view asks for %s, which answers %d", o.printed(missing.URL), missing.Status)}}
	case same:
		judged.Warnings = []check.Warning{{Code: check.CodeSoft404, Message: "the view shows the same text as a made-up view"}}
	default:
		return judged, nil
	}
	return judged, map[string]bool{missing.URL: true}
}

// printed returns a URL as reports show it.
func (o *Opening) printed(raw string) string {
	u, _, err := urinorm.ParseWeb(raw)
	if err != nil {
		return urinorm.Redact(raw)
	}
	return o.Browser.Print.URL(u)
}

// missingData returns the first request for data that a view has made and the made-up view
// has not, and that answered 404 or 410.
func (o *Opening) missingData(w *views, op *Opened) render.Asked {
	for _, a := range op.Shown.Asked {
		u, _, err := urinorm.ParseWeb(a.URL)
		if err != nil || a.Status != 404 && a.Status != 410 || a.Type != render.Data && a.Type != render.Navigation ||
			u.Scheme() != o.Doc.URL.Scheme() || u.Authority() != o.Doc.URL.Authority() {
			continue
		}
		if !slices.ContainsFunc(w.made.Shown.Asked, func(other render.Asked) bool { return other.URL == a.URL }) {
			return a
		}
	}
	return render.Asked{}
}

// comparable returns the text of a view without the names of some views: a view that does not
// exist may show its name, and a menu may show those of others.
func comparable(text string, fragments ...string) string {
	for _, fragment := range fragments {
		name := strings.Trim(fragment, "/!")
		text = withoutWord(text, name)
		if decoded, err := url.PathUnescape(name); err == nil && decoded != name {
			text = withoutWord(text, decoded)
		}
	}
	return strings.Join(strings.Fields(strings.ReplaceAll(text, "/", " ")), " ")
}

// withoutWord returns a text without a word: where no letter or digit comes before or after it.
func withoutWord(text, word string) string {
	if word == "" {
		return text
	}
	inWord := func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }
	var kept strings.Builder
	for rest := text; ; {
		before, after, found := strings.Cut(rest, word)
		kept.WriteString(before)
		if !found {
			return kept.String()
		}
		last, _ := utf8.DecodeLastRuneInString(before)
		next, _ := utf8.DecodeRuneInString(after)
		if inWord(last) || inWord(next) {
			kept.WriteString(word)
		}
		rest = after
	}
}
