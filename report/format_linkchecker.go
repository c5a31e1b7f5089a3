package report

import (
	"bufio"
	"cmp"
	"fmt"
	"html"
	"io"
	"math"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/orbweaver/orbweaver/crawler/check"
	"github.com/orbweaver/orbweaver/crawler/result"
)

// The linkchecker-* formats follow the formats of LinkChecker 10, so that scripts for
// LinkChecker keep working: names and order of fields, separators, quoting, comments and
// encoding are the same. Comments mention the differences.

// linkcheckerRows turns results into LinkChecker's rows: one row for each reference.
type linkcheckerRows struct {
	show  Show
	head  *Head
	pages map[string]*result.Page
}

func newLinkcheckerRows(o Options) linkcheckerRows {
	return linkcheckerRows{show: o.Show.orDefault(), pages: map[string]*result.Page{}}
}

func (l *linkcheckerRows) Page(p *result.Page) error {
	l.pages[ownPage(p.URL)] = p
	return nil
}

// linkcheckerRow is LinkChecker's description of a link.
type linkcheckerRow struct {
	urlname, parent, url, name string
	result                     string
	code                       check.Code // of an invalid link whose result does not name it; "" for all others
	warnings                   []check.Warning
	infos                      []check.Warning // those of LinkChecker alone have no code
	valid, extern              bool
	line, column               int // 0 if unknown
	size                       int64
	checktime                  float64 // seconds
	level                      int     // links from the start
	modified                   time.Time
}

// rows returns the rows of a result. LinkChecker knows only valid and invalid links, so
// an unverified target is valid and has a warning.
//
// A finding of a content check is a warning of its page, as those of LinkChecker's plugins
// are. Its row has the place on the page.
func (l *linkcheckerRows) rows(r *result.Result) []linkcheckerRow {
	if r.Kind == result.KindPage {
		return l.aboutPage(r)
	}
	row := linkcheckerRow{
		url: r.URL, result: linkcheckerResult(r), valid: r.Verdict != check.Broken, extern: !r.Internal,
		size: r.Size, checktime: r.Elapsed.Seconds(), urlname: r.URL,
	}
	if len(r.Redirects) > 0 && r.FinalURL != "" {
		row.url = r.FinalURL
		row.infos = append(row.infos, check.Warning{Message: "Redirected to `" + r.FinalURL + "'."})
	}
	if _, isStatus := r.Code.Status(); r.Verdict == check.Broken && !isStatus {
		row.code = r.Code
	}
	for _, f := range findingsOf(l.show|ShowUnverified|ShowSkipped, r) {
		switch f.word {
		case "unverified", "warning":
			row.warnings = append(row.warnings, check.Warning{Code: f.code, Message: f.message, Proposal: f.proposal})
		case "skipped", "info":
			row.infos = append(row.infos, check.Warning{Code: f.code, Message: f.why()})
		}
	}
	if p := l.pages[ownPage(r.URL)]; p != nil {
		row.modified = p.Modified
	}
	if len(r.References) == 0 {
		return []linkcheckerRow{row}
	}
	rows := make([]linkcheckerRow, len(r.References))
	for i, ref := range r.References {
		rows[i] = row
		at := &rows[i]
		if ref.Unaffected != "" {
			at.warnings = slices.DeleteFunc(slices.Clone(row.warnings), func(w check.Warning) bool { return !ref.Concerns(w.Code) })
		}
		at.urlname = strings.TrimSpace(html.UnescapeString(ref.Raw))
		at.name = ref.Text
		if ref.Line > 0 {
			at.line, at.column = ref.Line, ref.Column
		}
		if ref.Page == result.CommandLine {
			continue
		}
		at.parent, at.level = ref.Page, 1
		if p := l.pages[ref.Page]; p != nil {
			at.level = p.Depth + 1
		}
	}
	return rows
}

// aboutPage returns the row of a finding of a content check.
func (l *linkcheckerRows) aboutPage(r *result.Result) []linkcheckerRow {
	page := &result.Result{URL: r.URL, Verdict: check.OK, Code: check.CodeOK, Internal: r.Internal, Status: r.Status, Size: r.Size, References: r.References}
	rows := l.rows(page)
	row := &rows[0]
	row.urlname, row.name = r.URL, ""
	if message := ofRule(r.Rule, r.Message); r.Verdict == check.VerdictInfo {
		row.infos = append(row.infos, check.Warning{Code: r.Code, Message: message})
	} else {
		row.warnings = append(row.warnings, check.Warning{Code: r.Code, Message: message, Proposal: r.Proposal})
	}
	return rows
}

// linkcheckerResult returns the status line, or the fault if there is no status.
func linkcheckerResult(r *result.Result) string {
	_, isStatus := r.Code.Status()
	switch {
	case r.Verdict == check.Skipped:
		return "filtered"
	case r.Status > 0 && (isStatus || r.Verdict == check.OK):
		return strings.TrimSpace(strconv.Itoa(r.Status) + " " + http.StatusText(r.Status))
	case r.Verdict == check.OK:
		return "200 OK"
	}
	f := finding{result: r, code: r.Code, message: r.Message, word: r.Verdict.String()}
	return f.why()
}

func linkcheckerWarning(w check.Warning) string {
	f := finding{code: w.Code, message: w.Message}
	text := f.why()
	if w.Proposal != "" {
		text += " -> " + w.Proposal
	}
	return text
}

// linkcheckerTagged returns a text after its code in brackets, as LinkChecker's text output writes
// the names of warnings.
func linkcheckerTagged(code check.Code, text string) string {
	if code == "" {
		return text
	}
	return "[" + string(code) + "] " + text
}

// taggedWarnings returns the warnings with their codes, one a line.
func (row *linkcheckerRow) taggedWarnings() string {
	lines := make([]string, len(row.warnings))
	for i, w := range row.warnings {
		lines[i] = linkcheckerTagged(w.Code, linkcheckerWarning(w))
	}
	return strings.Join(lines, "\n")
}

// taggedInfos returns the information with its codes, one a line.
func (row *linkcheckerRow) taggedInfos() string {
	lines := make([]string, len(row.infos))
	for i, w := range row.infos {
		lines[i] = linkcheckerTagged(w.Code, w.Message)
	}
	return strings.Join(lines, "\n")
}

// linkcheckerLines writes a line for each row, between lines that are comments.
type linkcheckerLines struct {
	out     *bufio.Writer
	comment string // what a comment begins with
	linkcheckerRows
}

func newLinkcheckerLines(w io.Writer, comment string, o Options) linkcheckerLines {
	return linkcheckerLines{bufio.NewWriter(w), comment, newLinkcheckerRows(o)}
}

func (l *linkcheckerLines) Begin(h *Head) error {
	l.head = h
	for _, line := range l.intro(h.Summary) {
		l.out.WriteString(l.comment + line + "\n")
	}
	return nil // Flush returns the error of the writer
}

func (l *linkcheckerLines) End(s *result.Summary) error {
	l.out.WriteString(l.comment + l.outro(s) + "\n")
	return l.out.Flush()
}

// linkcheckerTime formats a time as LinkChecker does, with three digits for the offset
// from UTC.
func linkcheckerTime(t time.Time) string { return t.UTC().Format("2006-01-02 15:04:05") + "+000" }

// intro returns the comments at the beginning of a report.
func (l *linkcheckerRows) intro(s *result.Summary) []string {
	return []string{
		visible(strings.TrimSpace(cmp.Or(l.head.Tool.Name, "orbweaver")+" "+l.head.Tool.Version)) + " created this report at " + linkcheckerTime(l.started(s)),
		"Read the documentation at " + projectURL,
		"It has the format of a LinkChecker report",
	}
}

// outro returns the comment at the end of a report.
func (l *linkcheckerRows) outro(s *result.Summary) string {
	elapsed := max(s.Elapsed, 0)
	return fmt.Sprintf("Stopped checking at %s (%d seconds)", linkcheckerTime(l.started(s).Add(elapsed)), int(elapsed.Round(time.Second).Seconds()))
}

func (l *linkcheckerRows) started(s *result.Summary) time.Time {
	started, _ := l.head.of(s)
	return started.Truncate(time.Second) // a JSON report has no fractions of seconds
}

// linkcheckerModified formats the time of the last modification.
func linkcheckerModified(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.UTC().Format("2006-01-02 15:04:05.000000Z")
}

// pythonFloat formats a number as Python does.
func pythonFloat(f float64) string {
	switch {
	case f == 0:
		return "0"
	case f == math.Trunc(f) && math.Abs(f) < 1e15:
		return strconv.FormatFloat(f, 'f', 1, 64)
	case math.Abs(f) < 1e-4:
		return strconv.FormatFloat(f, 'e', -1, 64)
	}
	return strconv.FormatFloat(f, 'f', -1, 64)
}

// lineOrEmpty formats a line or column number; it returns "" for 0, which means unknown.
func lineOrEmpty(n int) string {
	if n == 0 {
		return ""
	}
	return strconv.Itoa(n)
}

func zeroOne(b bool) string {
	if b {
		return "1"
	}
	return "0"
}
