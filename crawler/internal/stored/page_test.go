package stored

import (
	"reflect"
	"testing"

	"github.com/orbweaver/orbweaver/crawler/result"
)

func FuzzPage(f *testing.F) {
	full := result.Page{Format: "html", NoIndex: true, Canonical: "https://example.com/"}
	f.Add(EncodePage(&full))
	f.Add(append(EncodePage(&full), "next"...))
	f.Add([]byte("\x03\x04htmlhttps://example.com/")) // without the length of the canonical address
	f.Add([]byte{pageKept, 0})
	f.Add([]byte{pageKept, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1})
	f.Fuzz(func(t *testing.T, kept []byte) {
		p, next, err := DecodePage(kept)
		if err != nil {
			return
		}
		again, after, err := DecodePage(append(EncodePage(p), next...))
		if err != nil || !reflect.DeepEqual(again, p) || string(after) != string(next) {
			t.Errorf("%+v with %q came back as %+v with %q, %v", p, next, again, after, err)
		}
	})
}

// Pages of older encodings are read.
func TestDecodeOlderPage(t *testing.T) {
	p, next, err := DecodePage([]byte("\x03\x04htmlhttps://example.com/"))
	if err != nil || len(next) > 0 || !reflect.DeepEqual(p, &result.Page{Format: "html", NoIndex: true, Canonical: "https://example.com/"}) {
		t.Errorf("%+v, %q, %v", p, next, err)
	}
}
