package report

import (
	"cmp"
	"slices"
	"strings"

	"github.com/orbweaver/orbweaver/crawler"
	"github.com/orbweaver/orbweaver/crawler/check"
)

// Limits of what is drawn of a site. What is left out is counted.
const (
	maxWebPages   = 25_000
	maxWebThreads = 300_000 // links beside those of the tree
	maxTorn       = 8_000   // broken links
	maxTornOfPage = 12
)

// none is the parent of a page that has none.
const none = -1

// web is a site as an orb web: pages are knots on rings, the ring is how many
// links a reader follows from the start, the threads are links. Every page hangs on
// one page of the ring before, so that the threads from the hub outward are a tree;
// all others run across. It is the same for every run over the same site.
type web struct {
	knots   []knot   // as they are met from the hub outward, loose ones last
	threads []thread // across, by from and to
	torn    []tear
	rings   int // the outermost
	loose   int // first of those that no link from the start reaches; len(knots) when there is none
	drawn   bool
	wide    int // broken targets of the site's frame: on so many pages that they would cover the picture
	left    struct{ pages, threads, torn int }
}

// knot is a page, or the hub of a web that has several starts, which has no URL.
type knot struct {
	url, title string
	ring       int
	parent     int // of the tree; none for the hub and what is loose
	angle      int // of a full turn of fullTurn
	radius     int // in hundredths of a knot's room
	in, out    int // pages that link here, pages linked to
	broken     int // broken targets on the page, those of the site's frame left out
	doubtful   int // unverified ones, and those with warnings, likewise
}

// thread is a link of one page to another.
type thread struct{ from, to int32 }

// tear is a link of a page to a broken target.
type tear struct {
	page   int32
	result int32 // index in the report's results
}

// weaver makes a web.
type weaver struct {
	web
	pages   []*crawler.Page
	results []*crawler.Result
	index   map[string]int32 // name, as references have it, to page
	alias   map[string]string
	links   [][]int32 // of each page to others, in the order they stand, each once
	in      []int32
	way     []int32 // pages in the order they are met
	ring    []int32 // of each page; none while it was not met
	parent  []int32
	place   []int32 // of each page among the knots; none where it is left out
}

// weave draws a site of pages, which are sorted by URL, and of results. Without
// pages it draws what the results' references tell.
func weave(head *Head, pages []*crawler.Page, results []*crawler.Result) *web {
	w := &weaver{results: results}
	w.drawn = len(pages) > 0
	if w.drawn {
		w.pages = byName(pages)
	} else {
		w.pages = pagesOf(results)
	}
	w.indexPages()
	w.aliases()
	w.link()
	starts := w.starts(head)
	w.meet(starts)
	if !w.drawn {
		w.meetByAddress()
	}
	w.tie(len(starts) != 1)
	w.tear()
	w.cross()
	w.layOut()
	return &w.web
}

// byName are pages, each once, under the names that references have for them: that of a
// file is its path, and its URL has blanks and letters beyond ASCII encoded.
func byName(pages []*crawler.Page) []*crawler.Page {
	all := slices.CompactFunc(slices.Clone(pages), func(a, b *crawler.Page) bool { return a.URL == b.URL })
	for i, p := range all {
		if name := ownPage(p.URL); name != p.URL {
			renamed := *p
			renamed.URL = name
			all[i] = &renamed
		}
	}
	return all
}

// pagesOf makes pages of the places that results name, and of the internal
// documents among the results.
func pagesOf(results []*crawler.Result) []*crawler.Page {
	byURL := map[string]*crawler.Page{}
	page := func(url string) *crawler.Page {
		p := byURL[url]
		if p == nil {
			p = &crawler.Page{URL: url}
			byURL[url] = p
		}
		return p
	}
	for _, r := range results {
		if r.Verdict == check.OK && r.Internal && len(r.Redirects) == 0 && (r.ContentType == "text/html" || r.ContentType == "application/xhtml+xml") {
			page(ownPage(r.URL))
		}
		for i := range r.References {
			if ref := &r.References[i]; ref.Page != crawler.CommandLine {
				p := page(ref.Page)
				p.Links = append(p.Links, crawler.Edge{URL: r.URL})
			}
		}
	}
	pages := make([]*crawler.Page, 0, len(byURL))
	for _, p := range byURL {
		pages = append(pages, p)
	}
	slices.SortFunc(pages, func(a, b *crawler.Page) int { return cmp.Compare(a.URL, b.URL) })
	return pages
}

func (w *weaver) indexPages() {
	w.index = make(map[string]int32, len(w.pages))
	for i, p := range w.pages {
		w.index[p.URL] = int32(i)
	}
}

// aliases are the ends of redirects, as far as results tell of them.
func (w *weaver) aliases() {
	w.alias = map[string]string{}
	for _, r := range w.results {
		if len(r.Redirects) > 0 && r.FinalURL != "" {
			w.alias[ownPage(r.URL)] = ownPage(r.FinalURL)
		}
	}
}

// indexNames are what a directory's address may stand for.
var indexNames = []string{"index.html", "index.htm", "index.xhtml", "README.md", "readme.md", "index.md"}

// page finds the page that a link leads to.
func (w *weaver) page(url string) (int32, bool) {
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

// link finds out which page links to which.
func (w *weaver) link() {
	w.links = make([][]int32, len(w.pages))
	w.in = make([]int32, len(w.pages))
	last := make([]int32, len(w.pages)) // the page that linked here last, from 1
	for i, p := range w.pages {
		from := int32(i)
		for k := range p.Links {
			to, ok := w.page(p.Links[k].URL)
			if !ok || to == from || last[to] == from+1 {
				continue
			}
			last[to] = from + 1
			w.in[to]++
			w.links[i] = append(w.links[i], to)
		}
	}
}

// starts are the pages a reader begins at.
func (w *weaver) starts(head *Head) []int32 {
	var starts []int32
	for _, r := range w.results {
		if slices.ContainsFunc(r.References, func(ref crawler.Reference) bool { return ref.Page == crawler.CommandLine }) {
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
		if fronts := w.fronts(head); len(fronts) > 0 {
			starts = fronts
		}
	}
	slices.Sort(starts)
	return slices.Compact(starts)
}

// fronts are the front pages of the directories that were named: in a directory
// every document is read at once, but a reader begins at its index.
func (w *weaver) fronts(head *Head) []int32 {
	var fronts []int32
	for _, target := range head.Targets {
		target = strings.TrimPrefix(target, "./")
		if i, ok := w.page(target); ok {
			fronts = append(fronts, i)
		} else if i, ok := w.page(strings.TrimSuffix(target, "/") + "/"); ok {
			fronts = append(fronts, i)
		} else if i := w.shallowest(target); i != none {
			fronts = append(fronts, i)
		}
	}
	if len(fronts) == 0 {
		if i := w.shallowest(""); i != none {
			fronts = append(fronts, i)
		}
	}
	return fronts
}

// shallowest is the index that lies highest among the pages below a directory.
func (w *weaver) shallowest(dir string) int32 {
	if dir == "." {
		dir = ""
	}
	if dir != "" {
		dir = strings.TrimSuffix(dir, "/") + "/"
	}
	best, least := int32(none), 0
	for i, p := range w.pages {
		at := strings.LastIndexByte(p.URL, '/') + 1
		if !strings.HasPrefix(p.URL, dir) || p.URL[at:] != "" && !slices.Contains(indexNames, p.URL[at:]) {
			continue
		}
		if depth := strings.Count(p.URL, "/"); best == none || depth < least {
			best, least = int32(i), depth
		}
	}
	return best
}

// meet goes from the starts outward, ring by ring, and hangs every page on one of
// those of the ring before that link to it: on the one whose address is nearest, or
// else the one that was met first.
func (w *weaver) meet(starts []int32) {
	w.ring = slices.Repeat([]int32{none}, len(w.pages))
	w.parent = slices.Repeat([]int32{none}, len(w.pages))
	first := int32(0)
	if len(starts) != 1 {
		first = 1 // around a hub
	}
	for _, i := range starts {
		w.ring[i] = first
		w.way = append(w.way, i)
	}
	near := make([]int32, len(w.pages))
	for at := 0; at < len(w.way); at++ {
		from := w.way[at]
		for _, to := range w.links[from] {
			switch {
			case w.ring[to] == none:
				w.ring[to] = w.ring[from] + 1
				w.way = append(w.way, to)
			case w.ring[to] != w.ring[from]+1:
				continue
			}
			if n := int32(nearness(w.pages[from].URL, w.pages[to].URL)) + 1; n > near[to] {
				near[to], w.parent[to] = n, from
			}
		}
	}
}

// nearness is how long a way two addresses have in common, in directories.
func nearness(a, b string) int {
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

// meetByAddress hangs the pages that were not met on the index of the directory
// that they lie in, where there is one, for a report that was saved without the
// site's graph knows of few links.
func (w *weaver) meetByAddress() {
	var rest []int32
	for i := range w.pages {
		if w.ring[i] == none {
			rest = append(rest, int32(i))
		}
	}
	slices.SortStableFunc(rest, func(a, b int32) int {
		return cmp.Compare(strings.Count(w.pages[a].URL, "/"), strings.Count(w.pages[b].URL, "/"))
	})
	hub := int32(none)
	if len(w.way) > 0 && w.ring[w.way[0]] == 0 {
		hub = w.way[0]
	}
	for _, i := range rest {
		w.parent[i], w.ring[i] = hub, 1
		for dir := directory(w.pages[i].URL); dir != ""; dir = directory(strings.TrimSuffix(dir, "/")) {
			if up, ok := w.page(dir); ok && up != i && w.ring[up] != none {
				w.parent[i], w.ring[i] = up, w.ring[up]+1
				break
			}
		}
		w.way = append(w.way, i)
	}
	// A page may have come before one that is nearer to the hub.
	slices.SortStableFunc(w.way, func(a, b int32) int { return cmp.Compare(w.ring[a], w.ring[b]) })
}

// directory is a URL up to its last slash.
func directory(url string) string { return url[:strings.LastIndexByte(url, '/')+1] }

// tie makes knots of the pages, the hub first.
func (w *weaver) tie(hub bool) {
	w.place = slices.Repeat([]int32{none}, len(w.pages))
	if hub {
		w.knots = append(w.knots, knot{parent: none})
	}
	met := len(w.way)
	for i := range w.pages {
		if w.ring[i] == none {
			w.way = append(w.way, int32(i))
		}
	}
	w.loose = -1
	for at, i := range w.way {
		if len(w.knots) >= maxWebPages {
			w.left.pages = len(w.way) - at
			break
		}
		k := knot{url: w.pages[i].URL, title: w.pages[i].Title, ring: int(w.ring[i]), parent: none,
			in: int(w.in[i]), out: len(w.links[i])}
		switch up := w.parent[i]; {
		case at >= met:
			if w.loose < 0 {
				w.loose = len(w.knots)
			}
			k.ring = w.rings + 1
		case up != none:
			k.parent = int(w.place[up])
		case hub:
			k.parent = 0
		}
		if at < met {
			w.rings = max(w.rings, k.ring)
		}
		w.place[i] = int32(len(w.knots))
		w.knots = append(w.knots, k)
	}
	if w.loose < 0 {
		w.loose = len(w.knots)
	} else {
		w.rings++
	}
}

// tear finds the broken links. Those of the site's frame are counted and not
// drawn: with them every page would be torn.
func (w *weaver) tear() {
	most := max(siteWide, len(w.knots)/10)
	var order []int32 // those on the fewest pages first
	pages := make([]int, len(w.results))
	for i, r := range w.results {
		pages[i] = countPages(r.References)
		switch {
		case r.Verdict == check.Broken && pages[i] > most:
			w.wide++
		case pages[i] > most:
		case r.Verdict == check.Broken:
			order = append(order, int32(i))
			w.count(r, func(k *knot) { k.broken++ })
		case r.Verdict == check.Unverified || slices.ContainsFunc(r.Warnings, aboutLink):
			w.count(r, func(k *knot) { k.doubtful++ })
		}
	}
	slices.SortStableFunc(order, func(a, b int32) int { return cmp.Compare(pages[a], pages[b]) })
	ends := make([]int8, len(w.knots))
	for _, i := range order {
		refs := w.results[i].References
		for k := range pageFirsts(refs) {
			at := w.knotOf(refs[k].Page)
			switch {
			case refs[k].Page == crawler.CommandLine: // it is no link
			case at == none || ends[at] >= maxTornOfPage || len(w.torn) >= maxTorn:
				w.left.torn++
			default:
				ends[at]++
				w.torn = append(w.torn, tear{at, i})
			}
		}
	}
	slices.SortFunc(w.torn, func(a, b tear) int { return cmp.Or(cmp.Compare(a.page, b.page), cmp.Compare(a.result, b.result)) })
}

// count tells the knots of the pages that refer to a result.
func (w *weaver) count(r *crawler.Result, tell func(*knot)) {
	for k := range pageFirsts(r.References) {
		if at := w.knotOf(r.References[k].Page); at != none {
			tell(&w.knots[at])
		}
	}
}

// aboutLink tells warnings of a link from those of a page, and from what is information only.
func aboutLink(w check.Warning) bool { return !isInfo(w.Code) && !check.OfPage(w.Code) }

func (w *weaver) knotOf(page string) int32 {
	i, ok := w.index[page]
	if !ok {
		return none
	}
	return w.place[i]
}

// cross gathers the links beside the tree. Where there are too many, those to the
// pages that fewest link to are kept: a link that is on every page tells nothing.
func (w *weaver) cross() {
	count := make([]int, len(w.pages)+1) // links to pages by how many link there
	each := func(do func(from, to int32)) {
		for i, links := range w.links {
			from := w.place[i]
			for _, to := range links {
				if from == none || w.place[to] == none || w.knots[w.place[to]].parent == int(from) {
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
		if kept+count[n] > maxWebThreads {
			break
		}
		most, kept = n, kept+count[n]
	}
	room := maxWebThreads - kept // for some of those one step above
	each(func(from, to int32) {
		if in := int(w.in[to]); in > most {
			if in != most+1 || room == 0 {
				return
			}
			room--
		}
		w.threads = append(w.threads, thread{w.place[from], w.place[to]})
	})
	w.left.threads = total - len(w.threads)
	slices.SortFunc(w.threads, func(a, b thread) int { return cmp.Or(cmp.Compare(a.from, b.from), cmp.Compare(a.to, b.to)) })
}
