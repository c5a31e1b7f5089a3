package report

import (
	"cmp"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/orbweaver/orbweaver/crawler/check"
	"github.com/orbweaver/orbweaver/crawler/result"
)

// Limits of the link graph. What is omitted is counted.
const (
	maxWebPages     = 25_000
	maxCrossLinks   = 300_000 // links outside the tree
	maxWebBroken    = 8_000   // broken links
	maxBrokenOfPage = 12
)

// noIndex is the parent index of a node that has no parent, and the node index of a page
// that is omitted.
const noIndex = -1

// webGraph is the link graph of a site. Its nodes are pages on rings; the ring of a page
// is its distance from the start in links. Each page has a parent on the next inner ring,
// and the links from parents form a tree with the hub as its root. All other links are
// cross links. The graph is the same for every run over the same site.
type webGraph struct {
	nodes          []webNode // in order of distance from the hub, unreached ones last
	crossLinks     []webLink // links outside the tree, sorted by from and to
	broken         []webBroken
	rings          int  // number of the outermost ring
	firstUnreached int  // index of the first node without a path from the start, or len(nodes)
	drawn          bool // the pages of the site are known
	siteWide       int  // number of broken targets on so many pages that they would cover the picture
	omitted        struct{ pages, crossLinks, broken int }
}

// webNode is a page, or the hub of a graph with several start pages, which has no URL.
type webNode struct {
	url, title string
	ring       int
	parent     int // parent in the tree; noIndex for the hub and for unreached pages
	angle      int // angle in units of 1/fullTurn of a full turn
	radius     int // in hundredths of the room of a node
	in, out    int // numbers of pages that link here, and that this page links to
	broken     int // number of broken targets on the page, without site-wide ones
	linksIn    int // number of links from other pages, or noIndex if it is not known
	linksOut   int // number of links on the page
	status     int // status of the answer, 0 for none
	elapsed    time.Duration
	size       int64 // in bytes, -1 if it is not known
	doubtful   int   // number of unverified targets and targets with warnings, without site-wide ones
}

type webLink struct{ from, to int32 }

// webBroken is a link from a page to a broken target.
type webBroken struct {
	page   int32
	result int32 // index in the results of the report
}

type webBuilder struct {
	webGraph
	pages     []*result.Page
	results   []*result.Result
	index     map[string]int32 // page by its name in references
	alias     map[string]string
	links     [][]int32 // distinct links of each page to other pages, in document order
	in        []int32
	linksIn   []int32 // numbers of links from other pages
	order     []int32 // pages in the order in which they are found
	ring      []int32 // ring of each page; noIndex if it was not found
	parent    []int32
	nodeIndex []int32 // node of each page; noIndex if it is omitted
}

// newWebGraph returns the graph of a site. The pages are sorted by URL. Without pages,
// the references of the results give the links.
func newWebGraph(head *Head, pages []*result.Page, results []*result.Result) *webGraph {
	w := &webBuilder{results: results, alias: map[string]string{}}
	for from, hop := range head.hops {
		w.alias[from] = hop.to
	}
	w.drawn = len(pages) > 0
	if w.drawn {
		w.pages = byName(pages)
	} else {
		w.pages = pagesOf(results)
	}
	w.index = make(map[string]int32, len(w.pages))
	for i, p := range w.pages {
		w.index[p.URL] = int32(i)
	}
	w.resolveRedirects()
	w.resolveLinks()
	starts := w.starts(head)
	w.assignRings(starts)
	if !w.drawn {
		w.attachByAddress()
	}
	w.makeNodes(len(starts) != 1)
	w.addBroken()
	w.addCrossLinks()
	w.layOut()
	return &w.webGraph
}

// byName returns the pages without duplicates, under their names in references: a file
// has its path as its name, while its URL has spaces and non-ASCII letters encoded.
func byName(pages []*result.Page) []*result.Page {
	all := slices.CompactFunc(slices.Clone(pages), func(a, b *result.Page) bool { return a.URL == b.URL })
	for i, p := range all {
		if name := ownPage(p.URL); name != p.URL {
			renamed := *p
			renamed.URL = name
			all[i] = &renamed
		}
	}
	return all
}

// pagesOf makes pages from the references of results, and from internal documents among
// the results.
func pagesOf(results []*result.Result) []*result.Page {
	byURL := map[string]*result.Page{}
	page := func(url string) *result.Page {
		p := byURL[url]
		if p == nil {
			p = &result.Page{URL: url}
			byURL[url] = p
		}
		return p
	}
	for _, r := range results {
		if r.Verdict == check.OK && r.Internal && len(r.Redirects) == 0 && (r.ContentType == "text/html" || r.ContentType == "application/xhtml+xml") {
			page(ownPage(r.URL))
		}
		for i := range r.References {
			if ref := &r.References[i]; ref.Page != result.CommandLine && r.Kind == result.KindTarget {
				p := page(ref.Page)
				p.Links = append(p.Links, result.Edge{URL: r.URL})
			}
		}
	}
	return slices.SortedFunc(maps.Values(byURL), func(a, b *result.Page) int { return cmp.Compare(a.URL, b.URL) })
}

// resolveRedirects records the final URLs of redirects that the results contain.
func (w *webBuilder) resolveRedirects() {
	for _, r := range w.results {
		if len(r.Redirects) > 0 && r.FinalURL != "" {
			w.alias[ownPage(r.URL)] = ownPage(r.FinalURL)
		}
	}
}

// indexNames are the files that the URL of a directory may stand for.
var indexNames = []string{"index.html", "index.htm", "index.xhtml", "README.md", "readme.md", "index.md"}

// page returns the page that a link leads to.
func (w *webBuilder) page(url string) (int32, bool) {
	url = ownPage(url)
	if i, ok := w.index[url]; ok {
		return i, true
	}
	if final, ok := w.alias[url]; ok {
		i, ok := w.index[final]
		return i, ok
	}
	if strings.HasSuffix(url, "/") {
		for _, name := range indexNames {
			if i, ok := w.index[url+name]; ok {
				return i, true
			}
		}
	}
	return 0, false
}

// resolveLinks determines which pages link to each other.
func (w *webBuilder) resolveLinks() {
	w.links = make([][]int32, len(w.pages))
	w.in, w.linksIn = make([]int32, len(w.pages)), make([]int32, len(w.pages))
	last := make([]int32, len(w.pages)) // 1 + the page that linked here last
	for i, p := range w.pages {
		from := int32(i)
		for k := range p.Links {
			to, ok := w.page(p.Links[k].URL)
			if !ok || to == from {
				continue
			}
			w.linksIn[to]++
			if last[to] == from+1 {
				continue
			}
			last[to] = from + 1
			w.in[to]++
			w.links[i] = append(w.links[i], to)
		}
	}
}

// starts returns the pages at which a visitor begins.
func (w *webBuilder) starts(head *Head) []int32 {
	var starts []int32
	for _, r := range w.results {
		if slices.ContainsFunc(r.References, func(ref result.Reference) bool { return ref.Page == result.CommandLine }) {
			if i, ok := w.page(r.URL); ok {
				starts = append(starts, i)
			}
		}
	}
	if w.drawn && len(starts) == 0 {
		for i, p := range w.pages {
			if p.Depth == 0 {
				starts = append(starts, int32(i))
			}
		}
	}
	if len(starts) > 1 || !w.drawn {
		if fronts := w.frontPages(head); len(fronts) > 0 {
			starts = fronts
		}
	}
	slices.Sort(starts)
	return slices.Compact(starts)
}

// frontPages returns the front pages of the directories that the user named. A directory
// is read completely, but a visitor begins at its index.
func (w *webBuilder) frontPages(head *Head) []int32 {
	var fronts []int32
	for _, target := range head.Targets {
		target = strings.TrimPrefix(target, "./")
		if i, ok := w.page(target); ok {
			fronts = append(fronts, i)
		} else if i, ok := w.page(strings.TrimSuffix(target, "/") + "/"); ok {
			fronts = append(fronts, i)
		} else if i := w.shallowest(target); i != noIndex {
			fronts = append(fronts, i)
		}
	}
	if len(fronts) == 0 {
		if i := w.shallowest(""); i != noIndex {
			fronts = append(fronts, i)
		}
	}
	return fronts
}

// shallowest returns the index file with the shortest path below a directory.
func (w *webBuilder) shallowest(dir string) int32 {
	if dir == "." {
		dir = ""
	}
	if dir != "" {
		dir = strings.TrimSuffix(dir, "/") + "/"
	}
	best, least := int32(noIndex), 0
	for i, p := range w.pages {
		at := strings.LastIndexByte(p.URL, '/') + 1
		if !strings.HasPrefix(p.URL, dir) || p.URL[at:] != "" && !slices.Contains(indexNames, p.URL[at:]) {
			continue
		}
		if depth := strings.Count(p.URL, "/"); best == noIndex || depth < least {
			best, least = int32(i), depth
		}
	}
	return best
}

// assignRings assigns rings from the starts outward, and gives each page a parent on the
// ring before its own: among the pages that link to it, the one whose URL has the most
// directories in common with its own, or else the first.
func (w *webBuilder) assignRings(starts []int32) {
	w.ring = slices.Repeat([]int32{noIndex}, len(w.pages))
	w.parent = slices.Repeat([]int32{noIndex}, len(w.pages))
	first := int32(0)
	if len(starts) != 1 {
		first = 1 // the hub is on ring 0
	}
	for _, i := range starts {
		w.ring[i] = first
		w.order = append(w.order, i)
	}
	near := make([]int32, len(w.pages))
	for at := 0; at < len(w.order); at++ {
		from := w.order[at]
		for _, to := range w.links[from] {
			switch {
			case w.ring[to] == noIndex:
				w.ring[to] = w.ring[from] + 1
				w.order = append(w.order, to)
			case w.ring[to] != w.ring[from]+1:
				continue
			}
			if n := int32(commonDirectories(w.pages[from].URL, w.pages[to].URL)) + 1; n > near[to] {
				near[to], w.parent[to] = n, from
			}
		}
	}
}

// commonDirectories returns the number of leading directories that two URLs have in
// common.
func commonDirectories(a, b string) int {
	n := 0
	for i := range min(len(a), len(b)) {
		if a[i] != b[i] {
			break
		}
		if a[i] == '/' {
			n++
		}
	}
	return n
}

// attachByAddress makes the index of a page's directory the parent of a page without one.
// A report that was saved without the graph of the site knows only few links.
func (w *webBuilder) attachByAddress() {
	var rest []int32
	for i := range w.pages {
		if w.ring[i] == noIndex {
			rest = append(rest, int32(i))
		}
	}
	slices.SortStableFunc(rest, func(a, b int32) int {
		return cmp.Compare(strings.Count(w.pages[a].URL, "/"), strings.Count(w.pages[b].URL, "/"))
	})
	hub := int32(noIndex)
	if len(w.order) > 0 && w.ring[w.order[0]] == 0 {
		hub = w.order[0]
	}
	for _, i := range rest {
		w.parent[i], w.ring[i] = hub, 1
		for dir := directoryOf(w.pages[i].URL); dir != ""; dir = directoryOf(strings.TrimSuffix(dir, "/")) {
			if up, ok := w.page(dir); ok && up != i && w.ring[up] != noIndex {
				w.parent[i], w.ring[i] = up, w.ring[up]+1
				break
			}
		}
		w.order = append(w.order, i)
	}
	// A page may precede one that is nearer to the hub.
	slices.SortStableFunc(w.order, func(a, b int32) int { return cmp.Compare(w.ring[a], w.ring[b]) })
}

// makeNodes makes nodes of the pages, the hub first.
func (w *webBuilder) makeNodes(hub bool) {
	w.nodeIndex = slices.Repeat([]int32{noIndex}, len(w.pages))
	if hub {
		w.nodes = append(w.nodes, webNode{parent: noIndex})
	}
	met := len(w.order)
	for i := range w.pages {
		if w.ring[i] == noIndex {
			w.order = append(w.order, int32(i))
		}
	}
	w.firstUnreached = -1
	for at, i := range w.order {
		if len(w.nodes) >= maxWebPages {
			w.omitted.pages = len(w.order) - at
			break
		}
		k := webNode{url: w.pages[i].URL, title: w.pages[i].Title, ring: int(w.ring[i]), parent: noIndex,
			in: int(w.in[i]), out: len(w.links[i]), linksIn: int(w.linksIn[i]), linksOut: len(w.pages[i].Links),
			status: w.pages[i].Status, elapsed: w.pages[i].Elapsed, size: w.pages[i].Size}
		switch up := w.parent[i]; {
		case at >= met:
			if w.firstUnreached < 0 {
				w.firstUnreached = len(w.nodes)
			}
			k.ring = w.rings + 1
		case up != noIndex:
			k.parent = int(w.nodeIndex[up])
		case hub:
			k.parent = 0
		}
		if at < met {
			w.rings = max(w.rings, k.ring)
		}
		w.nodeIndex[i] = int32(len(w.nodes))
		w.nodes = append(w.nodes, k)
	}
	if w.firstUnreached < 0 {
		w.firstUnreached = len(w.nodes)
	} else {
		w.rings++
	}
}

// addBroken adds the broken links. Site-wide ones are only counted: they would mark every
// page.
func (w *webBuilder) addBroken() {
	most := max(siteWidePages, len(w.nodes)/10)
	var order []int32 // those on the fewest pages first
	pages := make([]int, len(w.results))
	for i, r := range w.results {
		if r.Kind != result.KindTarget {
			continue
		}
		refs := r.References
		if !isFinding(r.Verdict) {
			refs = referencesWithWarnings(r)
		}
		pages[i] = countPages(refs)
		switch {
		case r.Verdict == check.Broken && pages[i] > most:
			w.siteWide++
		case pages[i] > most:
		case r.Verdict == check.Broken:
			order = append(order, int32(i))
			w.eachReferrer(refs, func(k *webNode) { k.broken++ })
		default:
			w.eachReferrer(refs, func(k *webNode) { k.doubtful++ })
		}
	}
	slices.SortStableFunc(order, func(a, b int32) int { return cmp.Compare(pages[a], pages[b]) })
	ends := make([]int8, len(w.nodes))
	for _, i := range order {
		refs := w.results[i].References
		for k := range pageFirsts(refs) {
			at := w.nodeOf(refs[k].Page)
			switch {
			case refs[k].Page == result.CommandLine: // not a link
			case at == noIndex || ends[at] >= maxBrokenOfPage || len(w.broken) >= maxWebBroken:
				w.omitted.broken++
			default:
				ends[at]++
				w.broken = append(w.broken, webBroken{at, i})
			}
		}
	}
	slices.SortFunc(w.broken, func(a, b webBroken) int { return cmp.Or(cmp.Compare(a.page, b.page), cmp.Compare(a.result, b.result)) })
}

// referencesWithWarnings returns the references that warnings about links concern.
func referencesWithWarnings(r *result.Result) []result.Reference {
	if !slices.ContainsFunc(r.Warnings, aboutLink) {
		return nil
	}
	return slices.DeleteFunc(slices.Clone(r.References), func(ref result.Reference) bool {
		return !slices.ContainsFunc(r.Warnings, func(w check.Warning) bool { return aboutLink(w) && ref.Concerns(w.Code) })
	})
}

// eachReferrer calls fn for the nodes of the pages of references, which are sorted.
func (w *webBuilder) eachReferrer(refs []result.Reference, fn func(*webNode)) {
	for k := range pageFirsts(refs) {
		if at := w.nodeOf(refs[k].Page); at != noIndex {
			fn(&w.nodes[at])
		}
	}
}

// aboutLink reports whether a warning is a finding about a link. It is false for warnings
// about a page, and for information.
func aboutLink(w check.Warning) bool { return !w.IsInfo() && !check.OfPage(w.Code) }

func (w *webBuilder) nodeOf(page string) int32 {
	i, ok := w.index[page]
	if !ok {
		return noIndex
	}
	return w.nodeIndex[i]
}

// addCrossLinks adds the links outside the tree. If there are too many, it omits links to
// the pages that the most pages link to: a link that is on every page says little.
func (w *webBuilder) addCrossLinks() {
	count := make([]int, len(w.pages)+1) // number of links to pages with n referring pages, at index n
	each := func(do func(from, to int32)) {
		for i, links := range w.links {
			from := w.nodeIndex[i]
			for _, to := range links {
				if from == noIndex || w.nodeIndex[to] == noIndex || w.nodes[w.nodeIndex[to]].parent == int(from) {
					continue
				}
				do(int32(i), to)
			}
		}
	}
	total := 0
	each(func(_, to int32) { count[w.in[to]]++; total++ })
	most, kept := 0, 0
	for n := range count {
		if kept+count[n] > maxCrossLinks {
			break
		}
		most, kept = n, kept+count[n]
	}
	room := maxCrossLinks - kept // for some of the links to pages with one more referring page
	each(func(from, to int32) {
		if in := int(w.in[to]); in > most {
			if in != most+1 || room == 0 {
				return
			}
			room--
		}
		w.crossLinks = append(w.crossLinks, webLink{w.nodeIndex[from], w.nodeIndex[to]})
	})
	w.omitted.crossLinks = total - len(w.crossLinks)
	slices.SortFunc(w.crossLinks, func(a, b webLink) int { return cmp.Or(cmp.Compare(a.from, b.from), cmp.Compare(a.to, b.to)) })
}
