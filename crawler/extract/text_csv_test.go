package extract

import (
	"bytes"
	"encoding/csv"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"
)

// TestCSVPositions compares the links of random tables with what encoding/csv says about their
// cells: every cell that is a link is read once, with the position of its first character and
// the name of its column.
func TestCSVPositions(t *testing.T) {
	for seed := range uint64(300) {
		r := rand.New(rand.NewPCG(seed, 1))
		separator := []byte(",;\t|")[r.IntN(4)]
		name := "a.csv"
		if separator == '\t' && r.IntN(2) == 0 {
			name = "a.tsv"
		}
		table, isLink := randomTable(r, rune(separator))
		body := table
		switch r.IntN(4) {
		case 0:
			body = append([]byte("\ufeff"), table...)
		case 1:
			body = []byte(inUTF16(string(table)))
		}
		var got []string
		doc := Extract(Input{Body: body, Name: name})
		for _, l := range doc.Links {
			got = append(got, fmt.Sprintf("%d:%d %s %s", l.Line, l.Column, l.Attribute, l.Raw))
		}
		if want := linksOfTable(t, table, rune(separator), isLink); !slices.Equal(got, want) || len(doc.Faults) > 0 {
			t.Fatalf("seed %d, %s: links %q, want %q, faults %q, of\n%q", seed, name, got, want, doc.Faults, table)
		}
	}
}

// linksOfTable returns the links of a table as encoding/csv reads it.
func linksOfTable(t *testing.T, table []byte, separator rune, isLink map[string]bool) (links []string) {
	t.Helper()
	reader := csv.NewReader(bytes.NewReader(table))
	reader.Comma, reader.FieldsPerRecord = separator, -1
	lines := bytes.Split(table, []byte("\n"))
	var columns []string
	for row := 0; ; row++ {
		cells, err := reader.Read()
		if err != nil {
			return links
		}
		for i, cell := range cells {
			if row == 0 {
				name := strings.Join(strings.Fields(cell), " ")
				if isLink[cell] {
					name = ""
				}
				columns = append(columns, name)
			}
			if !isLink[cell] {
				continue
			}
			line, at := reader.FieldPos(i)
			column := utf8.RuneCount(lines[line-1][:at-1]) + 1
			if lines[line-1][at-1] == '"' {
				column++
			}
			links = append(links, fmt.Sprintf("%d:%d %s %s", line, column, columns[i], cell))
		}
	}
}

// randomTable returns a table and the cells in it that are links.
func randomTable(r *rand.Rand, separator rune) (table []byte, isLink map[string]bool) {
	isLink = map[string]bool{}
	var b bytes.Buffer
	w := csv.NewWriter(&b)
	w.Comma, w.UseCRLF = separator, r.IntN(2) == 0
	wide := 2 + r.IntN(5)
	for row := range 1 + r.IntN(6) {
		cells := make([]string, wide)
		for i := range cells {
			if n := row*10 + i; r.IntN(2) == 0 {
				links := []string{"https://e.example/%d", "https://e.example/a,b;c|d(%d)", "http://e.example/é%d?q=1&r=2#x", "a%d@mail.example", "docs/%d.html",
					"../img/é-%d.png", "/x/%d.js", "file%d.pdf", "notes-%d.md#part", "mailto:a%d@mail.example", "ftp://e.example/%d"}
				cells[i] = fmt.Sprintf(links[r.IntN(len(links))], n)
				isLink[cells[i]] = true
				continue
			}
			texts := []string{"", " ", "plain", "é日本", "Node.js", "two\nlines", "\n\n", `a "quote"`, `"`, `""`, "a,b", "a;b|c\td", "1.5", "a/b", "12/31/2026", "x.y", "e.g. this.pdf and more"}
			cells[i] = texts[r.IntN(len(texts))]
		}
		if row == 0 { // what tells the separator
			for i := range cells {
				if !isLink[cells[i]] {
					cells[i] = fmt.Sprintf("column %d", i)
				} else if strings.ContainsAny(cells[i], ",;|") {
					cells[i] = fmt.Sprintf("https://e.example/first-%d", i)
					isLink[cells[i]] = true
				}
			}
		}
		if err := w.Write(cells); err != nil {
			panic(err)
		}
	}
	w.Flush()
	return b.Bytes(), isLink
}
