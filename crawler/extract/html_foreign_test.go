package extract

import "testing"

// A page that opens elements without end in SVG costs no more for it.
func TestForeignDepth(t *testing.T) {
	var f foreign
	f.push(inSVG, 0)
	a := htmlElements.find(keyOf([]byte("a")), []byte("a"))
	for range 4 * maxOther {
		f.pushOther(inSVG, a)
	}
	if len(f.open) != maxOther {
		t.Errorf("%d elements are kept track of, want %d", len(f.open), maxOther)
	}
	f.endTag([]byte("td"))
	if f.in() != inHTML || len(f.open) != 0 {
		t.Errorf("%d elements are open behind the end of one outside", len(f.open))
	}
}
