package report

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/orbweaver/orbweaver/crawler/check"
	"github.com/orbweaver/orbweaver/crawler/crawlertest"
	"github.com/orbweaver/orbweaver/crawler/result"
)

// renderPages writes a run with its pages.
func renderPages(t testing.TB, format string, o Options, run *Report, pages []*result.Page) string {
	t.Helper()
	f, err := ByName(format)
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	if err := writePages(newWriter(t, f, &out, o), run, pages); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

func writePages(w PageWriter, run *Report, pages []*result.Page) error {
	head := run.Head
	if err := w.Begin(&head); err != nil {
		return err
	}
	for _, p := range pages {
		if err := w.Page(p); err != nil {
			return err
		}
	}
	for _, r := range run.Results {
		if err := w.Result(r); err != nil {
			return err
		}
	}
	return w.End(&run.Summary)
}

// sitePages are the pages of [fullRun], in an unsorted order.
func sitePages() []*result.Page {
	const base = "https://example.com/"
	return []*result.Page{
		{URL: base + "b", Title: "日本語 \"b\" & <c>", Depth: 1, Links: []result.Edge{
			{URL: base + "later", Text: "later"}, {URL: "tel:+1-201-555-0123", Text: "+1"}, {URL: base, Text: "home"},
			{URL: "javascript:alert(1)", Text: "run"},
		}},
		{URL: base, Title: "Home", Links: []result.Edge{
			{URL: base + "a"}, {URL: base + "a", Text: "the a page"}, {URL: base + "a#top", Text: "top"}, {URL: base + "b", Text: "b"}, {URL: base},
		}},
		{URL: base + "a", Depth: 1, Links: []result.Edge{
			{URL: base + "guide", Text: "guide"}, {URL: base + "guide#setup", Text: "Setup"}, {URL: base + "missing.css"}, {URL: "https://example.org/wall", Text: "again"},
		}},
		{URL: base + "guide", Title: "Guide", Depth: 2},
	}
}

func TestGraphsGolden(t *testing.T) {
	for _, format := range []string{"dot", "gml", "graphml"} {
		golden(t, "site."+format+".golden", []byte(renderPages(t, format, Options{}, fullRun(), sitePages())))
		golden(t, "contract."+format+".golden", []byte(render(t, format, Options{}, contractRun())))
	}
}

// drawn is a graph as read by a program.
type drawn struct {
	Nodes []drawnNode
	Edges []drawnEdge
}

type drawnNode struct {
	URL, Title, Verdict, Code string
	Depth                     int
}

type drawnEdge struct {
	From, To, Text, Verdict string
	Links                   int
}

// readGraph reads a graph with networkx.
func readGraph(t testing.TB, format, document string) drawn {
	t.Helper()
	const script = `
import io, json, sys, networkx
data = sys.stdin.buffer.read()
if sys.argv[1] == "gml":
    g = networkx.parse_gml(data.decode("ascii"))
    url = {n: n for n in g}
    text = "label"
else:
    g = networkx.parse_graphml(data.decode("utf-8"))
    url = {n: g.nodes[n]["url"] if "url" in g.nodes[n] else "" for n in g}
    text = "label"
assert g.is_directed() and not g.is_multigraph()
print(json.dumps({
    "nodes": [{"url": url[n], "title": d.get("title", ""), "verdict": d.get("verdict", ""), "code": d.get("code", ""), "depth": d.get("depth", -1)} for n, d in g.nodes(data=True)],
    "edges": [{"from": url[a], "to": url[b], "text": d.get(text, ""), "verdict": d.get("verdict", ""), "links": d["links"]} for a, b, d in g.edges(data=True)],
}))`
	cmd := exec.Command(crawlertest.Python(t, "networkx"), "-c", script, format)
	cmd.Stdin = strings.NewReader(document)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("networkx: %v: %.2000s", err, stderr.Bytes())
	}
	var g drawn
	if err := json.Unmarshal(out, &g); err != nil {
		t.Fatal(err)
	}
	return g
}

// readDot reads a graph with Graphviz: the labels of nodes by name, and edges by the
// names of their ends.
func readDot(t testing.TB, document string) (labels map[string]string, tooltips []string, edges [][2]string) {
	t.Helper()
	cmd := exec.Command(tool(t, "dot"), "-Tdot_json")
	cmd.Stdin = strings.NewReader(document)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil || stderr.Len() > 0 {
		t.Fatalf("dot: %v: %.2000s", err, stderr.Bytes())
	}
	var g struct {
		Objects []struct{ Name, Label, Tooltip string }
		Edges   []struct {
			Tail, Head int
			Tooltip    string
		}
	}
	if err := json.Unmarshal(out, &g); err != nil {
		t.Fatal(err)
	}
	labels = map[string]string{}
	for _, o := range g.Objects {
		labels[o.Name] = o.Label
		tooltips = append(tooltips, o.Tooltip)
	}
	for _, e := range g.Edges {
		edges = append(edges, [2]string{g.Objects[e.Tail].Name, g.Objects[e.Head].Name})
		tooltips = append(tooltips, e.Tooltip)
	}
	return labels, tooltips, edges
}

func TestGraphsHaveEveryLink(t *testing.T) {
	const base = "https://example.com/"
	wantEdges := []drawnEdge{
		{base, base, "", "", 1}, {base, base + "a", "the a page", "", 3}, {base, base + "b", "b", "", 1},
		{base + "a", base + "guide", "guide", "broken", 2}, {base + "a", base + "missing.css", "", "broken", 1},
		{base + "a", "https://example.org/wall", "again", "unverified", 1},
		{base + "b", base, "home", "", 1}, {base + "b", base + "later", "later", "", 1},
		{base + "b", "javascript:alert(1)", "run", "", 1}, {base + "b", "tel:+1-201-555-0123", "+1", "", 1},
	}
	for _, format := range []string{"gml", "graphml"} {
		g := readGraph(t, format, renderPages(t, format, Options{}, fullRun(), sitePages()))
		if fmt.Sprint(g.Edges) != fmt.Sprint(wantEdges) {
			t.Errorf("%s: got  %v\nwant %v", format, g.Edges, wantEdges)
		}
		nodes := map[string]drawnNode{}
		for _, n := range g.Nodes {
			nodes[n.URL] = n
		}
		for _, want := range []drawnNode{
			{base, "Home", "ok", "", 0},
			{base + "b", "日本語 \"b\" & <c>", "ok", "", 1},
			{base + "guide", "Guide", "ok", "", 2}, // its fragment is broken, but not the page
			{base + "missing.css", "", "broken", "http-404", -1},
			{base + "imprint", "", "broken", "http-410", -1},
			{"https://example.org/wall", "", "unverified", "bot-wall", -1},
			{base + "later", "", "", "", -1},
		} {
			if nodes[want.URL] != want {
				t.Errorf("%s: got %+v, want %+v", format, nodes[want.URL], want)
			}
		}
	}
	labels, _, edges := readDot(t, renderPages(t, "dot", Options{}, fullRun(), sitePages()))
	if len(edges) != len(wantEdges) {
		t.Errorf("dot: %d edges, want %d", len(edges), len(wantEdges))
	}
	if !slices.Contains(slices.Collect(values(labels)), "日本語 \"b\" &amp; <c>") {
		t.Errorf("dot: labels %v", labels)
	}
}

func values(m map[string]string) func(func(string) bool) {
	return func(yield func(string) bool) {
		for _, v := range m {
			if !yield(v) {
				return
			}
		}
	}
}

// A saved report has no pages, so its references give the edges.
func TestGraphsOfSavedReports(t *testing.T) {
	run := contractRun()
	run.Results[0].URL = "docs/a%20b.html#x"
	run.Results[1].References = append(run.Results[1].References,
		result.Reference{Page: "docs/a b.html", Text: "here"}, result.Reference{Page: result.CommandLine})
	want := []drawnEdge{
		{"docs/a b.html", "https://example.com/gone", "here", "broken", 1},
		{"docs/install.html", "docs/a b.html", "Setup", "broken", 1},
		{"docs/install.html", "https://example.com/gone", "Download", "broken", 1},
	}
	for _, format := range []string{"gml", "graphml"} {
		g := readGraph(t, format, render(t, format, Options{}, run))
		if fmt.Sprint(g.Edges) != fmt.Sprint(want) || len(g.Nodes) != 3 {
			t.Errorf("%s: got %v", format, g)
		}
	}
}

// The documents of a directory are nodes with the names of their files, whatever name
// links use.
func TestGraphsResolveOtherNames(t *testing.T) {
	edge := func(url string) result.Edge { return result.Edge{URL: url} }
	pages := []*result.Page{
		{URL: "index.html", Links: []result.Edge{edge("./"), edge("guide/#x"), edge("page"), edge("gone"), edge("other/")}},
		{URL: "guide/index.html", Links: []result.Edge{edge("both/")}},
		{URL: "page.html"}, {URL: "gone.html"}, {URL: "both/"}, {URL: "both/index.html"},
	}
	run := &Report{Results: []*result.Result{{URL: "gone", Verdict: check.Broken, Code: "file-missing"}}}
	g := newGraph(Options{})
	for _, p := range pages {
		g.Page(p)
	}
	for _, r := range run.Results {
		g.Result(r)
	}
	g.build()
	var got []string
	for _, e := range g.edges {
		got = append(got, e.from.url+" -> "+e.to.url)
	}
	want := []string{
		"guide/index.html -> both/", "index.html -> gone", "index.html -> guide/index.html", "index.html -> index.html",
		"index.html -> other/", "index.html -> page.html",
	}
	if !slices.Equal(got, want) {
		t.Errorf("got %q", got)
	}
}

func TestGraphMLMatchesItsSchema(t *testing.T) {
	for name, run := range testRuns() {
		t.Run(name, func(t *testing.T) {
			xmllint(t, renderPages(t, "graphml", Options{Show: ShowAll}, run, sitePages()), schemaFile("graphml.xsd"))
		})
	}
}

func TestGMLIsASCII(t *testing.T) {
	checkASCII(t, renderPages(t, "gml", Options{}, hostileRun(), sitePages()))
}

// A picture links only to http and https URLs.
func TestDotLinksOnlyToTheWeb(t *testing.T) {
	document := renderPages(t, "dot", Options{}, fullRun(), sitePages())
	if strings.Contains(document, `URL="javascript:`) || !strings.Contains(document, `URL="https://example.com/"`) {
		t.Error(document)
	}
	cmd := exec.Command(tool(t, "dot"), "-Tsvg")
	cmd.Stdin = strings.NewReader(document)
	svg, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(string(svg), `href="javascript:`) {
		t.Error("the picture links to a script")
	}
}

// An edge has the most severe verdict of its links.
func TestEdgeVerdicts(t *testing.T) {
	res := func(v check.Verdict) *result.Result { return &result.Result{Verdict: v} }
	for _, test := range []struct {
		links []*result.Result
		want  string
	}{
		{nil, ""},
		{[]*result.Result{nil}, ""},
		{[]*result.Result{nil, res(check.OK), res(check.Skipped)}, "ok"},
		{[]*result.Result{res(check.OK), res(check.Unverified), nil}, "unverified"},
		{[]*result.Result{res(check.Broken), res(check.Unverified)}, "broken"},
		{[]*result.Result{res(check.Unverified), res(check.Broken)}, "broken"},
	} {
		g := newGraph(Options{})
		from := g.node("a")
		for _, r := range test.links {
			g.edge(from, "b", "", r)
		}
		got := ""
		for _, e := range g.edges {
			got = e.verdict
		}
		if got != test.want {
			t.Errorf("%v: got %q, want %q", test.links, got, test.want)
		}
	}
}
