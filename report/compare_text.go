package report

import (
	"bufio"
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/orbweaver/orbweaver/crawler/check"
	"github.com/orbweaver/orbweaver/crawler/result"
)

// maxUnasked is how many rows a comparison for people lists of what has not changed, and of
// what could not be verified, unless these were asked for.
const maxUnasked = 10

// WriteText writes a comparison for people in the columns of a text report: what is new and
// fixed, what is unclear, what is still there, and a summary line. show has the parts to list; of
// the parts other than new and fixed, 0 lists the beginning.
func (d Diff) WriteText(w io.Writer, show Parts, o Options) error {
	t := table{color: o.Color, width: o.Width}
	var listings []*listing
	for _, part := range d.parts() {
		if show.orAll()&part.show == 0 {
			continue
		}
		l := &listing{codes: newCatalog(&d.After), blocks: true, table: &t}
		if show == 0 && part.show&(PartUnclear|PartStill) != 0 {
			l.most, l.rest = maxUnasked, func(n int) string { return part.noun(n) + " (--show " + part.word + ")" }
		}
		for _, c := range folded(part.changes) {
			l.addChange(part.word, &c)
		}
		if err := l.fit(); err != nil {
			return err
		}
		listings = append(listings, l)
	}
	t.shrink()
	out := bufio.NewWriter(w)
	for _, l := range listings {
		wrote, err := l.write(out)
		if err != nil {
			return err
		}
		if wrote {
			out.WriteByte('\n')
		}
	}
	t.writeLine(out, separated(d.summaryLine()))
	return out.Flush()
}

// addChange adds what changed at all its places.
func (l *listing) addChange(word string, c *Change) {
	proposal := ""
	if c.Proposal != "" {
		proposal = "-> " + visible(c.Proposal)
	}
	found := &result.Result{Kind: c.Kind, Rule: c.Rule, References: c.References}
	if c.Kind == result.KindPage {
		l.addRow(row{word: word, code: string(c.Code), hint: joinHints(ofRule(c.Rule, visible(c.Message)), proposal)}, found)
		return
	}
	hint := joinHints(visible(reason(c.URL, c.Code, c.Message)), didYouMean(c.URL, c.Suggestions))
	switch {
	case c.Was != "":
		hint = joinHints("was "+visible(string(c.Was)), hint)
	case word == "fixed":
		hint = ""
	case proposal != "":
		hint = proposal
	}
	l.addRow(row{word: word, code: string(c.Code), url: c.URL, hint: hint}, found)
}

// Parts is a set of parts of a comparison. The zero value means all of them, with what has not
// changed in brief.
type Parts uint8

// The parts of a comparison.
const (
	PartNew Parts = 1 << iota
	PartFixed
	PartUnclear
	PartStill

	allParts = PartNew | PartFixed | PartUnclear | PartStill
)

func (p Parts) orAll() Parts {
	if p == 0 {
		return allParts
	}
	return p
}

// ParseParts parses a comma-separated list of parts; "all" means all of them, in full.
func ParseParts(s string) (Parts, error) {
	words := []string{"new", "fixed", "unclear", "still", "all"}
	var parts Parts
	for word := range strings.SplitSeq(strings.ToLower(s), ",") {
		switch i := slices.Index(words, strings.TrimSpace(word)); i {
		case -1:
			return 0, fmt.Errorf("unknown part %q: %s", word, allowedValues(word, words))
		case len(words) - 1:
			parts = allParts
		default:
			parts |= 1 << i
		}
	}
	return parts, nil
}

type diffPart struct {
	show             Parts
	key, word, count string
	changes          []Change
}

// parts returns the parts of a comparison in the order in which they are listed.
func (d Diff) parts() []diffPart {
	return []diffPart{
		{PartNew, "new", "new", "new", d.New},
		{PartNew, "new_warnings", "new", "new warning", d.NewWarnings},
		{PartFixed, "fixed", "fixed", "fixed", d.Fixed},
		{PartFixed, "fixed_warnings", "fixed", "fixed warning", d.FixedWarnings},
		{PartUnclear, "unclear", "unclear", "unclear", d.Unclear},
		{PartStill, "still_broken", "still", "still broken", d.Still},
		{PartStill, "still_warnings", "still", "unchanged warning", d.StillWarnings},
	}
}

// noun says what n changes of a part are.
func (p diffPart) noun(n int) string {
	if n != 1 && strings.HasSuffix(p.count, "warning") {
		return p.count + "s"
	}
	return p.count
}

func (d Diff) summaryLine() string {
	var counts []string
	for _, part := range d.parts() {
		if n := len(part.changes); n > 0 {
			counts = append(counts, fmt.Sprintf("%d %s", n, part.noun(n)))
		}
	}
	if len(counts) == 0 {
		return "no broken links before or now"
	}
	return strings.Join(counts, ", ")
}

// folded joins the same change on several pages, so that a link that is new on every page
// is listed once, in the order of URLs.
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
	slices.SortStableFunc(out, func(a, b Change) int { return cmp.Compare(a.URL, b.URL) })
	return out
}
