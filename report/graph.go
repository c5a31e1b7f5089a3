package report

import (
	"cmp"
	"slices"
	"strings"

	"github.com/orbweaver/orbweaver/crawler/check"
	"github.com/orbweaver/orbweaver/crawler/result"
)

// graph is the graph of a site for the graph formats. It has a node for each document
// that was read or linked to, and an edge for each pair of documents that are linked. All
// links from one page to another, whatever their fragments are, form one edge, which
// counts them. Without pages, as in a saved report, the references of results give the
// edges.
type graph struct {
	show    Show
	head    *Head
	pages   []*result.Page
	results []*result.Result

	nodes []*node // sorted by URL after build
	edges []*edge // sorted by both ends after build
	byURL map[string]*node
	read  map[string]bool // documents that were read as pages
	bad   map[string]bool // documents that are broken or unverified
}

// node is a document. The URL of a local file is its path.
type node struct {
	id      int
	url     string // unique
	title   string // "" if it was not read or has no title
	depth   int    // links from the start, or -1 if it was not read
	verdict string // "" if the report does not list it
	code    check.Code
	result  *result.Result  // nil if the report does not list it
	from    map[*node]*edge // outgoing edges by target
}

// edge joins two documents.
type edge struct {
	from, to *node
	text     string // text of the first link that has one
	links    int
	verdict  string // the most severe verdict of its links
	code     check.Code
}

// label returns the text that a graph shows for a node.
func (n *node) label() string { return cmp.Or(n.title, n.url) }

func newGraph(o Options) graph {
	return graph{show: o.Show.orDefault(), byURL: map[string]*node{}, read: map[string]bool{}, bad: map[string]bool{}}
}

func (g *graph) Begin(h *Head) error {
	g.head = h
	return nil
}

func (g *graph) Page(p *result.Page) error {
	g.pages = append(g.pages, p)
	return nil
}

func (g *graph) Result(r *result.Result) error {
	if r.Kind != result.KindTarget {
		return nil
	}
	g.results = append(g.results, r)
	return nil
}

// build makes the nodes and edges.
func (g *graph) build() {
	judged := map[string]*result.Result{}
	for _, r := range g.results {
		if g.show&(1<<r.Verdict) != 0 && (judged[r.URL] == nil || r.Verdict != check.Skipped) {
			judged[r.URL] = r
			if isBad(r) {
				g.bad[ownPage(r.URL)] = true
			}
		}
	}
	for _, p := range g.pages {
		g.read[ownPage(p.URL)] = true
	}
	for _, p := range g.pages {
		n := g.node(p.URL)
		n.title, n.depth, n.verdict = p.Title, p.Depth, check.OK.String()
	}
	for _, p := range g.pages {
		from := g.node(p.URL)
		for _, link := range p.Links {
			g.edge(from, link.URL, link.Text, judged[link.URL])
		}
	}
	for _, r := range g.results {
		n := g.node(r.URL)
		shown := judged[r.URL]
		if shown != nil && r.Verdict == check.Skipped {
			shown = r // inline marks exclude these references
		}
		if len(g.pages) == 0 {
			for _, ref := range r.References {
				if ref.Page != result.CommandLine {
					g.edge(g.node(ref.Page), r.URL, ref.Text, shown)
				}
			}
		}
		if judged[r.URL] == r && !ofFragment(r.Code) {
			n.verdict, n.code, n.result = r.Verdict.String(), r.Code, r
		}
	}
	slices.SortFunc(g.nodes, func(a, b *node) int { return cmp.Compare(a.url, b.url) })
	for i, n := range g.nodes {
		n.id = i
	}
	slices.SortFunc(g.edges, func(a, b *edge) int {
		return cmp.Or(cmp.Compare(a.from.id, b.from.id), cmp.Compare(a.to.id, b.to.id))
	})
}

// isBad reports whether a result says that its document is missing or may be missing.
func isBad(r *result.Result) bool {
	return (r.Verdict == check.Broken || r.Verdict == check.Unverified) && !ofFragment(r.Code)
}

// ofFragment reports whether a code is about a fragment and not about the document.
func ofFragment(c check.Code) bool {
	return c == check.CodeFragmentMissing || c == check.CodeFragmentUnverified
}

// document returns the name of the document that a URL leads to. Links to a file in a
// directory may use another name than the file: guide/ is guide/index.html, and guide may
// be guide.html on hosts that omit the extension.
func (g *graph) document(url string) string {
	own := ownPage(url)
	if g.read[own] || g.bad[own] {
		return own
	}
	index := own + "index.html"
	if own == "./" {
		index = "index.html"
	}
	switch {
	case strings.HasSuffix(own, "/") && g.read[index]:
		return index
	case g.read[own+".html"]:
		return own + ".html"
	}
	return own
}

func (g *graph) node(url string) *node {
	url = g.document(url)
	n := g.byURL[url]
	if n == nil {
		n = &node{url: url, depth: -1}
		g.byURL[url] = n
		g.nodes = append(g.nodes, n)
	}
	return n
}

// edge adds a link. r is the result of its target, or nil.
func (g *graph) edge(from *node, target, text string, r *result.Result) {
	to := g.node(target)
	e := from.from[to]
	if e == nil {
		e = &edge{from: from, to: to}
		if from.from == nil {
			from.from = map[*node]*edge{}
		}
		from.from[to] = e
		g.edges = append(g.edges, e)
	}
	e.links++
	e.text = cmp.Or(e.text, text)
	if r != nil && (e.verdict == "" || verdictLevel(r.Verdict) < edgeLevel(e.verdict)) {
		e.verdict, e.code = r.Verdict.String(), r.Code
	}
}

func edgeLevel(verdict string) level {
	v, err := check.ParseVerdict(verdict)
	if err != nil {
		return levels
	}
	return verdictLevel(v)
}
