package verdicts

import (
	"fmt"
	"reflect"
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
	if got := p.references.all(&names, unaffected); !reflect.DeepEqual(got, want) {
		t.Errorf("got  %+v\nwant %+v", got, want)
	}
	if got := (*referenceList)(nil).all(&names, unaffected); got != nil {
		t.Errorf("got %+v of an empty list", got)
	}
}
