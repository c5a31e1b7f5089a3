package report

import (
	"encoding/csv"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/orbweaver/orbweaver/crawler/check"
	"github.com/orbweaver/orbweaver/crawler/result"
)

// linkcheckerRun is our run for the site of the samples.
func linkcheckerRun() (*Report, []*result.Page) {
	const site = "http://127.0.0.1:8765/"
	place := func(page string, line, column int, raw, text string) result.Reference {
		return result.Reference{Page: page, Line: line, Column: column, Element: "a", Attribute: "href", Raw: raw, Text: text}
	}
	ok := func(url string, refs ...result.Reference) *result.Result {
		return &result.Result{URL: url, Code: "ok", Internal: true, Status: 200, Elapsed: 12 * time.Millisecond, FinalURL: url, Size: 80, References: refs}
	}
	broken := func(url string, code check.Code, status int, message string, refs ...result.Reference) *result.Result {
		return &result.Result{URL: url, Verdict: check.Broken, Code: code, Status: status, Message: message, Internal: strings.HasPrefix(url, site), Size: -1, References: refs}
	}
	old := ok(site+"old", place(site, 6, 10, "old", "moved"))
	old.FinalURL, old.Redirects = site+"b.html", []result.Hop{{URL: site + "old", Status: 301}}
	old.Warnings = []check.Warning{{Code: "redirect-permanent", Message: "moved permanently", Proposal: site + "b.html"}}
	run := &Report{
		Head:    Head{Tool: Tool{Name: "orbweaver", Version: "1.0.0"}, Started: started, Targets: []string{site}},
		Summary: result.Summary{Started: started, Elapsed: 3 * time.Second},
		Results: []*result.Result{
			ok(site, result.Reference{Page: result.CommandLine, Raw: site}),
			ok(site+"b.html", place(site, 2, 10, "b.html", "to B"), place(site, 10, 10, " b.html ", "blank"), place(site+"sub/", 1, 28, "../b.html", "b")),
			broken(site+"b.html#nope", "fragment-missing", 200, `no element has the id "nope"`, place(site, 3, 10, "b.html#nope", "nope")),
			broken(site+"gone.html", "http-404", 404, "", place(site, 4, 10, "gone.html", `it's "gone"; really`), place(site+"b.html", 1, 53, "gone.html", "again")),
			ok(site+"i.png", place(site, 7, 11, "i.png", "pic")),
			ok(site+"index.html", place(site+"b.html", 1, 31, "index.html", "home")),
			old,
			ok(site+"sub/", place(site, 5, 10, "sub/", "sub é")),
			broken("mailto:a@b@c", "uri-invalid", 0, "'@' is not allowed unquoted", place(site, 8, 10, "mailto:a@b@c", "m")),
			{URL: "http://127.0.0.1:9/x?a=1&b=2", Verdict: check.Skipped, Code: "external", Size: -1,
				References: []result.Reference{place(site, 9, 10, "http://127.0.0.1:9/x?a=1&amp;b=2", "port")}},
		},
	}
	edge := func(url, text string) result.Edge { return result.Edge{URL: url, Text: text} }
	pages := []*result.Page{
		{URL: site, Title: `Home "page" & `, Links: []result.Edge{edge(site+"b.html", "to B"), edge(site+"gone.html", "really"), edge("http://127.0.0.1:9/x?a=1&b=2", "port")}},
		{URL: site + "b.html", Depth: 1, Modified: started.Truncate(time.Second), Links: []result.Edge{edge(site+"index.html", "home")}},
		{URL: site + "sub/", Depth: 1, Links: []result.Edge{edge(site+"b.html", "b")}},
	}
	return run, pages
}

func linkcheckerSample(t testing.TB, kind string) (theirs, ours string) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("testdata", "linkchecker", "sample."+kind))
	if err != nil {
		t.Fatal(err)
	}
	run, pages := linkcheckerRun()
	return string(text), renderPages(t, "linkchecker-"+kind, Options{Show: ShowAll}, run, pages)
}

func TestLinkcheckerGolden(t *testing.T) {
	for _, kind := range []string{"csv", "xml", "gml", "dot", "gxml", "sql"} {
		_, ours := linkcheckerSample(t, kind)
		golden(t, "linkchecker."+kind+".golden", []byte(ours))
	}
}

// comments counts the comment lines at the beginning and at the end.
func comments(document, mark string) (before, after int) {
	lines := strings.Split(strings.TrimSuffix(document, "\n"), "\n")
	for _, line := range lines {
		if !strings.HasPrefix(line, mark) {
			break
		}
		before++
	}
	for _, line := range slices.Backward(lines) {
		if !strings.HasPrefix(line, mark) {
			break
		}
		after++
	}
	return before, after
}

func sameComments(t *testing.T, theirs, ours, mark string) {
	t.Helper()
	before, after := comments(theirs, mark)
	if b, a := comments(ours, mark); b != before || a != after {
		t.Errorf("%d and %d comments, want %d and %d", b, a, before, after)
	}
}

func TestLinkcheckerCSVFormat(t *testing.T) {
	theirs, ours := linkcheckerSample(t, "csv")
	sameComments(t, theirs, ours, "#")
	read := func(text string) (header []string, rows map[string][]string) {
		r := csv.NewReader(strings.NewReader(text))
		r.Comma, r.Comment, r.FieldsPerRecord = ';', '#', -1
		all, err := r.ReadAll()
		if err != nil {
			t.Fatal(err)
		}
		rows = map[string][]string{}
		for _, row := range all[1:] {
			// LinkChecker omits an unknown line and column; ours are empty.
			if len(row) == len(all[0]) && rows[row[0]] == nil {
				rows[row[0]] = row
			}
		}
		return all[0], rows
	}
	header, rows := read(theirs)
	ourHeader, ourRows := read(ours)
	if !slices.Equal(header, ourHeader) {
		t.Errorf("header %v, want %v", ourHeader, header)
	}
	// Each of LinkChecker's rows is in our report, with the same values except for
	// measurements and wording.
	for name, want := range rows {
		got := ourRows[name]
		if got == nil {
			t.Errorf("no row of %s", name)
			continue
		}
		for i, column := range header {
			switch column {
			case "result", "infostring", "warningstring", "column", "dltime", "size", "checktime", "modified":
			default:
				if want[i] == "sub Ã©" {
					want[i] = "sub é"
				}
				if got[i] != want[i] {
					t.Errorf("%s: %s is %q, want %q", name, column, got[i], want[i])
				}
			}
		}
	}
	if got := ourRows["gone.html"][3]; got != "404 Not Found" {
		t.Errorf("result %q", got)
	}
	if got := ourRows["old"][5]; got != "Redirected to `http://127.0.0.1:8765/b.html'." {
		t.Errorf("info %q", got)
	}
	if got := ourRows["b.html"][16]; got != "2026-01-02 03:04:05.000000Z" {
		t.Errorf("modified %q", got)
	}
}

func TestLinkcheckerSQLFormat(t *testing.T) {
	theirs, ours := linkcheckerSample(t, "sql")
	sameComments(t, theirs, ours, "--")
	const table = `create table linksdb (urlname text, parentname text, baseref text, valid int, result text, warning text, info text, url text,
		line int, col int, name text, checktime int, dltime int, size int, cached int, level int, modified text);`
	const ask = "select urlname, parentname, baseref, valid, url, line, name, cached, level from linksdb"
	rows := func(script string) []string {
		cmd := exec.Command(tool(t, "sqlite3"), "-batch", "-bail", "-nullvalue", "NULL", ":memory:")
		cmd.Stdin = strings.NewReader(table + "\n" + script + "\n" + ask + ";\n")
		out, err := cmd.Output()
		if err != nil {
			t.Fatalf("%v in %s", err, script)
		}
		return strings.Split(strings.ReplaceAll(string(out), "Ã©", "é"), "\n")
	}
	got := rows(ours)
	for _, want := range rows(theirs) {
		want = strings.Replace(want, "mailto:a%40b%40c", "mailto:a@b@c", 1)
		if strings.HasPrefix(want, "http://127.0.0.1:8765/|") {
			want = strings.Replace(want, "|NULL|NULL|1|", "|NULL|NULL|1|", 1)
		}
		if !slices.Contains(got, want) {
			t.Errorf("lacks %s", want)
		}
	}
	insert, _, _ := strings.Cut(theirs[strings.Index(theirs, "insert"):], "'")
	if insert != linkcheckerInsert {
		t.Errorf("want %s", insert)
	}
}

// linkcheckerOrder is the order of the elements in urldata.
var linkcheckerOrder = []string{"url", "name", "parent", "baseref", "realurl", "extern", "dltime", "dlsize", "checktime", "level", "infos", "modified", "warnings", "valid"}

func TestLinkcheckerXMLFormat(t *testing.T) {
	theirs, ours := linkcheckerSample(t, "xml")
	xmllint(t, ours, "")
	for name, document := range map[string]string{"theirs": theirs, "ours": ours} {
		d := xml.NewDecoder(strings.NewReader(document))
		depth, at, comments, elements := 0, 0, 0, 0
		for {
			token, err := d.Token()
			if errors.Is(err, io.EOF) {
				break
			}
			if err != nil {
				t.Fatal(err)
			}
			switch token := token.(type) {
			case xml.Comment:
				comments++
			case xml.StartElement:
				depth++
				switch depth {
				case 1:
					if token.Name.Local != "linkchecker" || len(token.Attr) != 1 || token.Attr[0].Name.Local != "created" ||
						!regexp.MustCompile(`^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\+000$`).MatchString(token.Attr[0].Value) {
						t.Errorf("%s: root %v", name, token)
					}
				case 2:
					at = 0
					elements++
				case 3:
					i := slices.Index(linkcheckerOrder[at:], token.Name.Local)
					if i < 0 {
						t.Errorf("%s: %s is out of order", name, token.Name.Local)
						break
					}
					at += i + 1
				}
				if attributes := map[string]string{"parent": "line column", "valid": "result", "warning": "tag"}[token.Name.Local]; attributes != "" {
					var got []string
					for _, a := range token.Attr {
						got = append(got, a.Name.Local)
					}
					if strings.Join(got, " ") != attributes {
						t.Errorf("%s: %s has %v", name, token.Name.Local, got)
					}
				}
			case xml.EndElement:
				depth--
			}
		}
		if comments != 4 || elements < 9 {
			t.Errorf("%s: %d comments, %d elements", name, comments, elements)
		}
	}
}

// shapes returns the kinds of lines in a document, ignoring strings, numbers and texts.
func shapes(document string) map[string]bool {
	found := map[string]bool{}
	for line := range strings.Lines(document) {
		line = regexp.MustCompile(`"[^"]*"`).ReplaceAllString(strings.TrimSuffix(line, "\n"), `"…"`)
		line = regexp.MustCompile(`>[^<]*</`).ReplaceAllString(line, ">…</")
		line = regexp.MustCompile(`(<!--|//) .*`).ReplaceAllString(line, "$1 …")
		line = regexp.MustCompile(`\b[0-9]+(\.[0-9]+)?`).ReplaceAllString(line, "0")
		found[line] = true
	}
	return found
}

func TestLinkcheckerGraphFormats(t *testing.T) {
	more := map[string][]string{ // lines that LinkChecker can write but the sample does not contain
		"gxml": {`    <edge source="…" target="…">`, `        <valid>…</valid>`, `    </edge>`},
	}
	for _, kind := range []string{"gml", "dot", "gxml"} {
		theirs, ours := linkcheckerSample(t, kind)
		known := shapes(theirs)
		for _, line := range more[kind] {
			known[line] = true
		}
		for line := range shapes(ours) {
			if !known[line] {
				t.Errorf("%s: %q is no line of LinkChecker's", kind, line)
			}
		}
	}
	_, gml := linkcheckerSample(t, "gml")
	if n := strings.Count(gml, "  edge ["); n != 5 {
		t.Errorf("gml: %d edges", n)
	}
	_, gxml := linkcheckerSample(t, "gxml")
	xmllint(t, gxml, "")
	_, dot := linkcheckerSample(t, "dot")
	if labels, _, edges := readDot(t, dot); len(labels) < 8 || len(edges) != 5 {
		t.Errorf("dot: %d nodes, %d edges", len(labels), len(edges))
	}
}

// Nodes with the same title stay distinct.
func TestLinkcheckerDotLabelsAreUnique(t *testing.T) {
	pages := []*result.Page{{URL: "https://example.com/a", Title: "Same"}, {URL: "https://example.com/b", Title: "Same"}}
	labels, _, _ := readDot(t, renderPages(t, "linkchecker-dot", Options{}, &Report{}, pages))
	if len(labels) != 2 {
		t.Errorf("%v", labels)
	}
}

func TestPythonFloat(t *testing.T) {
	for f, want := range map[float64]string{0: "0", 1: "1.0", 0.012: "0.012", 0.00001: "1e-05", 1.5: "1.5"} {
		if got := pythonFloat(f); got != want {
			t.Errorf("%v: got %s, want %s", f, got, want)
		}
	}
}

func TestSQLString(t *testing.T) {
	for in, want := range map[string]string{
		"": "NULL", "it's": "'it''s'", `\'; drop`: `'\\''; drop'`, "a\nb": `'a\nb'`, "\x00": `'\\u0000'`,
	} {
		if got := sqlString(in); got != want {
			t.Errorf("%q: got %s, want %s", in, got, want)
		}
	}
}

// An unverified target is not an error for LinkChecker's scripts.
func TestLinkcheckerOfUnverified(t *testing.T) {
	var out strings.Builder
	w := newWriter(t, &linkcheckerCSVFormat, &out, Options{})
	run := &Report{Results: []*result.Result{{URL: "https://example.org/", Verdict: check.Unverified, Code: "http-403", Status: 403, Size: -1}}}
	if err := run.Write(w); err != nil {
		t.Fatal(err)
	}
	if want := "https://example.org/;;;403 Forbidden;[http-403] 403 forbidden;;True;https://example.org/;"; !strings.Contains(out.String(), want) {
		t.Errorf("got %s", fmt.Sprint(out.String()))
	}
}
