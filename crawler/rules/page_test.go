package rules

import (
	"reflect"
	"testing"
)

func FuzzPage(f *testing.F) {
	full := Page{Format: "html", NoIndex: true, Canonical: "https://example.com/"}
	plain := EncodePage(&full)
	f.Add(plain)
	if with, err := PageWith(plain, []byte("next")); err != nil {
		f.Fatal(err)
	} else {
		f.Add(with)
	}
	f.Add([]byte{pageKept, 0})
	f.Add([]byte{pageKept, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1})
	f.Fuzz(func(t *testing.T, kept []byte) {
		p, next, err := DecodePage(kept)
		if err != nil {
			return
		}
		encoded := EncodePage(p)
		if again, none, err := DecodePage(encoded); err != nil || !reflect.DeepEqual(again, p) || len(none) > 0 {
			t.Errorf("%+v came back as %+v with %q, %v", p, again, none, err)
		}
		with, err := PageWith(encoded, next)
		if err != nil {
			t.Fatal(err)
		}
		if again, more, err := DecodePage(with); err != nil || !reflect.DeepEqual(again, p) || string(more) != string(next) {
			t.Errorf("%+v with %q came back as %+v with %q, %v", p, next, again, more, err)
		}
	})
}
