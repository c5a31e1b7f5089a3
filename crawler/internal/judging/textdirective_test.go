package judging

import (
	"strings"
	"testing"

	"github.com/orbweaver/orbweaver/crawler/check"
)

func TestTextDirectives(t *testing.T) {
	const page = "The quick brown fox\njumps over the lazy dog. Über-Texte, 100 % sure (really)."
	for _, c := range []struct {
		fragment string
		on       bool
	}{
		{":~:text=quick", true},
		{"a:~:text=QUICK%20%20brown", true},
		{":~:text=fox%20jumps", true},
		{":~:text=The,dog", true},
		{":~:text=dog,The", false},
		{":~:text=brown-,fox", true},
		{":~:text=quick-,fox", false},
		{":~:text=fox,-jumps", true},
		{":~:text=fox,-over", false},
		{":~:text=brown-,fox,dog,-.", true},
		{":~:text=rown", false},
		{":~:text=%C3%BCber-Texte", true},
		{":~:text=(really)", true},
		{":~:text=100%20%25", true},
		{":~:text=quick&text=cat", false},
		{":~:text=quick&other=cat", true},
		{":~:text=", true},        // invalid: browsers ignore it
		{":~:text=-,a,-", true},   // likewise
		{":~:text=a,b,c", true},   // likewise
		{":~:text=a-,-b", true},   // likewise
		{":~:other=cat", true},    // not a text directive
		{"text=cat", true},        // a name
		{":~:text=c.t", false},    // not a pattern
		{":~:text=\\E", false},    // likewise
		{":~:text=%FF%FE", false}, // not UTF-8
	} {
		static := &Outcome{Code: check.CodeOK, Content: Content{Static: true}}
		g := static.JudgeTexts(Question{Fragment: c.fragment}, page, "")
		if on := g.Verdict == check.OK; on != c.on {
			t.Errorf("%s: %+v", c.fragment, g)
		}
		if g.Verdict != check.OK && g.Code != check.CodeFragmentMissing {
			t.Errorf("%s: %s", c.fragment, g.Code)
		}
		if has := HasTextDirective(c.fragment); has != strings.Contains(c.fragment, ":~:text=") {
			t.Errorf("HasTextDirective(%s) = %v", c.fragment, has)
		}
	}
}

// A text that scripts may write on another site's page, and a page that could not be read, are
// not evidence.
func TestTextsWithoutEvidence(t *testing.T) {
	scripted := &Outcome{Code: check.CodeOK}
	q := Question{Fragment: ":~:text=cat"}
	if g := scripted.JudgeTexts(q, "dog", ""); g.Verdict != check.Unverified || g.Code != check.CodeFragmentUnverified {
		t.Errorf("%+v", g)
	}
	if g := scripted.JudgeTexts(q, "", "timeout"); g.Verdict != check.Unverified || !strings.Contains(g.Message, "timeout") {
		t.Errorf("%+v", g)
	}
	q.Internal = true
	if g := scripted.JudgeTexts(q, "dog", ""); g.Verdict != check.Broken {
		t.Errorf("%+v", g)
	}
}

// Every start of a directive that is found on a page is found in itself.
func FuzzTextDirectives(f *testing.F) {
	f.Add(":~:text=a-,b%20c,d,-e", "a b c d e")
	f.Add("x:~:text=%C3&text=,&text=a,-b", "\xFF")
	f.Add(":~:text=((((", "((((")
	f.Fuzz(func(t *testing.T, fragment, page string) {
		for _, d := range TextDirectives(fragment) {
			d.isOn(page)
			if d.start == "" {
				t.Errorf("%q has a directive without a text", fragment)
			}
			whole := TextDirective{start: d.start}
			if words := strings.Join(strings.Fields(d.start), " "); words != "" && !whole.isOn(words) {
				t.Errorf("%q is not found in itself", d.start)
			}
		}
	})
}
