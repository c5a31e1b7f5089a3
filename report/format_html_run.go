package report

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/orbweaver/orbweaver/crawler/check"
)

// maxFixedListed is how many fixed findings a report lists.
const maxFixedListed = 200

// htmlAgainst compares a run with its baseline.
type htmlAgainst struct {
	With   string // what it is compared with
	Counts string
	Fixed  []htmlFixed

	more int // number of fixed findings that Fixed omits
}

// addFixed adds a finding that the run did not find.
func (a *htmlAgainst) addFixed(target string, code check.Code, page string) {
	if len(a.Fixed) == maxFixedListed {
		a.more++
		return
	}
	f := htmlFixed{Target: linkTo(target), Code: visible(string(code))}
	if page != "" {
		f.Page = linkTo(page)
	}
	a.Fixed = append(a.Fixed, f)
}

// More returns the number of fixed findings that Fixed omits, empty for none.
func (a *htmlAgainst) More() string {
	if a.more == 0 {
		return ""
	}
	return thousands(a.more)
}

// htmlFixed is a finding of the baseline that the run did not find.
type htmlFixed struct {
	Page, Target htmlLink
	Code         string
}

// htmlUnlisted are the targets with a verdict that the report does not list.
type htmlUnlisted struct {
	Name, Count string
	Codes       []htmlCode
}

// addRun adds how the run was started, what it is compared with, and what is not listed.
func (d *htmlDocument) addRun(p *htmlPage) {
	p.Against = d.against()
	p.Unlisted = d.unlisted()
	words := make([]string, len(d.head.Command))
	for i, word := range d.head.Command {
		words[i] = quotedWord(visible(word))
	}
	p.Command = strings.Join(words, " ")
	for _, s := range d.head.Settings {
		p.Settings = append(p.Settings, Setting{visible(s.Name), visible(s.Value)})
	}
}

// quotedWord quotes a word for a shell if it has a character with a meaning.
func quotedWord(s string) string {
	plain := func(r rune) bool {
		return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r > 127 || strings.ContainsRune("-_./:=@%+,", r)
	}
	if s != "" && strings.IndexFunc(s, func(r rune) bool { return !plain(r) }) < 0 {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}

// against compares the run with its baseline, if it has one.
func (d *htmlDocument) against() *htmlAgainst {
	if d.head.compared != nil {
		return againstEarlier(d.head.compared)
	}
	b := d.head.Baseline
	if b == nil {
		return nil
	}
	s, known := d.summary, b.known
	a := &htmlAgainst{With: "the baseline"}
	var counts []string
	for _, c := range []struct {
		name       string
		all, known int
	}{{"broken", s.Broken, known.Broken}, {"unverified", s.Unverified, known.Unverified}, {"warning", s.Warnings, known.Warnings}} {
		if c.all > 0 {
			counts = append(counts, fmt.Sprintf("%s: %s new, %s known", c.name, thousands(max(0, c.all-c.known)), thousands(c.known)))
		}
	}
	gone := b.goneFindings(s)
	if !s.Soundness.Complete() {
		gone = nil // it may not have been looked at
	}
	a.Counts = strings.Join(append(counts, grouped(plural(len(gone), "finding"))+" fixed or removed"), " · ")
	for _, key := range gone {
		a.addFixed(key.url, key.code, key.page)
	}
	return a
}

func againstEarlier(d *Diff) *htmlAgainst {
	a := &htmlAgainst{With: "the earlier run", Counts: grouped(d.summaryLine())}
	for _, c := range slices.Concat(d.fixed, d.fixedWarnings) {
		a.addFixed(c.url, c.code, c.page)
	}
	return a
}

// unlisted returns the targets that are ok or skipped, if the report does not list them.
func (d *htmlDocument) unlisted() []htmlUnlisted {
	var all []htmlUnlisted
	if n := d.summary.OK; n > 0 && d.show&ShowOK == 0 {
		all = append(all, htmlUnlisted{Name: "ok", Count: thousands(n)})
	}
	if n := d.summary.Skipped; n > 0 && d.show&ShowSkipped == 0 {
		u := htmlUnlisted{Name: "skipped", Count: thousands(n)}
		listed := d.listedCodes()
		for _, e := range d.codes {
			if n := d.summary.ByCode[e.Code]; n > 0 && !listed[e.Code] && e.Severity == check.SeverityInfo {
				u.Codes = append(u.Codes, htmlCode{Entry: e, ID: "code-" + query(string(e.Code)), Count: thousands(n)})
			}
		}
		all = append(all, u)
	}
	return all
}

// slowest and largest chart the pages that took the longest or have the most bytes, if one
// of them is remarkable.
func (d *htmlDocument) slowest() htmlChart {
	return d.extremes("Slowest pages", 500, func(k *webNode) int64 {
		if k.status == 0 {
			return 0 // a file: its time says more about this machine
		}
		return k.elapsed.Milliseconds()
	},
		func(n int64) string { return seconds(time.Duration(n) * time.Millisecond) })
}

func (d *htmlDocument) largest() htmlChart {
	return d.extremes("Largest pages", 500_000, func(k *webNode) int64 { return k.size },
		func(n int64) string { return fmt.Sprintf("%.1f MB", float64(n)/1e6) })
}

func (d *htmlDocument) extremes(title string, least int64, value func(*webNode) int64, text func(int64) string) htmlChart {
	var nodes []*webNode
	for i := range d.web.nodes {
		if k := &d.web.nodes[i]; d.web.drawn && k.url != "" && value(k) >= least {
			nodes = append(nodes, k)
		}
	}
	slices.SortFunc(nodes, func(a, b *webNode) int { return cmp.Or(cmp.Compare(value(b), value(a)), cmp.Compare(a.url, b.url)) })
	c := htmlChart{Title: title}
	for _, k := range nodes[:min(len(nodes), barsOfChart)] {
		c.Bars = append(c.Bars, htmlBar{Label: shownName(k.url), Count: text(value(k)), Parts: []htmlPart{{Name: "other", X: "0.00", Width: decimal(100 * float64(value(k)) / float64(value(nodes[0])))}}})
	}
	return c
}
