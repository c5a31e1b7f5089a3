package fix

import (
	"errors"
	"fmt"
	"html"
	"slices"
	"strings"
	"time"

	"github.com/orbweaver/orbweaver/cmd/orbweaver/internal/lazy"
	"github.com/orbweaver/orbweaver/crawler/check"
	"github.com/orbweaver/orbweaver/crawler/result"
	"github.com/orbweaver/orbweaver/report"
)

// Copies are the copies in an archive of targets of other sites, by their printed URLs without
// fragment. With them, a plan makes the links of HTML pages robust (https://robustlinks.mementoweb.org):
// a link to a target that is ok gets the attributes data-versionurl and data-versiondate, and one to
// a broken target leads to the copy that the run has found, and keeps its address in
// data-originalurl. A nil map makes no link robust.
type Copies map[string]check.Copy

// robust returns the edit that makes links to a target robust.
func (c Copies) robust(r *result.Result) (w proposedEdit, ok bool) {
	if c == nil || r.Internal || r.Kind != result.KindTarget {
		return w, false
	}
	page, fragment, _ := strings.Cut(r.URL, "#")
	w.Proposal = report.Proposal{From: r.URL, To: r.URL, Why: "robust link", Code: r.Code}
	switch {
	case r.Verdict == check.Broken && r.Archive != nil && r.Archive.LastGood != nil:
		w.copied, w.moves = *r.Archive.LastGood, true
		if w.To = w.copied.URL; fragment != "" {
			w.To += "#" + fragment
		}
		return w, true
	case r.Verdict == check.OK:
		w.copied, ok = c[page]
		return w, ok
	}
	return w, false
}

func (w *proposedEdit) isRobust() bool { return w.copied.URL != "" }

var (
	// errAsItIs is the error for an element that is left as it is, about which nothing is said.
	errAsItIs = errors.New("the element is left as it is")
	// beforeValue is a start tag up to the value of its attribute href.
	beforeValue = lazy.Regexp(`(?is)<a(?:\s+[^\s"'>/=]+(?:\s*=\s*(?:"[^"]*"|'[^']*'|[^\s"'>]+))?)*\s+href\s*=\s*(["']?)$`)
	// afterValue is the rest of a start tag behind a value that is not quoted, or behind the quote.
	afterValue = lazy.Regexp(`(?s)^(?:\s*[^\s"'>=]+(?:\s*=\s*(?:"[^"]*"|'[^']*'|[^\s"'>]+))?)*\s*/?>`)
	versioned  = lazy.Regexp(`(?i)\sdata-(?:versionurl|versiondate|originalurl)[\s=/>]`)
)

// longestTag is the most bytes of a start tag before and behind the value.
const longestTag = 8 << 10

// makeRobust requests that the links of a page become robust.
func (e *editor) makeRobust(wishes []proposedEdit) (refused map[place]error) {
	refused = map[place]error{}
	var found []*change
	byPlace := map[place]*proposedEdit{}
	for i := range wishes {
		w := &wishes[i]
		at := place{w.line, w.column}
		link, ok := e.At(at, w.raw)
		switch {
		case !ok:
			refused[at] = fmt.Errorf("changed since the run: %s is no longer there", shortened(w.raw))
		case e.changes[at] != nil, byPlace[at] != nil, e.doc.Format != "html" && e.doc.Format != "xhtml", link.Element != "a", link.Attribute != "href":
			refused[at] = errAsItIs
		default:
			byPlace[at] = w
			found = append(found, &change{place: at, raw: w.raw, ref: link.Ref, links: e.at[at]})
		}
	}
	slices.SortFunc(found, func(a, b *change) int { return comparePlaces(a.place, b.place) })
	e.locate(found)
	for _, c := range found {
		w := byPlace[c.place]
		text, err := w.markup(e, c)
		if err != nil {
			refused[c.place] = err
			continue
		}
		if w.moves {
			c.ref = w.To
		}
		c.escapes = []escape{func(string) string { return text }}
		e.changes[c.place] = c
	}
	return refused
}

// markup returns what replaces the value of href: a value, and the attributes behind it, up to the
// quote that ends the value.
func (w *proposedEdit) markup(e *editor, c *change) (string, error) {
	if c.err != nil {
		return "", c.err
	}
	end := c.off + len(c.raw)
	tag := beforeValue().FindSubmatch(e.text[max(0, c.off-longestTag):c.off])
	if tag == nil {
		return "", errAsItIs
	}
	quote := string(tag[1])
	behind, ok := strings.CutPrefix(string(e.text[end:min(len(e.text), end+longestTag)]), quote)
	after := afterValue().FindString(behind)
	if !ok || after == "" || versioned().Match(tag[0]) || versioned().MatchString(after) {
		return "", errAsItIs
	}
	value, name, of := c.raw, "data-versionurl", w.copied.URL
	if w.moves {
		value, name, of = html.EscapeString(w.To), "data-originalurl", html.UnescapeString(c.raw)
	}
	open, last := "", ""
	if quote == "" {
		open, quote, last = `"`, `"`, `"`
	}
	return fmt.Sprint(open, value, quote, " ", name, "=", quote, html.EscapeString(of), quote, " data-versiondate=", quote, w.copied.Time.UTC().Format(time.DateOnly), last), nil
}
