package record

import (
	"bytes"
	"encoding/binary"
	"testing"
)

// TestReader reads what was written, and nothing after the first failure.
func TestReader(t *testing.T) {
	whole := AppendBool(AppendString(AppendString(nil, "text"), []byte("bytes")), true)
	whole = binary.AppendVarint(binary.AppendUvarint(binary.LittleEndian.AppendUint64(whole, 7), 300), -300)
	for _, text := range []string{"", string(whole)} {
		for n := range len(whole) + 1 {
			r := Reader{Rest: whole[:n]}
			if text != "" {
				r = NewReader(whole[:n], text[:n])
			}
			s, b, is, fixed, count, signed := r.String(), r.Bytes(), r.Bool(), r.Uint64(), r.Count(300), r.Varint()
			all := s == "text" && bytes.Equal(b, []byte("bytes")) && is && fixed == 7 && count == 300 && signed == -300
			if all != (n == len(whole)) || r.Done() != all || r.Failed == all {
				t.Errorf("%d of %d bytes: %q %q %t %d %d %d, failed %t", n, len(whole), s, b, is, fixed, count, signed, r.Failed)
			}
			if r.Failed && (r.String() != "" || r.Take(0) != nil || r.Byte() != 0) {
				t.Errorf("%d bytes: something was read after the failure", n)
			}
		}
	}
	for _, damaged := range []Reader{{Rest: []byte{2}}, {Rest: []byte{5}}} {
		if damaged.Bool() || !damaged.Failed || damaged.Count(1) != 0 {
			t.Errorf("%+v: read as a bool", damaged)
		}
	}
	over := Reader{Rest: []byte{5}}
	if over.Count(4) != 0 || !over.Failed {
		t.Error("a number over the limit was read")
	}
	for least, want := range map[int]int{1: 2, 2: 2, 3: 0} {
		r := Reader{Rest: []byte{2, 1, 2, 3, 4}}
		if got := r.Entries(least); got != want || r.Failed != (want == 0) {
			t.Errorf("2 entries of %d bytes or more in 4 bytes: got %d, failed %t", least, got, r.Failed)
		}
	}
}
