package fix

import (
	"testing"

	"github.com/orbweaver/orbweaver/crawler/extract"
)

func TestOffsetsOfInvalidUTF8(t *testing.T) {
	const body = "a\xE2\x82\xFF\xF0\x9F\x98\xED\xA0b\uFFFD\xC3\xC3\xA9\xE2\x82"
	text, name, _ := extract.Decode(extract.Input{Body: []byte(body), ContentType: "text/html; charset=utf-8"})
	if want := "a\uFFFD\uFFFD\uFFFD\uFFFD\uFFFDb\uFFFD\uFFFDé\uFFFD"; string(text) != want {
		t.Fatalf("%+q, want %+q", text, want)
	}
	o, err := newOffsets([]byte(body), text, name)
	if err != nil {
		t.Fatal(err)
	}
	wants := []int{0, 1, 3, 4, 7, 8, 9, 10, 13, 14, 16, 18}
	i := 0
	for off := range string(text) {
		if got := o.at(off); got != wants[i] {
			t.Errorf("byte %d of the text is at %d, want %d", off, got, wants[i])
		}
		i++
	}
	if got := o.at(len(text)); got != len(body) {
		t.Errorf("the end is at %d, want %d", got, len(body))
	}
}
