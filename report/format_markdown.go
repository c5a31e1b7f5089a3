package report

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/orbweaver/orbweaver/crawler/check"
	"github.com/orbweaver/orbweaver/crawler/result"
)

var markdownFormat = Format{
	Name:       "markdown",
	Extensions: []string{".md", ".markdown"},
	Use:        "job summaries and pull request comments; limited in size",
	NewOnly:    true,
	New: func(w io.Writer, o Options) Writer {
		return &markdownWriter{w: w, show: o.Show.orDefault(), limit: cmp.Or(o.MarkdownSize, defaultMarkdownSize)}
	},
}

// markdownWriter writes tables of findings, the most severe first, for people who read
// them on GitHub or a similar host. It counts the rows that do not fit in the limit.
// Strings from pages are in code spans, in which nothing is a link, a mention or markup.
type markdownWriter struct {
	w     io.Writer
	show  Show
	limit int
	head  *Head
	codes catalog
	all   [len(markdownSections)]occurrences
	wide  [len(markdownSections)][]*finding
	// checks are the findings of content checks, until settle.
	checks [len(markdownSections)]map[checkKey]occurrences
	// shared are the findings of content checks that are on many pages.
	shared [len(markdownSections)][]occurrences
}

// markdownSections are the words of findings, the most severe first, with the headings above
// them. A comparison has headings of its own.
var markdownSections = [...]struct{ word, heading, compared string }{
	{"broken", "Broken", "New"},
	{"unverified", "Unverified", "New, unverified"},
	{"warning", "Warnings", "New warnings"},
	{"info", "Information", "Fixed"},
	{"skipped", "Skipped", "Unclear"},
	{"ok", "OK", "Still there"},
}

func (m *markdownWriter) Begin(h *Head) error {
	m.head, m.codes = h, newCatalog(h)
	return nil
}

func (m *markdownWriter) Result(r *result.Result) error {
	findings := findingsOf(m.show, r)
	for i := range findings {
		f := &findings[i]
		section := m.sectionOf(f)
		if f.aboutPage() {
			m.addCheck(section, f)
			continue
		}
		if countPages(f.references()) > siteWidePages {
			m.wide[section] = append(m.wide[section], f)
			continue
		}
		places := f.places()
		for i, p := range places {
			if i > 0 && indistinguishable(places[i-1].ref, p.ref) {
				continue
			}
			m.all[section] = append(m.all[section], occurrence{f, p})
		}
	}
	return nil
}

func (m *markdownWriter) sectionOf(f *finding) int {
	changed := changeOf(f.result)
	for i, s := range markdownSections {
		if m.head.compared == nil && s.word == f.word || m.head.compared != nil && (strings.EqualFold(s.compared, changed) || changed == "new" && s.word == f.word) {
			return i
		}
	}
	return len(markdownSections) - 1
}

func (m *markdownWriter) addCheck(section int, f *finding) {
	if m.checks[section] == nil {
		m.checks[section] = map[checkKey]occurrences{}
	}
	key := checkKey{word: f.word, code: f.code, rule: f.result.Rule}
	m.checks[section][key] = append(m.checks[section][key], occurrence{f, f.places()[0]})
}

// settle lists the findings of content checks: the same fault on many pages once, the others
// on their pages.
func (m *markdownWriter) settle() {
	for section, checks := range m.checks {
		for _, key := range slices.SortedFunc(maps.Keys(checks), compareChecks) {
			all := checks[key]
			all.byPage()
			if all.pages() > siteWidePages {
				m.shared[section] = append(m.shared[section], all)
			} else {
				m.all[section] = append(m.all[section], all...)
			}
		}
	}
}

// omittedLineSize is the room that is reserved for the last line, which counts the omitted rows.
const omittedLineSize = 150

func (m *markdownWriter) End(s *result.Summary) error {
	var out strings.Builder
	out.WriteString(m.introduction(s))
	missing := 0
	m.settle()
	for i, section := range markdownSections {
		rows := m.all[i]
		rows.byPage()
		name := section.heading
		if m.head.compared != nil {
			name = section.compared
		}
		heading := "\n### " + name + "\n\n| Place | Link | Finding |\n|---|---|---|\n"
		write := func(row string) {
			if missing > 0 || out.Len()+len(heading)+len(row)+omittedLineSize > m.limit {
				missing++
				return
			}
			out.WriteString(heading + row)
			heading = ""
		}
		for _, f := range m.wide[i] {
			first := firstOfPages(f.references())[0]
			write(m.row(fmt.Sprintf("%d pages, first %s", countPages(f.references()), markdownCode(first)), f, nil))
		}
		for _, all := range m.shared[i] {
			rule := all[0].result.Rule
			if rule != "" {
				rule = ": " + markdownCode(rule)
			}
			write(fmt.Sprintf("| %d pages, first %s |  | %s %s%s |\n", all.pages(), markdownCode(all[0].String()),
				m.title(all[0].code), markdownCode(string(all[0].code)), rule))
		}
		rows.eachPage(func(page string, rows occurrences) {
			shown, folded, more := foldRows(len(rows), maxPlacesOnPage, func(i int) foldKey { return foldKeyOf(rows[i].word, string(rows[i].code), rows[i].result.URL) })
			for _, i := range shown {
				write(m.row(markdownCode(rows[i].String()), rows[i].finding, rows[i].ref))
			}
			for _, m := range folded {
				write("| " + markdownCode(page) + " | " + markdownCode(m.url) + " | " + fmt.Sprintf("%d more like these ", more[m]) + markdownCode(m.code) + " |\n")
			}
		})
	}
	if missing > 0 {
		rows := "rows are"
		if missing == 1 {
			rows = "row is"
		}
		fmt.Fprintf(&out, "\n**%d more %s omitted**: the report is limited to %d bytes.\n", missing, rows, m.limit)
	}
	_, err := io.WriteString(m.w, out.String())
	return err
}

func (m *markdownWriter) introduction(s *result.Summary) string {
	verdict, counts, _ := strings.Cut(summaryLine(s), " · ")
	if d := m.head.compared; d != nil {
		verdict = d.summaryLine()
	}
	text := "## Link check: " + verdict + "\n\n"
	if by := s.Soundness.StoppedBy; by != "" {
		counts = strings.TrimSuffix(counts, visible(by)) + markdownCode(by)
	}
	text += counts + "\n"
	const most = 5
	targets := m.head.Targets
	for i, t := range targets[:min(len(targets), most)] {
		text += []string{" · ", ", "}[min(i, 1)] + markdownCode(t)
	}
	if more := len(targets) - most; more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	text = strings.Replace(text, "\n ·", " ·", 1) + strings.Repeat("\n", min(len(targets), 1))
	if codes := m.mostFrequent(s.ByCode); codes != "" {
		text += "\n" + codes + "\n"
	}
	return text
}

// mostFrequent returns the codes that most targets have, with their counts, so that
// readers need not count and see what the limit omits.
func (m *markdownWriter) mostFrequent(byCode map[check.Code]int) string {
	const most = 12
	codes := slices.DeleteFunc(slices.Collect(maps.Keys(byCode)), func(code check.Code) bool { return m.codes.severity(code) == check.SeverityInfo })
	slices.SortFunc(codes, func(a, b check.Code) int {
		return cmp.Or(cmp.Compare(byCode[b], byCode[a]), cmp.Compare(a, b))
	})
	var parts []string
	for _, code := range codes[:min(len(codes), most)] {
		parts = append(parts, fmt.Sprintf("%d %s", byCode[code], markdownCode(string(code))))
	}
	if more := len(codes) - most; more > 0 {
		parts = append(parts, plural(more, "more code"))
	}
	return strings.Join(parts, ", ")
}

// row returns a row of a table: the place, the link and the finding. A finding of a content
// check has no link.
func (m *markdownWriter) row(place string, f *finding, ref *result.Reference) string {
	if f.aboutPage() {
		return m.checkRow(place, f, ref)
	}
	link := markdownCode(f.result.URL)
	if ref != nil && ref.Text+ref.Folder != "" {
		link += " " + markdownCode(linkText(ref, maxTextWidth))
	}
	why := markdownCode(string(f.code))
	if entry, ok := check.Lookup(f.code); ok && f.word != "ok" {
		why = entry.Title + " " + why
	}
	if message := reason(f.result.URL, f.code, f.message); message != "" && !strings.Contains(f.title(), message) {
		why += ": " + markdownCode(message)
	}
	if moved := f.redirectTarget(); moved != "" {
		why += ", redirected to " + markdownCode(moved)
	}
	for i, url := range f.alternatives() {
		why += []string{" → ", " or "}[min(i, 1)] + markdownCode(url)
	}
	return "| " + place + " | " + link + " | " + why + " |\n"
}

// title returns the title of a code. One that a plugin declared may contain markup.
func (m *markdownWriter) title(code check.Code) string {
	if entry, ok := check.Lookup(code); ok {
		return entry.Title
	}
	return markdownCode(m.codes.title(code))
}

func (m *markdownWriter) checkRow(place string, f *finding, ref *result.Reference) string {
	text := ""
	if ref.Text != "" {
		text = markdownCode(quoted(ref.Text, maxTextWidth))
	}
	why := m.title(f.code) + " " + markdownCode(string(f.code))
	if message := ofRule(f.result.Rule, f.message); message != "" && message != m.codes.title(f.code) {
		why += ": " + markdownCode(message)
	}
	if f.proposal != "" {
		why += " → " + markdownCode(f.proposal)
	}
	return "| " + place + " | " + text + " | " + why + " |\n"
}
