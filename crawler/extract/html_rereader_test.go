package extract

import (
	"encoding/binary"
	"strings"
	"testing"
)

// FuzzRereader reads links at arbitrary offsets of arbitrary documents, as in a file that has
// changed. It checks that the links found are in the document after their tags, and that
// reading them all takes no longer than the document allows.
func FuzzRereader(f *testing.F) {
	within := func(s string) []byte { return []byte("<p>a page</p>" + s + strings.Repeat("<p>that goes on</p>\n", 4)) }
	for _, s := range oddMarkup {
		f.Add([]byte(s), []byte{0, 0, 1, 0})
		f.Add(within(s), []byte{13, 0, 0, 0})
	}
	for _, shape := range hostileDocuments {
		f.Add([]byte(shape(500)), []byte("\x00\x00\x20\x00\x14\x00\x1A\x00"))
	}
	f.Add(within(strings.Repeat(`<a href="x"><template>`, 20)), []byte(strings.Repeat("\x0D\x00\x16\x00", 20)))
	f.Fuzz(func(t *testing.T, body, steps []byte) {
		var again Rereader
		again.Reset(body)
		at, before := uint32(0), 0
		for ; len(steps) >= 2; steps = steps[2:] {
			at += uint32(binary.LittleEndian.Uint16(steps))
			if at > uint32(len(body))+2 {
				at %= uint32(len(body)) + 2
			}
			l, ok := again.Link(int32(at))
			if again.read-before > len(body)+1 || before > maxRereadFactor*len(body) && ok {
				t.Fatalf("%d bytes were read, %d of them of the link at %d", again.read, again.read-before, at)
			}
			before = again.read
			if ok && (!strings.Contains(string(body[at-1:]), l.Raw) || l.Line < 1 || l.Column < 1 || len(l.Text) > maxText || l.Tag != 0) {
				t.Fatalf("link %+v at %d of %q", l, at, body)
			}
		}
	})
}
