package idna

import (
	"cmp"
	_ "embed"
	"slices"
	"strconv"
	"strings"
	"sync"
)

//go:generate go run tables_gen.go -data $UNICODE_PUBLIC

//go:embed tables.txt
var tablesText string

// tables are what is known of all code points.
type tables struct {
	ranges      []codeRange
	mappings    string    // those that are neither shifts nor pairs
	pairs       []nfcPair // the canonical compositions, sorted by their parts
	byComposite []nfcPair // the same, sorted by composite
}

// unicode returns the tables, which are read at the first international name.
var unicode = sync.OnceValue(func() *tables {
	t := &tables{ranges: make([]codeRange, 0, 4096)}
	var mappings strings.Builder
	for line := range strings.Lines(tablesText) {
		kind, rest, _ := strings.Cut(strings.TrimSuffix(line, "\n"), " ")
		switch kind {
		case "range":
			n := numbers(rest)
			t.ranges = append(t.ranges, codeRange{rune(n[0]), codeInfo(n[1])})
		case "pair":
			n := numbers(rest)
			t.pairs = append(t.pairs, nfcPair{rune(n[0]), rune(n[1]), rune(n[2])})
		case "text":
			text, _ := strconv.Unquote(rest) // TestTables compares the length
			mappings.WriteString(text)
		}
	}
	t.mappings, t.byComposite = mappings.String(), slices.Clone(t.pairs)
	slices.SortFunc(t.byComposite, func(a, b nfcPair) int { return cmp.Compare(a.composite, b.composite) })
	return t
})

// numbers reads up to three hexadecimal numbers.
func numbers(text string) (n [3]uint64) {
	for i := range n {
		var field string
		field, text, _ = strings.Cut(text, " ")
		n[i], _ = strconv.ParseUint(field, 16, 32) // TestTables looks at the ranges
	}
	return n
}
