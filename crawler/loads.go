package crawler

import (
	"net/http"
	"slices"
	"strings"

	"github.com/orbweaver/orbweaver/crawler/cache"
	"github.com/orbweaver/orbweaver/crawler/extract"
	"github.com/orbweaver/orbweaver/crawler/fetch"
	"github.com/orbweaver/orbweaver/crawler/render"
	"github.com/orbweaver/orbweaver/urinorm"
)

// loads are the files that a page loaded while it was rendered.
type loads struct {
	files   []cache.Loaded
	unknown bool // whether one of them changes cannot be told
}

// add adds an answer to a request of the browser.
func (l *loads) add(ask *render.Ask, reply *render.Reply, lost bool) {
	if reply.Refused && !lost { // it will be refused again
		return
	}
	v := fetch.ValidatorsOf(reply.Header)
	if lost || reply.Status/100 != 2 || v.IsZero() || noStore(reply.Header) || secret(ask.URL) {
		l.unknown = true
		return
	}
	l.files = append(l.files, cache.Loaded{URL: ask.URL, Validators: v})
}

// keepable returns what a page loaded, sorted, and whether a later run may keep the page instead of
// rendering it again. links are those that were found in the browser.
func (op *opened) keepable(links []extract.Link) (loaded []cache.Loaded, ok bool) {
	if op.loads.unknown || secret(op.page.Base) || slices.ContainsFunc(links, func(l extract.Link) bool { return secret(l.Ref) }) {
		return nil, false
	}
	loaded = slices.SortedFunc(slices.Values(op.loads.files), func(a, b cache.Loaded) int { return strings.Compare(a.URL, b.URL) })
	return slices.CompactFunc(loaded, func(a, b cache.Loaded) bool { return a.URL == b.URL }), true
}

// noStore reports whether an answer must not be stored (RFC 9111 section 5.2.2.5).
func noStore(h http.Header) bool {
	for _, value := range h["Cache-Control"] {
		for directive := range strings.SplitSeq(value, ",") {
			if strings.EqualFold(strings.TrimSpace(directive), "no-store") {
				return true
			}
		}
	}
	return false
}

// secret reports whether a reference contains a password.
func secret(ref string) bool {
	return strings.IndexByte(ref, '@') >= 0 && urinorm.Redact(ref) != ref
}
