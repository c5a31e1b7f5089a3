package report

import (
	"encoding/csv"
	"strings"
	"testing"
	"unicode/utf8"
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
