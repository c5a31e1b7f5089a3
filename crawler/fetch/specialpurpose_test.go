package fetch

import (
	"bytes"
	"encoding/csv"
	"flag"
	"fmt"
	"net/netip"
	"os"
	"slices"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write specialpurpose_table.go from the registries in testdata/iana")

// TestSpecialPurposeGenerated checks that the table is that of the registries.
func TestSpecialPurposeGenerated(t *testing.T) {
	const file = "specialpurpose_table.go"
	want := specialPurposeTable(t)
	if *update {
		if err := os.WriteFile(file, want, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if got, err := os.ReadFile(file); err != nil || !bytes.Equal(got, want) {
		t.Errorf("%s is out of date (%v): go test ./crawler/fetch -run SpecialPurposeGenerated -update", file, err)
	}
}

// specialPurposeTable returns the Go source of the table. A block that is not certain to
// be globally reachable ("N/A", or terminated) is not public.
func specialPurposeTable(t *testing.T) []byte {
	type row struct {
		block  netip.Prefix
		name   string
		public bool
	}
	var rows []row
	for _, family := range []string{"ipv4", "ipv6"} {
		text, err := os.ReadFile("testdata/iana/iana-" + family + "-special-registry-1.csv")
		if err != nil {
			t.Fatal(err)
		}
		records, err := csv.NewReader(bytes.NewReader(text)).ReadAll()
		if err != nil {
			t.Fatal(err)
		}
		head, records := records[0], records[1:]
		name, reachable := slices.Index(head, "Name"), slices.Index(head, "Globally Reachable")
		for _, record := range records {
			for block := range strings.SplitSeq(record[0], ",") {
				block, _, _ = strings.Cut(strings.TrimSpace(block), " ") // a reference to a footnote may follow
				prefix, err := netip.ParsePrefix(block)
				if err != nil {
					t.Fatal(err)
				}
				rows = append(rows, row{prefix, strings.Trim(record[name], `"`), record[reachable] == "True"})
			}
		}
	}
	slices.SortStableFunc(rows, func(a, b row) int { return b.block.Bits() - a.block.Bits() })
	var b bytes.Buffer
	b.WriteString("// Code generated from testdata/iana by go test -run SpecialPurposeGenerated -update. DO NOT EDIT.\n\n" +
		"package fetch\n\nimport \"net/netip\"\n\n" +
		"// specialPurposes are the blocks of IANA's registries, the longest prefixes first. The\n" +
		"// first block that contains an address applies.\n" +
		"var specialPurposes = []specialPurpose{\n")
	for _, r := range rows {
		fmt.Fprintf(&b, "\t// %s\n\t{netip.MustParsePrefix(%q), %t},\n", r.name, r.block, r.public)
	}
	b.WriteString("}\n")
	return b.Bytes()
}
