package report

import (
	"encoding/csv"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/orbweaver/orbweaver/crawler/check"
	"github.com/orbweaver/orbweaver/crawler/result"
)

func TestCSVGolden(t *testing.T) {
	golden(t, "full.csv.golden", []byte(render(t, "csv", Options{}, fullRun())))
	golden(t, "full-all.csv.golden", []byte(render(t, "csv", Options{Show: ShowAll}, fullRun())))
	golden(t, "hostile.csv.golden", []byte(render(t, "csv", Options{}, hostileRun())))
}

func TestCSVIsHarmless(t *testing.T) {
	out := render(t, "csv", Options{Show: ShowAll}, hostileRun())
	if !utf8.ValidString(out) {
		t.Error("is not UTF-8")
	}
	if strings.Contains(out, "secret") {
		t.Error("holds a password")
	}
	rows, err := csv.NewReader(strings.NewReader(out)).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	if len(rows) != len(hostile)+1 {
		t.Errorf("%d rows, want %d", len(rows), len(hostile)+1)
	}
	for _, row := range rows {
		for _, c := range row {
			if c != "" && strings.ContainsAny(c[:1], "=+-@\t\r\n") {
				t.Errorf("%q could be a formula", c)
			}
			if strings.ContainsAny(c, "\x00\x1b\x07\u009b") {
				t.Errorf("%q has control characters", c)
			}
		}
	}
}

// A warning about one link's spelling is not in the rows of other links.
func TestRowsHaveTheWarningsThatConcernThem(t *testing.T) {
	for _, format := range []string{"csv", "linkchecker-csv", "linkchecker-xml", "linkchecker-sql"} {
		out := render(t, format, Options{}, warnedRun())
		if repaired, moved := strings.Count(out, "a blank"), strings.Count(out, "new.html"); repaired != 1 || moved != 2 {
			t.Errorf("%s: %d rows are told of the blank, %d of the redirect:\n%s", format, repaired, moved, out)
		}
	}
}

func TestCell(t *testing.T) {
	for in, want := range map[string]string{
		"":             "",
		"plain":        "plain",
		"a=1":          "a=1",
		"=1":           "'=1",
		"+1":           "'+1",
		"-1":           "'-1",
		"@x":           "'@x",
		"\t=1":         "'\t=1",
		"\r":           `\u000d`,
		"a\r\nb\rc":    "a\nb" + `\u000dc`,
		"a\n ::error":  "a\n " + `\u003a:error`,
		"::x":          `\u003a:x`,
		"##vso[x]":     `\u0023#vso[x]`,
		"\n=":          "'\n=",
		"＝1":           "'＝1",
		"＠x":           "'＠x",
		"-":            "-",
		"--":           "'--",
		"'=1":          "'=1",
		"a\x00\x1b\tb": `a\u0000\u001b` + "\tb",
	} {
		if got := Cell(in); got != want {
			t.Errorf("%q: got %q, want %q", in, got, want)
		}
	}
}

// FuzzCSV tests that fields are quoted as encoding/csv does, which reads them back.
func FuzzCSV(f *testing.F) {
	for _, field := range []string{"", "a", "a,b", `say "a"`, `"`, "a\nb", "a\r\nb", " a", "\ta", "\u2003a", "a ", `\.`, "\xff,", "#x", "é"} {
		f.Add(field, field)
	}
	f.Fuzz(func(t *testing.T, a, b string) {
		var want strings.Builder
		w := csv.NewWriter(&want)
		if err := w.Write([]string{a, b}); err != nil {
			t.Fatal(err)
		}
		w.Flush()
		if got := string(appendCSV(append(appendCSV(nil, a), ','), b)) + "\n"; got != want.String() {
			t.Errorf("%q and %q are %q, want %q", a, b, got, want.String())
		}
	})
}

// TestCSVRemarks tests that each row has the remarks that concern its reference.
func TestCSVRemarks(t *testing.T) {
	r := &result.Result{URL: "http://a/b", Verdict: check.OK, Code: check.CodeOK, Warnings: []check.Warning{{Code: "mixed-content", Message: "m"}, {Code: "url-repaired", Message: "r"}},
		References: []result.Reference{{Page: "p1"}, {Page: "p2", Unaffected: "mixed-content"}, {Page: "p3"}}}
	run := &Report{Head: fullRun().Head, Results: []*result.Result{r}}
	rows, err := csv.NewReader(strings.NewReader(render(t, "csv", Options{Show: ShowAll}, run))).ReadAll()
	if err != nil || len(rows) != 4 {
		t.Fatal(rows, err)
	}
	for i, want := range []string{"mixed-content: m; url-repaired: r", "url-repaired: r", "mixed-content: m; url-repaired: r"} {
		if rows[i+1][12] != want {
			t.Errorf("row %d has %q, want %q", i+1, rows[i+1][12], want)
		}
	}
}
