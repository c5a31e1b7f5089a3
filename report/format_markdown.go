package report

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/orbweaver/orbweaver/crawler"
	"github.com/orbweaver/orbweaver/crawler/check"
)

var markdownFormat = Format{
	Name:       "markdown",
	Extensions: []string{".md", ".markdown"},
	Use:        "job summaries and pull request comments; limited in size",
	NewOnly:    true,
	New: func(w io.Writer, o Options) Writer {
		return &markdownWriter{w: w, show: o.Show.orDefault(), limit: cmp.Or(o.MarkdownSize, DefaultMarkdownSize)}
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
	all   [len(markdownSections)]occurrences
	wide  [len(markdownSections)][]*finding
}

// markdownSections are the words of findings, the most severe first.
var markdownSections = [...]struct{ word, heading string }{
	{"broken", "Broken"},
	{"unverified", "Unverified"},
	{"warning", "Warnings"},
	{"info", "Information"},
	{"skipped", "Skipped"},
	{"ok", "OK"},
}

func (m *markdownWriter) Begin(h *Head) error {
	m.head = h
	return nil
}

func (m *markdownWriter) Result(r *crawler.Result) error {
	findings := findingsOf(m.show, r)
	for i := range findings {
		f := &findings[i]
		section := slices.IndexFunc(markdownSections[:], func(s struct{ word, heading string }) bool { return s.word == f.word })
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

// leftOut is the room that is reserved for the last line, which counts the omitted rows.
const omittedLineSize = 150

func (m *markdownWriter) End(s *crawler.Summary) error {
	var out strings.Builder
	out.WriteString(m.introduction(s))
	missing := 0
	for i, section := range markdownSections {
		rows := m.all[i]
		rows.byPage()
		heading := "\n### " + section.heading + "\n\n| Place | Link | Finding |\n|---|---|---|\n"
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
			write(markdownRow(fmt.Sprintf("%d pages, first %s", countPages(f.references()), markdownCode(first)), f, nil))
		}
		rows.eachPage(func(page string, rows occurrences) {
			shown, folded, more := foldRows(len(rows), func(i int) foldKey { return foldKeyOf(rows[i].word, string(rows[i].code), rows[i].result.URL) })
			for _, i := range shown {
				write(markdownRow(markdownCode(rows[i].String()), rows[i].finding, rows[i].ref))
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

// introduction returns the heading and the counts.
func (m *markdownWriter) introduction(s *crawler.Summary) string {
	verdict, counts, _ := strings.Cut(summaryLine(s), " · ")
	text := "## Link check: " + verdict + "\n\n"
	if s.StoppedBy != "" && !s.Complete {
		counts = strings.TrimSuffix(counts, visible(s.StoppedBy)) + markdownCode(s.StoppedBy)
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
	if codes := mostFrequent(s.ByCode); codes != "" {
		text += "\n" + codes + "\n"
	}
	return text
}

// mostFrequent returns the codes that most targets have, with their counts, so that
// readers need not count and see what the limit omits.
func mostFrequent(byCode map[check.Code]int) string {
	const most = 12
	codes := slices.DeleteFunc(slices.Collect(maps.Keys(byCode)), func(code check.Code) bool { return severityOf(code) == check.SeverityInfo })
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

// markdownRow returns a row of a table: the place, the link and the finding.
func markdownRow(place string, f *finding, ref *crawler.Reference) string {
	link := markdownCode(f.result.URL)
	if ref != nil && ref.Text != "" {
		link += " " + markdownCode(quoted(ref.Text, maxTextWidth))
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
