package report

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/orbweaver/orbweaver/crawler/check"
	"github.com/orbweaver/orbweaver/crawler/result"
)

// Limits of the part for readers without scripts.
const (
	maxPlainFindings = 200
	barsOfChart      = 10
	moreBars         = 30 // that a chart shows on request; that of codes shows all
)

// htmlPage is the data of page.tmpl. The template escapes its strings; hidden
// characters from pages are already escaped here.
type htmlPage struct {
	*htmlParts
	Tool, Version   string
	Title           string
	Targets         []htmlLink
	Started         time.Time
	WorstVerdict    string // the most severe verdict, which determines colors
	Outcome, Counts string
	Notices         []string
	Tiles           []htmlTile
	Ring            []htmlSlice
	TargetCount     string // number of targets
	Charts          []htmlChart
	Priorities      []htmlPriority
	Against         *htmlAgainst   // comparison with a baseline, nil without one
	Unlisted        []htmlUnlisted // what was checked and is not listed
	Command         string         // the command of the run, empty if it is not known
	Settings        []Setting
	Codes           []htmlCode
	Plain           []htmlSection
	More            int // number of findings that Plain omits
}

// htmlLink is a URL. Href is set if it may be clicked.
type htmlLink struct{ Text, Href string }

type htmlTile struct {
	Name, Count string
	Go          string // filter of the list of findings; empty if they are not listed
}

// htmlSlice is a part of a ring with a total length of 100.
type htmlSlice struct {
	Name         string
	Length, From string
}

type htmlChart struct {
	Title, Note string
	Bars        []htmlBar
	More        []htmlBar // shown on request
}

type htmlBar struct {
	Label, Detail string
	Count         string
	Parts         []htmlPart
	Go            string
}

type htmlPart struct{ Name, X, Width string }

// htmlPriority is a broken target with many references.
type htmlPriority struct {
	htmlLink
	Code, Places string
	Hint         string // what may be the right URL
	Go           string
}

type htmlCode struct {
	check.Entry
	ID, Count, Go string
}

// htmlSection are the findings with the same word, as the text report lists them.
type htmlSection struct {
	Word     string
	SiteWide []htmlRow
	Pages    []htmlPlain
}

type htmlPlain struct {
	Page htmlLink
	Rows []htmlRow
}

type htmlRow struct {
	Place, Word, Code string
	Target            htmlLink
	Text, Hint        string
}

// page returns the data for the template. The error is that of a temporary file.
func (d *htmlDocument) page(parts *htmlParts) (*htmlPage, error) {
	s := d.summary
	p := &htmlPage{
		htmlParts: parts, Tool: visible(d.head.Tool.Name), Version: visible(d.head.Tool.Version),
		Started: d.head.Started.UTC(), Outcome: grouped(outcome(s)), WorstVerdict: worstVerdict(s), Notices: d.notices(),
	}
	_, counts, _ := strings.Cut(summaryLine(s), " · ")
	p.Counts = grouped(counts)
	for _, target := range d.head.Targets {
		p.Targets = append(p.Targets, linkTo(target))
	}
	p.Title = "Links"
	if len(p.Targets) > 0 {
		p.Title = "Links of " + clip(p.Targets[0].Text, 80)
	}
	if n := len(p.Targets) - 1; n > 0 {
		p.Title += " and " + strconv.Itoa(n) + " more"
	}
	d.tiles(p)
	p.Charts = []htmlChart{d.byCode(), d.byHost(), d.byPage(), d.byRing(), d.slowest(), d.largest()}
	for i := range p.Charts {
		if c := &p.Charts[i]; len(c.Bars) > barsOfChart && c.Title != ringsTitle {
			c.Bars, c.More = c.Bars[:barsOfChart], c.Bars[barsOfChart:]
		}
	}
	p.Charts = slices.DeleteFunc(p.Charts, func(c htmlChart) bool { return len(c.Bars) == 0 })
	p.Priorities = d.priorities()
	d.addRun(p)
	for _, e := range d.codes {
		if e.Code == check.CodeOK {
			continue // ok needs no explanation
		}
		code := query(string(e.Code))
		c := htmlCode{Entry: e, ID: "code-" + code, Count: thousands(s.ByCode[e.Code]), Go: "by=target&code=" + code}
		c.Code = check.Code(visible(string(e.Code))) // in a saved report, a code may be any string
		p.Codes = append(p.Codes, c)
	}
	return p, d.plainFindings(p)
}

// worstVerdict returns the word that determines the color of a run.
func worstVerdict(s *result.Summary) string {
	switch {
	case s.Broken > 0:
		return "broken"
	case s.Unverified > 0 || !s.Soundness.IsSound():
		return "unverified"
	case s.Warnings > 0:
		return "warning"
	case s.OK > 0:
		return "ok"
	}
	return "skipped"
}

// linkTo returns a link to a URL. Only http and https URLs are clickable.
func linkTo(url string) htmlLink {
	l := htmlLink{Text: shownName(Readable(url))}
	if clickable(url) {
		l.Href = url
	}
	return l
}

// shownName returns a name with unseen characters escaped. For an empty name it
// returns "(empty)".
func shownName(s string) string {
	if s == "" {
		return "(empty)"
	}
	return visible(s)
}

// clickable reports whether a URL may be the target of a link: an http or https URL that
// contains no unseen characters and no command for a CI system.
func clickable(url string) bool {
	lower := strings.ToLower(url[:min(len(url), len("https://"))])
	return (strings.HasPrefix(lower, "http://") || lower == "https://") && visible(url) == url
}

// notices returns what readers must know to interpret the counts.
func (d *htmlDocument) notices() []string {
	var notices []string
	s := d.summary
	switch {
	case !s.Soundness.Complete():
		notices = append(notices, "The run is incomplete: "+visible(s.Soundness.Why)+". Targets that are not listed may not have been checked.")
	case !s.Soundness.IsSound() && len(s.StartFailed) == 0:
		notices = append(notices, "The result is not reliable: "+visible(s.Soundness.Why)+".")
	}
	for _, start := range s.StartFailed {
		notices = append(notices, "Could not be read: "+visible(start))
		if len(notices) > 5 {
			break
		}
	}
	if d.omittedResults > 0 {
		notices = append(notices, fmt.Sprintf("This file lists %s targets and omits %s. A JSON report lists all of them.", thousands(len(d.results)), thousands(d.omittedResults)))
	}
	if d.omittedPlaces > 0 {
		notices = append(notices, fmt.Sprintf("This file lists at most %s places for each target and omits %s places. A JSON report lists all of them.", thousands(d.placesEach), thousands(d.omittedPlaces)))
	}
	return notices
}

func (d *htmlDocument) tiles(p *htmlPage) {
	s := d.summary
	counts := []struct {
		name string
		n    int
		show Show
	}{
		{"broken", s.Broken, ShowBroken}, {"unverified", s.Unverified, ShowUnverified}, {"warning", s.Warnings, ShowWarning},
		{"ok", s.OK, ShowOK}, {"skipped", s.Skipped, ShowSkipped},
	}
	// The ring has the targets only. Even its smallest slice must be visible.
	const least = 1.2
	broken, unverified := s.BrokenTargets()
	targets := map[string]int{"broken": broken, "unverified": unverified, "ok": s.OK, "skipped": s.Skipped}
	total, rest := broken+unverified+s.OK+s.Skipped, 100.0 // of a comparison, those that it lists
	p.TargetCount = thousands(total)
	for _, n := range targets {
		if n > 0 {
			rest -= least
		}
	}
	from := 0.0
	for _, c := range counts {
		t := htmlTile{Name: c.name, Count: thousands(c.n)}
		if c.n > 0 && d.show&c.show != 0 {
			t.Go = "verdict=" + c.name
		}
		p.Tiles = append(p.Tiles, t)
		n := targets[c.name]
		if n == 0 {
			continue
		}
		length := least + rest*float64(n)/float64(total)
		p.Ring = append(p.Ring, htmlSlice{Name: c.name, Length: decimal(length), From: decimal(-from)})
		from += length
	}
}

// tallied counts findings under a name.
type tallied struct {
	name                                 string
	broken, unverified, warnings, others int
	ok                                   int // targets without a finding; not a part of the total
}

func (t *tallied) total() int { return t.broken + t.unverified + t.warnings + t.others }

// top returns at most most rows, those with the largest counts, most severe first.
func top(rows []*tallied, most int) []*tallied {
	slices.SortFunc(rows, func(a, b *tallied) int {
		return cmp.Or(cmp.Compare(b.broken, a.broken), cmp.Compare(b.total(), a.total()), cmp.Compare(b.ok, a.ok), cmp.Compare(a.name, b.name))
	})
	return rows[:min(len(rows), most)]
}

// bars returns the bars of rows, drawn to the same scale.
func bars(rows []*tallied, label func(string) string, filter func(string) string) []htmlBar {
	most := 1
	for _, r := range rows {
		most = max(most, r.total())
	}
	var all []htmlBar
	for _, r := range rows {
		b := htmlBar{Label: shownName(Readable(label(r.name))), Count: thousands(r.total()), Go: filter(r.name)}
		if r.ok > 0 {
			b.Count += " · " + thousands(r.ok) + " ok"
		}
		x := 0.0
		var words []string
		for _, part := range []struct {
			name string
			n    int
		}{{"broken", r.broken}, {"unverified", r.unverified}, {"warning", r.warnings}, {"other", r.others}} {
			if part.n == 0 {
				continue
			}
			width := 100 * float64(part.n) / float64(most)
			b.Parts = append(b.Parts, htmlPart{Name: part.name, X: decimal(x), Width: decimal(width)})
			x += width
			words = append(words, thousands(part.n)+" "+part.name)
		}
		b.Detail = strings.Join(words, ", ")
		all = append(all, b)
	}
	return all
}

// byCode counts findings by code.
func (d *htmlDocument) byCode() htmlChart {
	worst := map[check.Code]check.Verdict{}
	for _, r := range d.results {
		if r.Verdict == check.Broken || r.Verdict == check.Unverified {
			if v, ok := worst[r.Code]; !ok || v == check.Unverified {
				worst[r.Code] = r.Verdict
			}
		}
	}
	listed := d.listedCodes()
	var rows []*tallied
	for code, n := range d.summary.ByCode {
		row := &tallied{name: string(code)}
		switch v, ok := worst[code]; {
		case ok && v == check.Broken:
			row.broken = n
		case ok:
			row.unverified = n
		case d.declared.severity(code) == check.SeverityInfo && !listed[code]:
			continue // skipped by a rule: not a finding
		case d.declared.severity(code) == check.SeverityInfo:
			row.others = n
		default:
			row.warnings = n
		}
		rows = append(rows, row)
	}
	return htmlChart{Title: "By code", Bars: bars(top(rows, len(rows)), func(s string) string { return s }, func(code string) string {
		if !listed[check.Code(code)] {
			return ""
		}
		return "by=target&code=" + query(code)
	})}
}

func (d *htmlDocument) listedCodes() map[check.Code]bool {
	met := map[check.Code]bool{}
	for _, r := range d.results {
		met[r.Code] = true
		for _, w := range r.Warnings {
			met[w.Code] = true
		}
	}
	return met
}

func (t *tallied) add(r *result.Result) {
	switch {
	case r.Verdict == check.Broken:
		t.broken++
	case r.Verdict == check.Unverified:
		t.unverified++
	case r.Verdict == check.VerdictWarning || slices.ContainsFunc(r.Warnings, func(w check.Warning) bool { return !w.IsInfo() }):
		t.warnings++
	}
}

// tallyBy counts the results with findings under each name that names passes to its
// callback.
func (d *htmlDocument) tallyBy(names func(*result.Result, func(string))) []*tallied {
	by := map[string]*tallied{}
	for _, r := range d.results {
		var one tallied
		if one.add(r); one.total() == 0 {
			continue
		}
		names(r, func(name string) {
			t := by[name]
			if t == nil {
				t = &tallied{name: name}
				by[name] = t
			}
			t.add(r)
		})
	}
	return slices.Collect(maps.Values(by))
}

func (d *htmlDocument) byHost() htmlChart {
	rows := d.tallyBy(func(r *result.Result, count func(string)) {
		if r.Kind == result.KindTarget {
			count(hostOf(r.URL))
		}
	})
	hasFindings, ok := map[string]bool{}, d.okByHost()
	for _, row := range rows {
		hasFindings[row.name], row.ok = true, ok[row.name]
	}
	for host, n := range ok {
		if !hasFindings[host] {
			rows = append(rows, &tallied{name: host, ok: n})
		}
	}
	return htmlChart{Title: "By host of the target", Note: okNote(ok), Bars: bars(top(rows, barsOfChart+moreBars), hostName, func(host string) string {
		if !hasFindings[host] && d.show&ShowOK == 0 {
			return ""
		}
		return "by=target&host=" + query(cmp.Or(host, "local"))
	})}
}

// okByHost returns the number of targets of each host that are ok. It is nil if a saved
// report does not tell.
func (d *htmlDocument) okByHost() map[string]int {
	if d.summary.OKByHost != nil || d.show&ShowOK == 0 {
		return d.summary.OKByHost
	}
	by := map[string]int{}
	for _, r := range d.results {
		if r.Kind == result.KindTarget && r.Verdict == check.OK {
			by[hostOf(r.URL)]++
		}
	}
	return by
}

func okNote(ok map[string]int) string {
	if len(ok) == 0 {
		return ""
	}
	return "Findings, and targets that are ok."
}

func hostName(host string) string { return cmp.Or(host, "local documents") }

// byPage counts results by the pages that have findings about them. A page counts a
// target once, by its most severe finding.
func (d *htmlDocument) byPage() htmlChart {
	rows := d.tallyBy(func(r *result.Result, count func(string)) {
		met := map[string]bool{result.CommandLine: true}
		once := func(page string) {
			if !met[page] {
				met[page] = true
				count(page)
			}
		}
		for _, f := range findingsOf(ShowDefault, r) {
			switch {
			case f.warning && (f.code != r.Code && isFinding(r.Verdict) || f.word == "info"):
			case check.OfPage(f.code):
				once(ownPage(r.URL))
			default:
				refs := affectedReferences(r.References, f.code)
				for i := range pageFirsts(refs) {
					once(refs[i].Page)
				}
			}
		}
	})
	return htmlChart{Title: "Pages with the most findings", Bars: bars(top(rows, barsOfChart+moreBars), func(s string) string { return s }, func(page string) string { return "by=page&page=" + query(page) })}
}

const ringsTitle = "Pages by distance from the start"

// byRing counts pages by their distance from the start.
func (d *htmlDocument) byRing() htmlChart {
	w := d.web
	if !w.drawn || len(w.nodes) < 2 {
		return htmlChart{}
	}
	rows := make([]*tallied, w.rings+1)
	for i := range rows {
		rows[i] = &tallied{name: strconv.Itoa(i)}
	}
	for i := range w.nodes {
		switch k := &w.nodes[i]; {
		case k.url == "":
		case k.broken > 0:
			rows[k.ring].broken++
		default:
			rows[k.ring].others++
		}
	}
	const most = 12
	if len(rows) > most {
		for _, r := range rows[most:] {
			rows[most-1].broken += r.broken
			rows[most-1].others += r.others
		}
		rows = rows[:most]
	}
	rows = slices.DeleteFunc(rows, func(r *tallied) bool { return r.total() == 0 })
	label := func(ring string) string {
		switch n, _ := strconv.Atoi(ring); {
		case w.firstUnreached < len(w.nodes) && n == w.rings:
			return "not linked from the start"
		case n == most-1 && w.rings >= most:
			return ring + " or more links"
		case n == 0:
			return "start page"
		default:
			return plural(n, "link") + " away"
		}
	}
	return htmlChart{Title: ringsTitle, Note: "Pages with broken links are highlighted.", Bars: bars(rows, label, func(string) string { return "" })}
}

// priorities returns the broken documents with the most references: one edit, or
// restoring one page, fixes many links. A missing fragment counts separately.
func (d *htmlDocument) priorities() []htmlPriority {
	type shared struct {
		url           string
		code          check.Code
		pages         map[string]bool
		hint          string
		places, parts int
	}
	by := map[string]*shared{}
	var all []*shared
	for _, r := range d.results {
		if r.Verdict != check.Broken || r.Kind != result.KindTarget {
			continue
		}
		url := r.URL
		if r.Code != check.CodeFragmentMissing {
			url = document(url)
		}
		s := by[url]
		if s == nil {
			s = &shared{url: url, code: r.Code, pages: map[string]bool{}}
			by[url] = s
			all = append(all, s)
		}
		if s.hint == "" {
			s.hint = didYouMean(r.URL, r.Suggestions)
		}
		s.parts++
		s.places += len(r.References)
		for i := range pageFirsts(r.References) {
			s.pages[r.References[i].Page] = true
		}
	}
	all = slices.DeleteFunc(all, func(s *shared) bool { return s.places < 3 })
	slices.SortStableFunc(all, func(a, b *shared) int {
		return cmp.Or(cmp.Compare(len(b.pages), len(a.pages)), cmp.Compare(b.places, a.places))
	})
	const most = 5
	var first []htmlPriority
	for _, s := range all[:min(len(all), most)] {
		f := htmlPriority{htmlLink: linkTo(s.url), Code: visible(string(s.code)), Hint: s.hint, Places: grouped(plural(s.places, "place") + " on " + plural(len(s.pages), "page"))}
		f.Go = "by=target&target=" + query(s.url)
		if s.code != check.CodeFragmentMissing {
			f.Go = "by=target&document=" + query(s.url)
		}
		first = append(first, f)
	}
	return first
}

// plainFindings adds the first findings as the text report lists them: broken ones first.
func (d *htmlDocument) plainFindings(p *htmlPage) error {
	var all sections
	all.begin(d.declared, &table{})
	for _, r := range d.results {
		all.add(d.show, r)
	}
	room := maxPlainFindings
	for i := range all {
		l := &all[i]
		l.settle()
		section := htmlSection{Word: sectionWords[i]}
		for _, w := range l.siteWide[:min(len(l.siteWide), room)] {
			section.SiteWide = append(section.SiteWide, plainRow(w.place(), w.row))
		}
		room -= len(section.SiteWide)
		listed := min(l.pages.count, room)
		if err := l.pages.each(listed, func(page string, rows []pageRow) {
			plain := htmlPlain{Page: linkTo(page)}
			for _, row := range rows {
				plain.Rows = append(plain.Rows, plainRow(row.place(), row.row))
			}
			section.Pages = append(section.Pages, plain)
		}); err != nil {
			return err
		}
		room -= listed
		p.More += len(l.siteWide) - len(section.SiteWide) + l.pages.count - listed
		if len(section.SiteWide)+len(section.Pages) > 0 {
			p.Plain = append(p.Plain, section)
		}
		l.pages.close()
	}
	return nil
}

func plainRow(place string, r row) htmlRow {
	row := htmlRow{Place: place, Word: r.word, Code: visible(r.code), Hint: r.hint}
	if r.url != "" || r.hint == "" {
		row.Target = linkTo(r.url)
	}
	if r.ref != nil {
		row.Text = linkText(r.ref, maxTextWidth)
	}
	return row
}

// query escapes a value for the address of a view, which the script parses as a query.
func query(s string) string {
	var b strings.Builder
	for i := range len(s) {
		c := s[i]
		switch {
		case 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' || strings.IndexByte("-._~/:", c) >= 0:
			b.WriteByte(c)
		default:
			fmt.Fprintf(&b, "%%%02X", c)
		}
	}
	return b.String()
}

// decimal formats a number with two decimal places.
func decimal(f float64) string { return strconv.FormatFloat(f, 'f', 2, 64) }
