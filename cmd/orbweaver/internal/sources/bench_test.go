package sources

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/orbweaver/orbweaver/crawler/result"
)

// BenchmarkMap finds the sources of links on two hundred pages, including the reading of files.
func BenchmarkMap(b *testing.B) {
	const pages, links = 200, 20
	files := map[string]string{}
	var all []result.Result
	for i := range pages {
		var text strings.Builder
		for k := range links {
			target := fmt.Sprintf("https://e.test/%d/%d", i, k)
			fmt.Fprintf(&text, "A paragraph with [a link](%s) in it.\n\n", target)
			all = append(all, result.Result{URL: target, References: []result.Reference{
				{Page: fmt.Sprintf("site/p%d/index.html", i), Line: k + 1, Column: 10, Element: "a", Attribute: "href", Raw: target, Text: "a link"}}})
		}
		files[fmt.Sprintf("docs/p%d.md", i)] = text.String()
		files[fmt.Sprintf("site/p%d/index.html", i)] = "<p>"
	}
	dir := tree(b, files)
	b.ReportAllocs()
	for b.Loop() {
		made, err := Open(".", dir, []string{"site"})
		if err != nil {
			b.Fatal(err)
		}
		for i := range all {
			r := all[i]
			r.References = slices.Clone(r.References)
			if made.Map(&r); r.References[0].Source == nil {
				b.Fatalf("%s: no source was found", r.URL)
			}
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*pages*links), "ns/link")
}
