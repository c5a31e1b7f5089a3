package verdicts

import (
	"reflect"
	"testing"

	"github.com/orbweaver/orbweaver/crawler/frontier"
	"github.com/orbweaver/orbweaver/crawler/rules"
)

func TestReferenceList(t *testing.T) {
	var names pageNames
	first, second := names.add("a.html"), names.add("b.html")
	var list referenceList
	var want []rules.Reference
	for _, r := range []struct {
		page uint32
		rules.Reference
	}{
		{0, rules.Reference{Page: rules.CommandLine, Raw: "https://example.com/"}},
		{first, rules.Reference{Page: "a.html", Line: 3, Column: 9, Element: "a", Attribute: "href", Raw: "x", Text: "X"}},
		{first, rules.Reference{Page: "a.html", Line: 2, Column: 1, Element: "a", Attribute: "href", Raw: "x", Text: "X"}},
		{second, rules.Reference{Page: "b.html", Line: 200_000, Column: 1, Element: "a", Attribute: "cite", Raw: "xy", Text: "X"}},
		{second, rules.Reference{Page: "b.html", Line: 1, Element: "img", Attribute: "src", Raw: "x", Text: ""}},
		{first, rules.Reference{Page: "a.html", Element: "img", Attribute: "src", Raw: "", Text: ""}},
		{second, rules.Reference{Page: "b.html", Element: "img", Attribute: "src", Raw: "\xff\x00", Text: "X"}},
		{second, rules.Reference{Page: "b.html", Element: "img", Attribute: "src", Raw: "x", Text: "X", Rendered: true, Selector: "#a"}},
		{second, rules.Reference{Page: "b.html", Element: "img", Attribute: "src", Raw: "x", Text: "X", Rendered: true}},
		{first, rules.Reference{Page: "a.html", Element: "img", Attribute: "src", Raw: "x", Text: "X"}},
	} {
		var brief frontier.Brief
		if r.Rendered {
			brief.Mark = rules.MarkRendered
		}
		list.add(r.page, &frontier.RawLink{Brief: brief, Selector: []byte(r.Selector), Line: r.Line, Column: r.Column, Element: r.Element, Attribute: r.Attribute, Raw: []byte(r.Raw), Text: []byte(r.Text)})
		want = append(want, r.Reference)
	}
	if got := list.all(&names); !reflect.DeepEqual(got, want) {
		t.Errorf("got  %+v\nwant %+v", got, want)
	}
	if got := new(referenceList).all(&names); got != nil {
		t.Errorf("got %+v of an empty list", got)
	}
}
