package view

import (
	"slices"
	"strings"

	"github.com/orbweaver/orbweaver/crawler/extract"
	"github.com/orbweaver/orbweaver/crawler/internal/recall"
	"github.com/orbweaver/orbweaver/crawler/internal/render"
)

// loads are the files that a page loaded while it was rendered.
type loads struct {
	files   []recall.Loaded
	unknown bool // whether one of them changes cannot be told
}

// add adds an answer to a request of the browser.
func (l *loads) add(ask *render.Ask, reply *render.Reply, lost bool) {
	if reply.Refused && !lost { // it will be refused again
		return
	}
	file, known := recall.LoadedFile(ask.URL, reply.Status, reply.Header)
	if lost || !known {
		l.unknown = true
		return
	}
	l.files = append(l.files, file)
}

// keepable returns what a page loaded, sorted, and whether a later run may keep the page instead of
// rendering it again. links are those that were found in the browser.
func (op *Opened) keepable(links []extract.Link) (loaded []recall.Loaded, ok bool) {
	if op.loads.unknown || recall.HasPassword(op.Shown.Base) || slices.ContainsFunc(links, func(l extract.Link) bool { return recall.HasPassword(l.Ref) }) {
		return nil, false
	}
	loaded = slices.SortedFunc(slices.Values(op.loads.files), func(a, b recall.Loaded) int { return strings.Compare(a.URL, b.URL) })
	return slices.CompactFunc(loaded, func(a, b recall.Loaded) bool { return a.URL == b.URL }), true
}
