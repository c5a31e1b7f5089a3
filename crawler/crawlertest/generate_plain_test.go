//go:build !race

package crawlertest

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// TestGenerate crawls the site and compares the findings with Wants.
func TestGenerate(t *testing.T) {
	anchors := regexp.MustCompile(` id="([^"]*)"`)
	for _, pages := range []int{2, 97, 3000} {
		for _, links := range []int{2, 5, 20} {
			g := Generate(7, pages, links)
			ids := map[string]bool{}
			for page := range pages {
				for _, id := range anchors.FindAllStringSubmatch(string(g.appendPage(nil, page)), -1) {
					ids[g.path(page)+"#"+id[1]] = true
				}
			}
			var got []fault
			references := 0
			queue, seen := []string{""}, map[string]bool{"": true}
			for len(queue) > 0 {
				path := queue[0]
				queue = queue[1:]
				page := g.page(path)
				status, _, body := ask(t, g, "GET", "/"+path)
				if (status == 200) != (page >= 0) {
					t.Fatalf("/%s: status %d, page %d", path, status, page)
				}
				for i, line := range strings.Split(body, "\n") {
					for _, at := range generatedLinks.FindAllStringSubmatchIndex(line, -1) {
						references++
						to := line[at[2]:at[3]]
						want := fault{page: g.path(page), line: i + 1, column: at[2], url: to} // the slash before it
						switch target := g.page(to); {
						case target < 0:
							want.code = "http-404"
							got = append(got, want)
							continue
						case at[4] >= 0 && !ids[g.path(target)+line[at[4]-1:at[5]]]:
							want.code, want.url = "fragment-missing", g.path(target)+line[at[4]-1:at[5]]
							got = append(got, want)
						}
						if !seen[to] {
							seen[to] = true
							queue = append(queue, to)
						}
					}
				}
			}
			if len(seen) != pages {
				t.Errorf("%d pages, %d links: %d pages can be reached", pages, links, len(seen))
			}
			if want := pages*links + (pages-1)/missingEvery + 1 + (pages-1)/fragmentEvery + 1; references != want {
				t.Errorf("%d pages, %d links: %d references, want %d", pages, links, references, want)
			}
			if diff := difference(got, slices.Collect(g.wants())); diff != "" {
				t.Errorf("%d pages, %d links:\n%s", pages, links, diff)
			}
			urls := map[string]bool{}
			for _, w := range got {
				urls[w.url] = true
			}
			if g.Broken() != len(urls) {
				t.Errorf("%d pages, %d links: %d broken, want %d", pages, links, g.Broken(), len(urls))
			}
		}
	}
}

// difference returns what is in one list of faults alone.
func difference(got, want []fault) string {
	in := map[fault]string{}
	for _, f := range got {
		in[f] = "found"
	}
	for _, f := range want {
		if in[f] == "found" {
			in[f] = ""
		} else {
			in[f] = "wanted"
		}
	}
	var lines []string
	for f, list := range in {
		if list != "" {
			lines = append(lines, fmt.Sprintf("only %s: %+v", list, f))
		}
	}
	slices.Sort(lines)
	return strings.Join(lines, "\n")
}
