package rules

import (
	"reflect"
	"testing"
)

func FuzzPage(f *testing.F) {
	full := Page{Format: "html", NoIndex: true, Canonical: "https://example.com/"}
	f.Add(EncodePage(&full))
	f.Add([]byte{pageKept, 0})
	f.Add([]byte{pageKept, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1})
	f.Fuzz(func(t *testing.T, kept []byte) {
		p, err := DecodePage(kept)
		if err != nil {
			return
		}
		again, err := DecodePage(EncodePage(p))
		if err != nil || !reflect.DeepEqual(again, p) {
			t.Errorf("%+v came back as %+v, %v", p, again, err)
		}
	})
}
