package report

import (
	"bufio"
	"fmt"
	"io"

	"github.com/orbweaver/orbweaver/crawler/result"
)

var gmlFormat = Format{
	Name:       "gml",
	Extensions: []string{".gml"},
	Use:        "graph programs: Gephi, Cytoscape, igraph, networkx",
	References: true,
	Pages:      true,
	New:        func(w io.Writer, o Options) Writer { return &gmlWriter{w: w, graph: newGraph(o)} },
}

// gmlWriter writes the graph of the site in the Graph Modelling Language: 7-bit ASCII,
// with all other characters as character references. The label of a node is its URL,
// since readers expect unique labels.
type gmlWriter struct {
	w io.Writer
	graph
}

func (g *gmlWriter) End(*result.Summary) error {
	g.build()
	out := bufio.NewWriter(g.w)
	fmt.Fprintf(out, "Creator %s\nVersion 1\ngraph [\n  directed 1\n", gmlString(g.head.Tool.Name+" "+g.head.Tool.Version))
	field := func(name, value string) {
		if value != "" {
			fmt.Fprintf(out, "    %s %s\n", name, gmlString(value))
		}
	}
	for _, n := range g.nodes {
		fmt.Fprintf(out, "  node [\n    id %d\n    label %s\n", n.id, gmlString(n.url))
		field("title", n.title)
		if n.depth >= 0 {
			fmt.Fprintf(out, "    depth %d\n", n.depth)
		}
		field("verdict", n.verdict)
		field("code", string(n.code))
		out.WriteString("  ]\n")
	}
	for _, e := range g.edges {
		fmt.Fprintf(out, "  edge [\n    source %d\n    target %d\n", e.from.id, e.to.id)
		field("label", e.text)
		fmt.Fprintf(out, "    links %d\n", e.links)
		field("verdict", e.verdict)
		field("code", string(e.code))
		out.WriteString("  ]\n")
	}
	out.WriteString("]\n")
	return out.Flush()
}
