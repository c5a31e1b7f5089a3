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
		l := &listing{codes: newCatalog(&d.after), blocks: true, table: &t}
		if show == 0 && part.show&(partUnclear|partStill) != 0 {
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
func (l *listing) addChange(word string, c *change) {
	proposal := ""
	if c.proposal != "" {
		proposal = "-> " + visible(c.proposal)
	}
	found := &result.Result{Kind: c.kind, Rule: c.rule, References: c.references}
	if c.kind == result.KindPage {
		l.addRow(row{word: word, code: string(c.code), hint: joinHints(ofRule(c.rule, visible(c.message)), proposal)}, found)
		return
	}
	hint := joinHints(visible(reason(c.url, c.code, c.message)), didYouMean(c.url, c.suggestions))
	switch {
	case c.was != "":
		hint = joinHints("was "+visible(string(c.was)), hint)
	case word == "fixed":
		hint = ""
	case proposal != "":
		hint = proposal
	}
	l.addRow(row{word: word, code: string(c.code), url: c.url, hint: hint}, found)
}

// Parts is a set of parts of a comparison. The zero value means all of them, with what has not
// changed in brief.
type Parts uint8

// The parts of a comparison.
const (
	partNew Parts = 1 << iota
	partFixed
	partUnclear
	partStill

	allParts = partNew | partFixed | partUnclear | partStill
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
	changes          []change
}

// parts returns the parts of a comparison in the order in which they are listed.
func (d Diff) parts() []diffPart {
	return []diffPart{
		{partNew, "new", "new", "new", d.new},
		{partNew, "new_warnings", "new", "new warning", d.newWarnings},
		{partFixed, "fixed", "fixed", "fixed", d.fixed},
		{partFixed, "fixed_warnings", "fixed", "fixed warning", d.fixedWarnings},
		{partUnclear, "unclear", "unclear", "unclear", d.unclear},
		{partStill, "still_broken", "still", "still broken", d.still},
		{partStill, "still_warnings", "still", "unchanged warning", d.stillWarnings},
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
func folded(changes []change) []change {
	type target struct {
		url       string
		code, was check.Code
		rule      string
	}
	var out []change
	at := map[target]int{}
	for _, c := range changes {
		key := target{c.url, c.code, c.was, c.rule}
		i, ok := at[key]
		if !ok {
			at[key] = len(out)
			out = append(out, c)
			continue
		}
		// The slices of a Change have no spare capacity: the first append copies them.
		out[i].references = append(out[i].references, c.references...)
	}
	slices.SortStableFunc(out, func(a, b change) int { return cmp.Compare(a.url, b.url) })
	return out
}
