package disk

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// matching returns the indexes of the rules that match a path and query, first from all
// rules and then from the candidates, and the number of candidates.
func matching(x *redirectRules, path, query string) (all, found []int, tried int) {
	segments := splitPath(path)
	number := make(map[*redirectRule]int, len(x.rules))
	for i := range x.rules {
		number[&x.rules[i]] = i
		if _, ok := x.rules[i].match(segments, query); ok {
			all = append(all, i)
		}
	}
	for rule := range x.candidates(strings.Trim(path, "/")) {
		tried++
		if _, ok := rule.match(segments, query); ok {
			found = append(found, number[rule])
		}
	}
	return all, found, tried
}

func TestRedirectCandidates(t *testing.T) {
	x := rulesOf(t, `
/*            /0   200
/a            /1
/a/*          /2
/a/b          /3
/:x           /4   301!
/a/:x/c       /5
/:x/b         /6
/a            /7   302
/             /8
/a/b/*        /9
/a q=1        /10
/*/b          /11
/a/*/c        /12
/:            /13
/a//b         /14
/a/b/c/d/e    /15
`)
	for path, want := range map[string]string{
		"":           "[0 8]",
		"a":          "[0 1 2 4 7 13]",
		"a/":         "[0 1 2 4 7 13]",
		"b":          "[0 4 13]",
		"*":          "[0 4 13]",
		":x":         "[0 4 13]",
		"a/b":        "[0 2 3 6 9]",
		"a/c":        "[0 2]",
		"c/b":        "[0 6]",
		"*/b":        "[0 6 11]",
		"a/b/c":      "[0 2 5 9]",
		"a/*/c":      "[0 2 5 12]",
		"a//b":       "[0 2 14]",
		"a/b/c/d/e":  "[0 2 9 15]",
		"a/b/c/d/ef": "[0 2 9]",
		"ab":         "[0 4 13]",
	} {
		all, found, _ := matching(&x, path, "")
		if got := fmt.Sprint(found); got != want || !slices.Equal(all, found) {
			t.Errorf("%q: %s, want %s; one by one %v", path, got, want, all)
		}
	}
	if _, found, _ := matching(&x, "a", "?q=1"); fmt.Sprint(found) != "[0 1 2 4 7 10 13]" {
		t.Errorf("with a query: %v", found)
	}
	var none redirectRules
	if _, _, tried := matching(&none, "a", ""); tried != 0 {
		t.Errorf("%d candidates without rules", tried)
	}
}

// For all rules, the candidates include every match, in order.
func TestRedirectCandidatesAreComplete(t *testing.T) {
	random := rand.New(rand.NewPCG(5, 6))
	path := func(segments ...string) string {
		var b strings.Builder
		for range random.IntN(5) {
			b.WriteByte('/')
			b.WriteString(segments[random.IntN(len(segments))])
		}
		return b.String()
	}
	matched := 0
	for range 300 {
		var file strings.Builder
		for range random.IntN(60) {
			fmt.Fprintf(&file, "/%s%s /to %d%s\n", path("a", "a", "b", "c", "", "*", ":x", ":y"), []string{"", "", "/*", " q=1", " q=:q"}[random.IntN(5)],
				[]int{200, 301, 302, 404}[random.IntN(4)], []string{"", "!"}[random.IntN(2)])
		}
		x := rulesOf(t, file.String())
		for range 60 {
			at, query := path("a", "a", "b", "c", "d", "", "*", ":x"), []string{"", "?q=1", "?q=2"}[random.IntN(3)]
			all, found, _ := matching(&x, at, query)
			if !slices.Equal(all, found) {
				t.Fatalf("%q%s: %v, one by one %v, of\n%s", at, query, found, all, file.String())
			}
			matched += len(all)
		}
	}
	if matched < 10_000 {
		t.Errorf("only %d matches in all", matched)
	}
}

// manyRedirects returns n rules like those of sites that have moved, and a path that
// each rule matches.
func manyRedirects(n int) (file string, paths []string) {
	var b strings.Builder
	for i := range n {
		switch i % 4 {
		case 0:
			fmt.Fprintf(&b, "/%d /to\n", i)
			paths = append(paths, fmt.Sprint(i))
		case 1:
			fmt.Fprintf(&b, "/blog/2026/%d /to 302\n", i)
			paths = append(paths, fmt.Sprintf("blog/2026/%d", i))
		case 2:
			fmt.Fprintf(&b, "/docs/v%d/* /to/:splat\n", i)
			paths = append(paths, fmt.Sprintf("docs/v%d/a/b", i))
		case 3:
			fmt.Fprintf(&b, "/shop/%d/:item /to/:item 200\n", i)
			paths = append(paths, fmt.Sprintf("shop/%d/x", i))
		}
	}
	b.WriteString("/:lang/last /to\n")
	return b.String(), paths
}

func TestFewRedirectsAreTried(t *testing.T) {
	file, paths := manyRedirects(400)
	x := rulesOf(t, file)
	for i, path := range append(paths, "docs", "docs/none", "none", "de/last") {
		_, found, tried := matching(&x, path, "")
		if tried > 2 {
			t.Errorf("%s: %d rules tried", path, tried)
		}
		if i < len(paths) && (len(found) != 1 || found[0] != i) {
			t.Errorf("%s: rules %v match, want %d", path, found, i)
		}
	}
}

func rulesOf(t testing.TB, file string) redirectRules {
	t.Helper()
	rules, err := parseRedirects(strings.NewReader(file))
	if err != nil {
		t.Fatal(err)
	}
	return newRedirectRules(rules)
}

func BenchmarkRedirects(b *testing.B) {
	file, paths := manyRedirects(20_000)
	b.Run("index", func(b *testing.B) {
		rules, err := parseRedirects(strings.NewReader(file))
		if err != nil {
			b.Fatal(err)
		}
		b.ReportAllocs()
		for b.Loop() {
			newRedirectRules(rules)
		}
	})
	x := rulesOf(b, file)
	for name, path := range map[string]string{"literal": paths[10_001], "splat": paths[10_002], "placeholder": paths[10_003], "none": "guide/install/page"} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				segments := splitPath(path)
				for rule := range x.candidates(path) {
					if _, ok := rule.match(segments, ""); ok {
						break
					}
				}
			}
		})
	}
}
