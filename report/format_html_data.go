package report

import (
	"bytes"
	"cmp"
	"io"
	"maps"
	"slices"

	"github.com/orbweaver/orbweaver/crawler/check"
	"github.com/orbweaver/orbweaver/crawler/result"
)

// Limits of an HTML report, so that a browser can handle it. The report states what it
// omits; a JSON report has everything.
const (
	maxHTMLResults = 200_000
	maxHTMLPlaces  = 500_000
)

// htmlData writes the data for the script of the report: a JSON text in which each string
// from a page occurs only once. Only htmlreport/app/20-data.js depends on the form of its
// arrays.
type htmlData struct {
	json    jsonEncoder
	strings []string
	index   map[string]int
	shapes  []shape
	shaped  map[shape]int
}

// shape is what references from a template have in common. A reference with held set must
// not be edited, even if its target has a proposal.
type shape struct{ element, attribute, raw, text, held, unaffected int }

// writeHTMLData writes the data as the content of a script element.
func writeHTMLData(w io.Writer, d *htmlDocument) error {
	data := &htmlData{json: jsonEncoder{w: scriptText{w}, compact: true}, index: map[string]int{}, shaped: map[shape]int{}}
	data.write(d)
	return data.json.finish()
}

// write writes the strings last, since they are collected while the rest is written.
func (h *htmlData) write(d *htmlDocument) {
	j := &h.json
	j.object()
	h.summary(d)
	j.key("codes").array()
	for _, e := range d.codes {
		j.row()
		j.key("code").string(string(e.Code))
		j.key("title").string(e.Title)
		j.key("severity").string(e.Severity.String())
		j.key("explanation").string(e.Explanation)
		j.key("advice").string(e.Advice)
		j.key("ofPage").bool(check.OfPage(e.Code))
		j.key("group").string(e.Group)
		j.end()
	}
	j.end()
	j.key("results").array()
	for _, r := range d.results {
		h.result(r, d.placesEach, d.show)
	}
	j.end()
	h.redirects(d.head.hops)
	h.webGraph(d.web)
	j.key("shapes").array()
	for _, s := range h.shapes {
		h.ints(s.element, s.attribute, s.raw, s.text, s.held, s.unaffected)
	}
	j.end()
	j.key("strings").strings(h.strings)
}

func (h *htmlData) summary(d *htmlDocument) {
	j, s := &h.json, d.summary
	j.key("started").time(d.head.Started)
	j.key("targets").strings(d.head.Targets)
	j.key("show").array()
	for _, v := range []check.Verdict{check.OK, check.Broken, check.Unverified, check.Skipped} {
		if d.show&(1<<v) != 0 {
			j.string(v.String())
		}
	}
	if d.show&ShowWarning != 0 {
		j.string("warning")
	}
	if d.show&ShowInfo != 0 {
		j.string("info")
	}
	j.end()
	j.key("pages").int(int64(s.Pages))
	j.key("omitted").row()
	j.key("results").int(int64(d.omittedResults))
	j.key("places").int(int64(d.omittedPlaces))
	j.end()
	j.key("siteWide").int(siteWidePages)
	j.key("foldFrom").int(maxPlacesOnPage)
	j.key("foldTo").int(shownPlaces)
}

func (h *htmlData) ref(s string) int {
	n, ok := h.index[s]
	if !ok {
		n = len(h.strings)
		h.index[s] = n
		h.strings = append(h.strings, s)
	}
	return n
}

func (h *htmlData) ints(all ...int) {
	h.json.array()
	h.elements(all...)
	h.json.end()
}

func (h *htmlData) elements(all ...int) {
	for _, n := range all {
		h.json.int(int64(n))
	}
}

func (h *htmlData) result(r *result.Result, places int, show Show) {
	j := &h.json
	internal := 0
	if r.Internal {
		internal = 1
	}
	j.array()
	h.elements(h.ref(r.URL), int(r.Verdict), h.ref(string(r.Code)), h.ref(r.Message), internal, h.ref(hostOf(r.URL)),
		r.Status, r.Attempts, int(r.Elapsed.Milliseconds()), h.ref(r.FinalURL), h.ref(r.ContentType), int(r.Size))
	j.array()
	for _, hop := range r.Redirects {
		h.ints(h.ref(hop.URL), hop.Status)
	}
	j.end()
	j.array()
	for _, w := range r.Warnings {
		switch {
		case w.IsVerdict(r.Code):
		case w.Level == "":
			h.ints(h.ref(string(w.Code)), h.ref(w.Message), h.ref(w.Proposal))
		default:
			h.ints(h.ref(string(w.Code)), h.ref(w.Message), h.ref(w.Proposal), h.ref(string(w.Level)))
		}
	}
	j.end()
	j.array()
	for _, s := range r.Suggestions {
		h.ints(h.ref(s.URL), h.ref(s.Why))
	}
	j.end()
	j.int(int64(len(r.References)))
	proposal, proposed := Propose(r)
	j.array()
	for i := range r.References[:min(places, len(r.References))] {
		ref := &r.References[i]
		h.elements(h.ref(ref.Page), ref.Line, ref.Column, h.shape(ref, proposal))
	}
	j.end()
	j.array()
	if proposed {
		h.elements(h.ref(proposal.To), h.ref(proposal.Why))
	}
	j.end()
	j.array() // of each finding, in the order of findingsOf: its hint, and the numbers of its places and of their pages
	for _, row := range rowsOf(show, r) {
		places, pages := 1, 1 // of a finding about the page itself
		if code := check.Code(row.code); !check.OfPage(code) {
			refs := affectedReferences(r.References, code)
			places, pages = len(refs), countPages(refs)
		}
		h.elements(h.ref(row.hint), places, pages)
	}
	j.end()
	h.sources(r.References[:min(places, len(r.References))])
	h.elements(h.ref(ownPage(r.URL)))
	if r.Kind == result.KindPage {
		h.elements(h.ref(r.Rule), h.ref(r.Proposal))
	}
	j.end()
}

// sources writes the known places of references in sources.
func (h *htmlData) sources(refs []result.Reference) {
	h.json.array()
	for i := range refs {
		if s := refs[i].Source; s != nil {
			h.elements(i, h.ref(s.File), s.Line, s.Column, h.ref(s.Raw))
		}
	}
	h.json.end()
}

// withFolder returns the text of a link, and for a bookmark its folder.
func withFolder(r *result.Reference) string {
	switch {
	case r.Folder == "":
		return r.Text
	case r.Text == "":
		return "(" + r.Folder + ")"
	}
	return r.Text + " (" + r.Folder + ")"
}

func (h *htmlData) shape(r *result.Reference, p Proposal) int {
	s := shape{element: h.ref(r.Element), attribute: h.ref(r.Attribute), raw: h.ref(r.Raw), text: h.ref(withFolder(r)), unaffected: h.ref(r.Unaffected)}
	if p.Blocked(r) != "" {
		s.held = 1
	}
	n, ok := h.shaped[s]
	if !ok {
		n = len(h.shapes)
		h.shaped[s] = n
		h.shapes = append(h.shapes, s)
	}
	return n
}

// redirects writes the redirects of targets that are not listed otherwise: URL, final URL, places,
// and the statuses.
func (h *htmlData) redirects(hops map[string]passedOn) {
	h.json.key("redirects").array()
	for _, from := range slices.Sorted(maps.Keys(hops))[:min(len(hops), maxHTMLResults)] {
		hop := hops[from]
		h.ints(append([]int{h.ref(hop.url), h.ref(hop.to), hop.places}, hop.statuses...)...)
	}
	h.json.end()
}

func (h *htmlData) webGraph(w *webGraph) {
	j := &h.json
	j.key("web").object()
	j.key("drawn").bool(w.drawn)
	j.key("rings").int(int64(w.rings))
	j.key("firstUnreached").int(int64(w.firstUnreached))
	j.key("siteWide").int(int64(w.siteWide))
	j.key("nodes").array() // URL or -1 for the hub, title, ring, parent, angle, radius, in, out, broken, doubtful, links in, links out, status, elapsed in ms, size
	for i := range w.nodes {
		k := &w.nodes[i]
		url := -1
		if k.url != "" {
			url = h.ref(k.url)
		}
		h.ints(url, h.ref(k.title), k.ring, k.parent, k.angle, k.radius, k.in, k.out, k.broken, k.doubtful,
			k.linksIn, k.linksOut, k.status, int(k.elapsed.Milliseconds()), int(k.size))
	}
	j.end()
	j.key("crossLinks").string(packLinks(w.crossLinks))
	j.key("broken").array() // page, result
	for _, t := range w.broken {
		h.elements(int(t.page), int(t.result))
	}
	j.end()
	j.key("omitted").row()
	j.key("pages").int(int64(w.omitted.pages))
	j.key("crossLinks").int(int64(w.omitted.crossLinks))
	j.key("broken").int(int64(w.omitted.broken))
	j.end()
	j.end()
}

// packLinks encodes links, which are sorted, in about two characters each. For each page
// with links it writes how many pages after the previous such page it is, the number of
// its links, and for each link how many pages its target is after the previous target. A
// number is written in groups of five bits, the lowest first; all groups but the last
// have the sixth bit set.
func packLinks(links []webLink) string {
	const digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
	packed := make([]byte, 0, 3*len(links))
	put := func(n int32) {
		for ; n >= 32; n >>= 5 {
			packed = append(packed, digits[n&31|32])
		}
		packed = append(packed, digits[n])
	}
	last := int32(0)
	for len(links) > 0 {
		n := 1
		for n < len(links) && links[n].from == links[0].from {
			n++
		}
		put(links[0].from - last)
		put(int32(n))
		last = links[0].from
		to := int32(0)
		for _, t := range links[:n] {
			put(t.to - to)
			to = t.to
		}
		links = links[n:]
	}
	return string(packed)
}

// scriptText escapes JSON for a script element, where "</script" and "<!--" have a
// meaning (HTML 13.2.5.4). These characters occur only in strings, which may contain
// escapes.
type scriptText struct{ w io.Writer }

func (s scriptText) Write(p []byte) (int, error) {
	safe := bytes.ReplaceAll(p, []byte("<"), []byte(`\u003c`))
	safe = bytes.ReplaceAll(safe, []byte(">"), []byte(`\u003e`))
	safe = bytes.ReplaceAll(safe, []byte("&"), []byte(`\u0026`))
	if _, err := s.w.Write(safe); err != nil {
		return 0, err
	}
	return len(p), nil
}

// listed returns at most most results, in their order. If there are more, it prefers
// broken results, then unverified ones, then those with warnings.
func listed(results []*result.Result, most int) []*result.Result {
	if len(results) <= most {
		return results
	}
	rank := func(r *result.Result) int {
		switch {
		case r.Verdict == check.Broken:
			return 0
		case r.Verdict == check.Unverified:
			return 1
		case r.Verdict == check.VerdictWarning || len(r.Warnings) > 0:
			return 2
		}
		return 3
	}
	kept := slices.Clone(results)
	slices.SortStableFunc(kept, func(a, b *result.Result) int { return cmp.Compare(rank(a), rank(b)) })
	kept = kept[:most]
	slices.SortStableFunc(kept, byURL)
	return kept
}

// placesEach returns the number of places that each result may list so that all results
// together list at most most places, and how many places that omits. It shortens the
// results with the most places first.
func placesEach(results []*result.Result, most int) (each, left int) {
	total, longest := 0, 0
	for _, r := range results {
		total += len(r.References)
		longest = max(longest, len(r.References))
	}
	if total <= most {
		return longest, 0
	}
	sum := func(each int) (n int) {
		for _, r := range results {
			n += min(each, len(r.References))
		}
		return n
	}
	low, high := 1, longest
	for low < high {
		if mid := (low + high + 1) / 2; sum(mid) <= most {
			low = mid
		} else {
			high = mid - 1
		}
	}
	return low, total - sum(low)
}

func codesOf(s *result.Summary, results []*result.Result, declared catalog) []check.Entry {
	met := map[check.Code]bool{}
	for code := range s.ByCode {
		met[code] = true
	}
	for _, r := range results {
		met[r.Code] = true
		for _, w := range r.Warnings {
			met[w.Code] = true
		}
	}
	var entries []check.Entry
	for _, code := range slices.Sorted(maps.Keys(met)) {
		e, known := declared.lookup(code)
		if !known {
			e = check.Entry{Code: code, Title: "unknown to this version of orbweaver"}
		}
		e.Title, e.Advice = visible(e.Title), visible(e.Advice) // a plugin may have declared them
		entries = append(entries, e)
	}
	return entries
}
