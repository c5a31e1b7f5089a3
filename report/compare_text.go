package report

import (
	"bufio"
	"fmt"
	"io"
	"strings"

	"github.com/orbweaver/orbweaver/crawler/check"
	"github.com/orbweaver/orbweaver/crawler/result"
)

// WriteText writes a comparison for people in the columns of a text report: new, fixed,
// unclear and still broken links, and a summary line.
func (d Diff) WriteText(w io.Writer, o Options) error {
	t := table{color: o.Color, width: o.Width}
	var listings []*listing
	for _, part := range d.parts() {
		l := &listing{codes: newCatalog(&d.After)}
		for _, c := range folded(part.changes) {
			if c.Kind == result.KindPage {
				l.addCheck(row{word: part.word, code: string(c.Code), hint: ofRule(c.Rule, visible(c.Message))}, c.Rule, c.References)
				continue
			}
			hint := joinHints(visible(reason(c.URL, c.Code, c.Message)), didYouMean(c.URL, c.Suggestions))
			switch {
			case c.Was != "":
				hint = joinHints("was "+visible(string(c.Was)), hint)
			case part.word == "fixed":
				hint = ""
			}
			l.add(row{word: part.word, code: string(c.Code), url: c.URL, hint: hint}, atSourcePlaces(c.References))
		}
		l.fit(&t)
		listings = append(listings, l)
	}
	t.shrink()
	out := bufio.NewWriter(w)
	for _, l := range listings {
		if l.write(out, &t) {
			out.WriteByte('\n')
		}
	}
	out.WriteString(d.summaryLine() + "\n")
	return out.Flush()
}

type diffPart struct {
	key, word, count string
	changes          []Change
}

// parts returns the parts of a comparison in the order in which they are listed.
func (d Diff) parts() []diffPart {
	return []diffPart{
		{"new", "new", "new", d.New},
		{"fixed", "fixed", "fixed", d.Fixed},
		{"unclear", "unclear", "unclear", d.Unclear},
		{"still_broken", "still", "still broken", d.Still},
	}
}

func (d Diff) summaryLine() string {
	var counts []string
	for _, part := range d.parts() {
		if n := len(part.changes); n > 0 {
			counts = append(counts, fmt.Sprintf("%d %s", n, part.count))
		}
	}
	if len(counts) == 0 {
		return "no broken links before or now"
	}
	return strings.Join(counts, ", ")
}

// folded joins the same change on several pages, so that a link that is new on every page
// is listed once.
func folded(changes []Change) []Change {
	type target struct {
		url       string
		code, was check.Code
		rule      string
	}
	var out []Change
	at := map[target]int{}
	for _, c := range changes {
		key := target{c.URL, c.Code, c.Was, c.Rule}
		i, ok := at[key]
		if !ok {
			at[key] = len(out)
			out = append(out, c)
			continue
		}
		// The slices of a Change have no spare capacity: the first append copies them.
		out[i].References = append(out[i].References, c.References...)
	}
	return out
}
