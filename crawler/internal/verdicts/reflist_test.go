package verdicts

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"github.com/orbweaver/orbweaver/crawler/internal/frontier"
	"github.com/orbweaver/orbweaver/crawler/internal/scope"
	"github.com/orbweaver/orbweaver/crawler/result"
)

func TestReferenceList(t *testing.T) {
	var names pageNames
	first, second := names.add("a.html"), names.add("b.html")
	p := &pair{marks: scope.MarkMixed, expects: 1}
	var want []result.Reference
	for _, r := range []struct {
		page uint32
		mark uint64
		result.Reference
	}{
		{0, scope.MarkMixed, result.Reference{Page: result.CommandLine, Raw: "https://example.com/"}},
		{first, scope.MarkMixed, result.Reference{Page: "a.html", Line: 3, Column: 9, Element: "a", Attribute: "href", Raw: "x", Text: "X"}},
		{first, 0, result.Reference{Page: "a.html", Line: 2, Column: 1, Element: "a", Attribute: "href", Raw: "x", Text: "X", Unaffected: "0"}},
		{second, scope.MarkMixed | scope.MarkUnseen, result.Reference{Page: "b.html", Line: 200_000, Column: 1, Element: "a", Attribute: "cite", Raw: "xy", Text: "X"}},
		{second, scope.MarkMixed | 1, result.Reference{Page: "b.html", Line: 1, Element: "img", Attribute: "src", Raw: "x", Text: "", Unaffected: fmt.Sprint(scope.MarkMixed | 1)}},
		{first, scope.MarkMixed, result.Reference{Page: "a.html", Element: "img", Attribute: "src", Raw: "", Text: ""}},
		{second, scope.MarkMixed, result.Reference{Page: "b.html", Element: "img", Attribute: "src", Raw: "\xff\x00", Text: "X"}},
		{second, scope.MarkMixed | scope.MarkRendered, result.Reference{Page: "b.html", Element: "img", Attribute: "src", Raw: "x", Text: "X", Rendered: true, Selector: "#a"}},
		{second, scope.MarkRendered, result.Reference{Page: "b.html", Element: "img", Attribute: "src", Raw: "x", Text: "X", Rendered: true, Unaffected: "0"}},
	} {
		p.hold(appendReference(nil, r.page, &frontier.RawLink{Brief: frontier.Brief{Mark: r.mark}, Selector: []byte(r.Selector), Line: r.Line, Column: r.Column,
			Element: r.Element, Attribute: r.Attribute, Raw: []byte(r.Raw), Text: []byte(r.Text)}, p))
		want = append(want, r.Reference)
	}
	unaffected := func(mark uint64) string { return fmt.Sprint(mark) }
	if got, _ := p.references.all(&names, unaffected); !reflect.DeepEqual(got, want) {
		t.Errorf("got  %+v\nwant %+v", got, want)
	}
	if got, _ := (*referenceList)(nil).all(&names, unaffected); got != nil {
		t.Errorf("got %+v of an empty list", got)
	}
}

// References are sorted by their pages' numbers as they are by the names.
func TestSortByPages(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for n := range 200 {
		var names pageNames
		for range 1 + n {
			names.add(fmt.Sprintf("%d.html", random.IntN(n+1)))
		}
		var list []result.Reference
		var pages []uint32
		for i := range 3 * n {
			page := uint32(random.IntN(len(names.names) + 1))
			if n%2 == 0 { // as pages are read
				page = uint32(i / 3)
			}
			pages = append(pages, page)
			list = append(list, result.Reference{Page: names.of(page), Line: random.IntN(3), Raw: fmt.Sprint(random.IntN(2)), Text: fmt.Sprint(i)})
		}
		want := slices.Clone(list)
		slices.SortStableFunc(want, func(a, b result.Reference) int { return byPlace(&a, &b) })
		if names.sort(list, pages); !reflect.DeepEqual(list, want) {
			t.Fatalf("%d pages: got  %+v\nwant %+v", n, list, want)
		}
	}
}
