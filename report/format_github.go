package report

import (
	"bufio"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/orbweaver/orbweaver/crawler/check"
	"github.com/orbweaver/orbweaver/crawler/result"
)

var githubFormat = Format{
	Name:    "github",
	Use:     "annotations in a GitHub Actions log; `--ci` writes them automatically",
	NewOnly: true,
	New: func(w io.Writer, o Options) Writer {
		return &githubWriter{w: w, show: o.Show.orDefault(), prefix: o.Prefix}
	},
}

// maxAnnotations is the number of annotations that GitHub shows for each level in a step.
// The last one counts the rest.
const maxAnnotations = 10

// githubWriter writes workflow commands, which GitHub shows at the lines of files. A
// finding is one annotation, at its first place, so that a link in the footer of every
// page leaves room for others. The room is divided among the codes, so that a thousand
// findings with one code leave room for others. Annotations of a level are in the order of
// their places.
type githubWriter struct {
	w      io.Writer
	show   Show
	prefix string
	codes  catalog
	found  [levels]map[check.Code][]*finding
	counts [levels]int
}

var githubCommands = [levels]string{levelError: "error", levelWarning: "warning", levelNote: "notice"}

func (g *githubWriter) Begin(h *Head) error {
	g.codes = newCatalog(h)
	return nil
}

func (g *githubWriter) Result(r *result.Result) error {
	findings := findingsOf(g.show, r)
	for i := range findings {
		f := &findings[i]
		if !f.isProblem() {
			continue
		}
		g.counts[f.level]++
		if g.found[f.level] == nil {
			g.found[f.level] = map[check.Code][]*finding{}
		}
		if of := g.found[f.level]; len(of[f.code]) < maxAnnotations {
			of[f.code] = append(of[f.code], f)
		}
	}
	return nil
}

func (g *githubWriter) End(*result.Summary) error {
	out := bufio.NewWriter(g.w)
	for level, all := range g.counts {
		most := maxAnnotations
		if all > most {
			most-- // the last annotation counts the rest
		}
		var chosen occurrences
		for _, f := range spreadOverCodes(g.found[level], most) {
			chosen = append(chosen, occurrence{f, f.places()[0]})
		}
		chosen.byPage()
		for _, o := range chosen {
			g.annotate(out, o)
		}
		if more := all - len(chosen); more > 0 {
			fmt.Fprintf(out, "::%s title=more findings::%d more findings have no annotation, since GitHub shows only %d of each level. The report lists all of them.\n",
				githubCommands[level], more, maxAnnotations)
		}
	}
	return out.Flush()
}

// spreadOverCodes chooses up to most findings: the first of each code before the second
// of any code.
func spreadOverCodes(found map[check.Code][]*finding, most int) []*finding {
	var chosen []*finding
	for i := 0; ; i++ {
		before := len(chosen)
		for _, code := range slices.Sorted(maps.Keys(found)) {
			if i < len(found[code]) && len(chosen) < most {
				chosen = append(chosen, found[code][i])
			}
		}
		if len(chosen) == before {
			return chosen
		}
	}
}

// annotate writes the annotation of a finding at its first place.
func (g *githubWriter) annotate(out *bufio.Writer, o occurrence) {
	f, first := o.finding, o.place
	message, short := visible(o.sentence()), f.sentence()
	if f.aboutPage() {
		short = f.onPage()
		message = visible(short)
	}
	fmt.Fprintf(out, "::%s ", githubCommands[f.level])
	if file, _ := f.artifact(first); file != "" {
		fmt.Fprintf(out, "file=%s,", githubProperty(inRepository(g.prefix, file)))
		if first.line > 0 {
			line, column, endLine, endColumn := o.region()
			fmt.Fprintf(out, "line=%d,", line)
			if endLine == line {
				fmt.Fprintf(out, "col=%d,endColumn=%d,", column, endColumn)
			}
		}
	} else if at := visible(first.String()) + ": "; !strings.HasPrefix(message, at) {
		message = at + visible(short)
	}
	if more := len(f.places()) - 1; more > 0 {
		message += " (and at " + plural(more, "more place") + ")"
	}
	fmt.Fprintf(out, "title=%s::%s\n", githubProperty(g.codes.title(f.code)+" ("+string(f.code)+")"), githubData(message))
}

// githubData and githubProperty escape the message and the properties of a workflow
// command for GitHub's runner.
func githubData(s string) string { return githubDataEscapes.Replace(s) }

func githubProperty(s string) string { return githubPropertyEscapes.Replace(visible(s)) }

var (
	githubDataEscapes     = strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A")
	githubPropertyEscapes = strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A", ":", "%3A", ",", "%2C")
)
