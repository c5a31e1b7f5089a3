package htmlsyntax

import (
	"testing"

	html "github.com/orbweaver/orbweaver/crawler/internal/htmltoken"
)

// TestPhrases checks that the tags of phrase elements, which runs of tokens leave out, do nothing
// but open and close the element.
func TestPhrases(t *testing.T) {
	for e := html.Unknown; e < html.AnnotationXML; e++ {
		if phrasing, _ := e.IsPhrase(); phrasing && (properties[e]&hasEffects != 0 || !isPlain[e]) {
			t.Errorf("%s is no phrase element for the parser", e)
		}
	}
}
