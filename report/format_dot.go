package report

import (
	"bufio"
	"cmp"
	"fmt"
	"io"

	"github.com/orbweaver/orbweaver/crawler/result"
)

var dotFormat = Format{
	Name:       "dot",
	Extensions: []string{".dot", ".gv"},
	Use:        "Graphviz: the site as a picture",
	References: true,
	Pages:      true,
	New:        func(w io.Writer, o Options) Writer { return &dotWriter{w: w, graph: newGraph(o)} },
}

// dotWriter writes the graph of the site in the language of Graphviz. Labels are
// shortened for the picture; tooltips are not.
type dotWriter struct {
	w io.Writer
	graph
}

const dotBegin = `digraph orbweaver {
  graph [charset="UTF-8", rankdir="LR", tooltip=%s];
  node [shape="box", style="rounded", fontname="sans-serif", fontsize="10"];
  edge [fontname="sans-serif", fontsize="8", color="gray50"];
`

func (d *dotWriter) End(s *result.Summary) error {
	d.build()
	out := bufio.NewWriter(d.w)
	fmt.Fprintf(out, dotBegin, dotString(summaryLine(s)))
	for _, n := range d.nodes {
		fmt.Fprintf(out, "  n%d [label=%s", n.id, dotString(clip(n.label(), dotLabel)))
		if isWeb(n.url) && len(n.url) <= dotMost {
			fmt.Fprintf(out, ", URL=%s", dotString(n.url))
		}
		tip := n.url
		if n.code != "" && n.code != "ok" {
			tip += " (" + string(n.code) + ")"
		}
		fmt.Fprintf(out, ", tooltip=%s%s];\n", dotString(tip), dotStyle(n.verdict, n.depth < 0))
	}
	for _, e := range d.edges {
		fmt.Fprintf(out, "  n%d -> n%d [tooltip=%s", e.from.id, e.to.id, dotString(cmp.Or(e.text, e.to.url)))
		if e.links > 1 {
			fmt.Fprintf(out, `, label="%d"`, e.links)
		}
		fmt.Fprintf(out, "%s];\n", dotStyle(e.verdict, false))
	}
	out.WriteString("}\n")
	return out.Flush()
}

// dotStyle returns the attributes that mark broken and unverified documents, and
// documents that were not read.
func dotStyle(verdict string, outside bool) string {
	switch verdict {
	case "broken":
		return `, class="broken", color="red", fontcolor="red", style="dashed"`
	case "unverified":
		return `, class="unverified", color="orange", style="dashed"`
	}
	if outside {
		return `, class="link", color="gray60", fontcolor="gray40"`
	}
	return ""
}
