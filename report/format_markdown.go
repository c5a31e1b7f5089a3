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
	Use:        "job summaries and pull-request comments; limited in size",
	NewOnly:    true,
	New: func(w io.Writer, o Options) Writer {
		return &markdownWriter{w: w, show: o.Show.orDefault(), limit: cmp.Or(o.MarkdownSize, DefaultMarkdownSize)}
	},
}

// markdownWriter writes tables of findings, the worst first, for people who read
// them on a forge. What does not fit into the limit is counted at the end. Strings
// from pages stand in code spans, where nothing is a link, a mention or markup.
type markdownWriter struct {
	w     io.Writer
	show  Show
	limit int
	head  *Head
	all   [len(markdownSections)]occurrences
	wide  [len(markdownSections)][]*finding
}

// markdownSections are the words of findings in the order of their weight.
var markdownSections = [...]struct{ word, heading string }{
	{"broken", "Broken"},
	{"unverified", "Could not be verified"},
	{"warning", "Warnings"},
	{"info", "For information"},
	{"skipped", "Skipped"},
	{"ok", "Fine"},
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
		if countPages(f.references()) > siteWide {
			m.wide[section] = append(m.wide[section], f)
			continue
		}
		places := f.places()
		for i, p := range places {
			if i > 0 && alike(places[i-1].ref, p.ref) {
				continue
			}
			m.all[section] = append(m.all[section], occurrence{f, p})
		}
	}
	return nil
}

// leftOut is how long the last line may be, which counts what is left out.
const leftOut = 150

func (m *markdownWriter) End(s *crawler.Summary) error {
	var out strings.Builder
	out.WriteString(m.introduction(s))
	missing := 0
	for i, section := range markdownSections {
		rows := m.all[i]
		rows.byPage()
		heading := "\n### " + section.heading + "\n\n| Place | Link | Finding |\n|---|---|---|\n"
		write := func(row string) {
			if missing > 0 || out.Len()+len(heading)+len(row)+leftOut > m.limit {
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
			shown, folded, more := fold(len(rows), func(i int) matter { return matterOf(rows[i].word, string(rows[i].code), rows[i].result.URL) })
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
		fmt.Fprintf(&out, "\n**%d more %s left out**: the report would be longer than %d bytes.\n", missing, rows, m.limit)
	}
	_, err := io.WriteString(m.w, out.String())
	return err
}

// introduction is the heading and the counts.
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
	if codes := commonest(s.ByCode); codes != "" {
		text += "\n" + codes + "\n"
	}
	return text
}

// commonest names the codes that most targets have, and how many: what would take a
// reader long to count, or what the limit leaves out.
func commonest(byCode map[check.Code]int) string {
	const most = 12
	codes := slices.DeleteFunc(slices.Collect(maps.Keys(byCode)), isInfo)
	slices.SortFunc(codes, func(a, b check.Code) int {
		return cmp.Or(cmp.Compare(byCode[b], byCode[a]), cmp.Compare(a, b))
	})
	var parts []string
	for _, code := range codes[:min(len(codes), most)] {
		parts = append(parts, fmt.Sprintf("%d %s", byCode[code], markdownCode(string(code))))
	}
	if more := len(codes) - most; more > 0 {
		parts = append(parts, plural(more, "more kind"))
	}
	return strings.Join(parts, ", ")
}

// markdownRow is a row of a table: its place, the link, and what to say of it.
func markdownRow(place string, f *finding, ref *crawler.Reference) string {
	link := markdownCode(f.result.URL)
	if ref != nil && ref.Text != "" {
		link += " " + markdownCode(quoted(ref.Text, mostText))
	}
	why := markdownCode(string(f.code))
	if entry, ok := check.Lookup(f.code); ok && f.word != "ok" {
		why = entry.Title + " " + why
	}
	if message := because(f.result.URL, f.code, f.message); message != "" && !strings.Contains(f.title(), message) {
		why += ": " + markdownCode(message)
	}
	if moved := f.movedTo(); moved != "" {
		why += ", redirected to " + markdownCode(moved)
	}
	for i, url := range f.alternatives() {
		why += []string{" → ", " or "}[min(i, 1)] + markdownCode(url)
	}
	return "| " + place + " | " + link + " | " + why + " |\n"
}
