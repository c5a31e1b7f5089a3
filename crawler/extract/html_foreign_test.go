package extract

import "testing"

// TestForeignDepth checks that a page with endlessly nested elements in SVG costs no more.
func TestForeignDepth(t *testing.T) {
	var f foreign
	f.push(inSVG, 0)
	a := htmlElements.find(keyOf([]byte("a")), []byte("a"))
	for range 4 * maxOther {
		f.pushOther(inSVG, a)
	}
	if len(f.open) != maxOther {
		t.Errorf("%d elements are tracked, want %d", len(f.open), maxOther)
	}
	f.endTag([]byte("td"))
	if f.in() != inHTML || len(f.open) != 0 {
		t.Errorf("%d elements are open after the end tag of an outer element", len(f.open))
	}
}
