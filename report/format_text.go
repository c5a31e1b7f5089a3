package report

import (
	"bufio"
	"cmp"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/orbweaver/orbweaver/crawler/check"
	"github.com/orbweaver/orbweaver/crawler/result"
)

var textFormat = Format{
	Name:       "text",
	Extensions: []string{".txt", ".text"},
	Use:        "people at a terminal; the default",
	collects:   true,
	NewOnly:    true,
	New:        newTextWriter,
}

// textWriter writes for people: what is broken, then what is unverified, then warnings, then
// what the user asked for besides. In each section, findings that are the same on several
// pages come first, then those of each page in the order of their places. A warning has a row
// of its own. A summary line ends the report; that of a run without findings is this line
// alone.
type textWriter struct {
	w            io.Writer
	show         Show
	every        bool
	findingsOnly bool
	table        table
	sections     sections
	codes        map[check.Code]bool // of findings that are listed
	rows         int
}

// sections are the sections of a list for people, in the order of sectionWords.
type sections [len(sectionWords)]listing

// sectionWords are the words of the findings of each section.
var sectionWords = [...]string{"broken", "unverified", "warning", "info", "skipped", "ok"}

// countedSections is the number of sections with findings that count.
const countedSections = 3

// begin sets the codes that plugins declared, and the table whose columns are to have room for all rows.
func (s *sections) begin(codes catalog, into *table) {
	for i := range s {
		s[i].codes, s[i].table = codes, into
	}
}

func (s *sections) add(show Show, r *result.Result) {
	for _, finding := range rowsOf(show, r) {
		s[sectionOf(finding.word)].addRow(finding, r)
	}
}

func sectionOf(word string) int { return max(slices.Index(sectionWords[:], word), 0) }

func newTextWriter(w io.Writer, o Options) Writer {
	t := &textWriter{w: w, show: o.Show.orDefault(), findingsOnly: o.FindingsOnly, codes: map[check.Code]bool{}}
	t.every = o.EveryPlace || t.show&ShowAll == ShowAll
	t.table = table{color: o.Color, width: o.Width, dir: filepath.ToSlash(o.RunDir)}
	for i := range t.sections {
		t.sections[i].blocks, t.sections[i].every = i < countedSections, t.every
	}
	return t
}

// Begin finds what all names in the site begin with, which is not repeated on a terminal:
// its origin, or a directory outside the working directory. Programs that read the report
// get complete names.
func (t *textWriter) Begin(h *Head) error {
	t.sections.begin(newCatalog(h), &t.table)
	if t.table.width == 0 {
		return nil
	}
	for i, target := range h.Targets {
		base := t.baseOf(target)
		if base == "" || i > 0 && base != t.table.base {
			t.table.base = ""
			break
		}
		t.table.base = base
	}
	return nil
}

// baseOf returns what the names in a target that the user named begin with, "" if they are
// to be complete.
func (t *textWriter) baseOf(target string) string {
	if origin := originOf(target); isWeb(origin) {
		return origin + "/"
	}
	if t.table.dir == "" || !filepath.IsAbs(target) {
		return ""
	}
	rel, err := filepath.Rel(t.table.dir, target)
	if rel = filepath.ToSlash(rel); err != nil || !strings.HasPrefix(rel, "../") {
		return ""
	}
	return rel + "/"
}

func (t *textWriter) Result(r *result.Result) error {
	for _, finding := range rowsOf(t.show, r) {
		at := sectionOf(finding.word)
		if at < countedSections {
			t.codes[check.Code(finding.code)] = true
		}
		t.rows++
		t.sections[at].addRow(finding, r)
	}
	return nil
}

func (t *textWriter) End(s *result.Summary) error {
	out := bufio.NewWriter(t.w)
	for i := range t.sections {
		if err := t.sections[i].fit(); err != nil {
			return err
		}
	}
	t.table.shrink()
	if base := t.table.base; base != "" && t.rows > 0 {
		t.table.base = ""
		fmt.Fprintf(out, "in %s\n\n", visible(t.table.shown(base)))
		t.table.base = base
	}
	omitted, separate := false, false
	for i := range t.sections {
		if t.findingsOnly && separate && !t.sections[i].empty() {
			out.WriteByte('\n')
		}
		wrote, err := t.sections[i].write(out)
		if err != nil {
			return err
		}
		if wrote {
			separate = true
			if !t.findingsOnly {
				out.WriteByte('\n')
			}
		}
		omitted = omitted || t.sections[i].omitted
	}
	if !t.findingsOnly {
		t.writeRemarks(out, s, omitted)
		t.table.writeLine(out, separated(summaryLine(s)))
	}
	return out.Flush()
}

// manyRows is the number of findings from which on a text report counts them by code.
const manyRows = 10

// writeRemarks writes the counts by code if there are many findings, and says what the
// report does not list and how to list it.
func (t *textWriter) writeRemarks(out *bufio.Writer, s *result.Summary, omitted bool) {
	if t.rows > manyRows {
		var counts []string
		for code := range t.codes {
			if n := s.ByCode[code]; n > 0 {
				counts = append(counts, strconv.Itoa(n)+" "+visible(string(code)))
			}
		}
		slices.SortFunc(counts, func(a, b string) int {
			x, y, _ := strings.Cut(a, " ")
			p, q, _ := strings.Cut(b, " ")
			return cmp.Or(cmp.Compare(len(p), len(x)), cmp.Compare(p, x), cmp.Compare(y, q))
		})
		if len(counts) > 0 {
			t.table.writeLine(out, separated(strings.Join(counts, ", ")))
		}
	}
	var hidden []string
	if omitted {
		hidden = append(hidden, "some places (-v or --show all)")
	}
	for _, kind := range [...]struct {
		show  Show
		n     int
		count string
		word  string
		quiet bool // no finding: hidden unless there is much to say anyway
	}{
		{ShowBroken, s.Broken, strconv.Itoa(s.Broken) + " broken", "broken", false},
		{ShowUnverified, s.Unverified, strconv.Itoa(s.Unverified) + " unverified", "unverified", false},
		{ShowWarning, s.Warnings, plural(s.Warnings, "warning"), "warning", false},
		{ShowSkipped, s.Skipped, strconv.Itoa(s.Skipped) + " skipped", "skipped", true},
		{ShowOK, s.OK, strconv.Itoa(s.OK) + " ok", "ok", true},
	} {
		if kind.n > 0 && t.show&kind.show == 0 && (!kind.quiet || t.rows > manyRows) {
			hidden = append(hidden, kind.count+" (--show "+kind.word+")")
		}
	}
	if len(hidden) > 0 {
		t.table.writeLine(out, separated("not listed: "+strings.Join(hidden, ", ")))
	}
}
