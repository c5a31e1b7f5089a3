package report

import (
	"io"
	"strconv"

	"github.com/orbweaver/orbweaver/crawler/result"
)

var graphmlFormat = Format{
	Name:       "graphml",
	Extensions: []string{".graphml"},
	Use:        "graph programs: yEd, Gephi, Neo4j, networkx",
	References: true,
	Pages:      true,
	New:        func(w io.Writer, o Options) Writer { return &graphmlWriter{xml: xmlEncoder{w: w}, graph: newGraph(o)} },
}

// graphmlWriter writes the graph of the site as GraphML.
type graphmlWriter struct {
	xml xmlEncoder
	graph
}

// graphmlKeys declare the data of nodes and edges.
var graphmlKeys = []struct{ id, of, name, kind string }{
	{"url", "node", "url", "string"},
	{"label", "node", "label", "string"},
	{"title", "node", "title", "string"},
	{"depth", "node", "depth", "int"},
	{"verdict", "node", "verdict", "string"},
	{"code", "node", "code", "string"},
	{"text", "edge", "label", "string"},
	{"links", "edge", "links", "int"},
	{"edge-verdict", "edge", "verdict", "string"},
	{"edge-code", "edge", "code", "string"},
}

func (g *graphmlWriter) End(*result.Summary) error {
	g.build()
	x := &g.xml
	x.declare()
	x.start("graphml", "xmlns", "http://graphml.graphdrawing.org/xmlns",
		"xmlns:xsi", "http://www.w3.org/2001/XMLSchema-instance",
		"xsi:schemaLocation", "http://graphml.graphdrawing.org/xmlns http://graphml.graphdrawing.org/xmlns/1.1/graphml.xsd")
	for _, k := range graphmlKeys {
		x.leaf("key", "", "id", k.id, "for", k.of, "attr.name", k.name, "attr.type", k.kind)
	}
	x.start("graph", "id", "site", "edgedefault", "directed")
	data := func(key, value string) {
		if value != "" {
			x.leaf("data", value, "key", key)
		}
	}
	for _, n := range g.nodes {
		x.start("node", "id", "n"+strconv.Itoa(n.id))
		data("url", n.url)
		data("label", n.label())
		data("title", n.title)
		if n.depth >= 0 {
			data("depth", strconv.Itoa(n.depth))
		}
		data("verdict", n.verdict)
		data("code", string(n.code))
		x.end()
	}
	for i, e := range g.edges {
		x.start("edge", "id", "e"+strconv.Itoa(i), "source", "n"+strconv.Itoa(e.from.id), "target", "n"+strconv.Itoa(e.to.id))
		data("text", e.text)
		data("links", strconv.Itoa(e.links))
		data("edge-verdict", e.verdict)
		data("edge-code", string(e.code))
		x.end()
	}
	return x.finish()
}
