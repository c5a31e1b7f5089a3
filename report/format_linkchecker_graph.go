package report

import (
	"bufio"
	"cmp"
	"fmt"
	"io"
	"net/url"
	"path"
	"strconv"
	"strings"

	"github.com/orbweaver/orbweaver/crawler/check"
	"github.com/orbweaver/orbweaver/crawler/result"
)

var (
	linkcheckerGMLFormat  = linkcheckerGraphFormat("gml", "gml", (*linkcheckerGraph).gml)
	linkcheckerDotFormat  = linkcheckerGraphFormat("dot", "dot", (*linkcheckerGraph).dot)
	linkcheckerGXMLFormat = linkcheckerGraphFormat("gxml", "gxml (GraphXML)", (*linkcheckerGraph).gxml, ".gxml")
)

// linkcheckerGraphFormat returns the format of one of LinkChecker's graphs. more are extensions
// that no other format has.
func linkcheckerGraphFormat(kind, called string, write func(*linkcheckerGraph, *bufio.Writer, *result.Summary), more ...string) Format {
	return Format{
		Name:       "linkchecker-" + kind,
		Extensions: append([]string{".linkchecker." + kind}, more...),
		Files:      []string{"linkchecker-out." + kind},
		Use:        "scripts for LinkChecker's " + called,
		References: true,
		Pages:      true,
		New:        func(w io.Writer, o Options) Writer { return &linkcheckerGraph{w: w, graph: newGraph(o), write: write} },
	}
}

// linkcheckerGraph writes the graph of the site in LinkChecker's three graph formats.
// LinkChecker writes only the first link to each valid page; this writer includes all
// links and broken targets.
type linkcheckerGraph struct {
	w     io.Writer
	write func(*linkcheckerGraph, *bufio.Writer, *result.Summary)
	graph
}

func (l *linkcheckerGraph) End(s *result.Summary) error {
	l.build()
	out := bufio.NewWriter(l.w)
	l.write(l, out, s)
	return out.Flush()
}

// comments returns the comments at the beginning and at the end of a LinkChecker report.
func (l *linkcheckerGraph) comments(s *result.Summary) ([]string, string) {
	rows := linkcheckerRows{head: l.head}
	return rows.intro(s), rows.outro(s)
}

// attributes returns the known attributes of a node in LinkChecker's graphs, apart from
// its label and URL.
func (l *linkcheckerGraph) attributes(n *node, whole bool) [][2]string {
	var all [][2]string
	extern := n.depth < 0
	if r := n.result; r != nil {
		extern = !r.Internal
		if r.Size >= 0 {
			all = append(all, [2]string{"size", strconv.FormatInt(r.Size, 10)})
		}
		if seconds := r.Elapsed.Seconds(); seconds > 0 {
			text := strconv.Itoa(int(seconds))
			if whole {
				text = fmt.Sprintf("%f", seconds)
			}
			all = append(all, [2]string{"checktime", text})
		}
	}
	return append(all, [2]string{"extern", zeroOne(extern)})
}

// linkcheckerLabel returns the title of a page, or the last segment of its path, with
// only the characters that LinkChecker keeps in labels.
func linkcheckerLabel(n *node) string {
	label := n.title
	if label == "" {
		label = n.url
		if u, err := url.Parse(n.url); err == nil && len(u.Path) > 1 {
			label = path.Base(u.Path)
			if u.RawQuery != "" {
				label += "?" + u.RawQuery
			}
		}
	}
	return cmp.Or(plainLabel(label), strconv.Itoa(n.id))
}

func plainLabel(s string) string {
	return clip(strings.Join(strings.FieldsFunc(s, func(r rune) bool {
		return !('a' <= r|0x20 && r|0x20 <= 'z' && r < 0x80 || '0' <= r && r <= '9' || strings.ContainsRune(".:?!,'#@()_-", r))
	}), " "), dotLabel*2)
}

func edgeValid(e *edge) string { return zeroOne(e.verdict != check.Broken.String()) }

func (l *linkcheckerGraph) gml(out *bufio.Writer, s *result.Summary) {
	intro, outro := l.comments(s)
	for _, line := range intro {
		fmt.Fprintf(out, "comment %s\n", gmlString(line))
	}
	out.WriteString("\ngraph [\n  directed 1\n")
	for _, n := range l.nodes {
		fmt.Fprintf(out, "  node [\n    id     %d\n    label  %s\n    url  %s\n", n.id, gmlString(linkcheckerLabel(n)), gmlString(n.url))
		for _, f := range l.attributes(n, false) {
			fmt.Fprintf(out, "    %s %s\n", f[0], f[1])
		}
		out.WriteString("  ]\n")
	}
	for _, e := range l.edges {
		fmt.Fprintf(out, "  edge [\n    label  %s\n    source %d\n    target %d\n    valid  %s\n  ]\n", gmlString(plainLabel(e.text)), e.from.id, e.to.id, edgeValid(e))
	}
	fmt.Fprintf(out, "]\ncomment %s\n", gmlString(outro))
}

func (l *linkcheckerGraph) dot(out *bufio.Writer, s *result.Summary) {
	intro, outro := l.comments(s)
	for _, line := range intro {
		fmt.Fprintf(out, "// %s\n", line)
	}
	out.WriteString("\ndigraph G {\n  graph [\n    charset=\"utf-8\",\n  ];\n")
	// Labels identify nodes, so they must differ.
	names := make([]string, len(l.nodes))
	taken := map[string]bool{}
	for i, n := range l.nodes {
		name := linkcheckerLabel(n)
		if taken[name] {
			name += fmt.Sprintf(" [%d]", n.id) // labels contain no brackets
		}
		taken[name] = true
		names[i] = dotString(name)
		fmt.Fprintf(out, "  %s [\n", names[i])
		if isWeb(n.url) && len(n.url) <= dotMost {
			fmt.Fprintf(out, "    href=%s,\n", dotString(n.url))
		}
		for _, f := range l.attributes(n, false) {
			fmt.Fprintf(out, "    %s=%s,\n", f[0], f[1])
		}
		out.WriteString("  ];\n")
	}
	for _, e := range l.edges {
		fmt.Fprintf(out, "  %s -> %s [\n    label=%s,\n    valid=%s,\n  ];\n", names[e.from.id], names[e.to.id], dotString(plainLabel(e.text)), edgeValid(e))
	}
	fmt.Fprintf(out, "}\n// %s\n", outro)
}

func (l *linkcheckerGraph) gxml(out *bufio.Writer, s *result.Summary) {
	intro, outro := l.comments(s)
	x := &xmlEncoder{w: out}
	x.buf = append(x.buf, `<?xml version="1.0" encoding="utf-8"?>`...)
	for _, line := range intro {
		x.comment(line)
	}
	x.newline()
	x.start("GraphXML")
	x.start("graph", "isDirected", "true")
	for _, n := range l.nodes {
		x.start("node", "name", strconv.Itoa(n.id))
		x.leaf("label", linkcheckerLabel(n))
		x.leaf("url", n.url)
		x.start("data")
		for _, f := range l.attributes(n, true) {
			x.leaf(f[0], f[1])
		}
		x.end()
		x.end()
	}
	for _, e := range l.edges {
		x.start("edge", "source", strconv.Itoa(e.from.id), "target", strconv.Itoa(e.to.id))
		x.leaf("label", plainLabel(e.text))
		x.start("data")
		x.leaf("valid", edgeValid(e))
		x.end()
		x.end()
	}
	x.end()
	x.end()
	x.comment(outro)
	x.finish() // Flush of out returns the error
}
