package fetch

import (
	"bytes"
	"errors"
	"io"
	"math"
	"testing"
	"testing/iotest"
)

// TestBodiesRead: whatever was said of the size, what comes is read, up to the limit.
func TestBodiesRead(t *testing.T) {
	whole := make([]byte, 3<<20)
	for i := range whole {
		whole[i] = byte(i % 251)
	}
	broken := errors.New("broken")
	readers := map[string]func([]byte) io.Reader{
		"at once":       func(p []byte) io.Reader { return bytes.NewReader(p) },
		"end with data": func(p []byte) io.Reader { return iotest.DataErrReader(bytes.NewReader(p)) },
		"by halves":     func(p []byte) io.Reader { return iotest.HalfReader(bytes.NewReader(p)) },
	}
	buffers := Buffers{Most: 3}
	for name, reader := range readers {
		for _, length := range []int{0, 1, 511, 512, 513, 40 << 10, untrustedRoom, untrustedRoom + 1, len(whole)} {
			for _, said := range []int{-1, 0, length - 1, length, length + 1, 2 * length, math.MaxInt} {
				for _, most := range []int{1, 512, length, length + 1, 10 << 20} {
					body, err := buffers.Read(reader(whole[:length]), int64(said), int64(most), false)
					if want := whole[:min(length, most)]; err != nil || !bytes.Equal(body, want) {
						t.Fatalf("%s: of %d bytes, said to be %d, at most %d: %d bytes, %v", name, length, said, most, len(body), err)
					}
					if room := max(firstRoom, 8*untrustedRoom, 8*len(body)); cap(body) > room {
						t.Errorf("%s: %d bytes, said to be %d, at most %d, take %d", name, length, said, most, cap(body))
					}
					buffers.Give(body)
					if len(buffers.free) > buffers.Most || buffers.kept > mostKept {
						t.Fatalf("%d bodies of %d bytes are kept", len(buffers.free), buffers.kept)
					}
				}
			}
		}
	}
	body, err := buffers.Read(io.MultiReader(bytes.NewReader(whole[:1000]), iotest.ErrReader(broken)), 5000, 9000, false)
	if err != broken || !bytes.Equal(body, whole[:1000]) {
		t.Errorf("%d bytes and %v of a body that breaks", len(body), err)
	}
}

// TestBodiesKept: memory goes to whom it fits, and what is kept is bounded.
func TestBodiesKept(t *testing.T) {
	b := Buffers{Most: 3}
	for _, size := range []int{500, 100, 0, 300, mostKept + 1} {
		b.Give(make([]byte, size))
	}
	if body := b.take(200); cap(body) != 300 || len(body) != 0 {
		t.Errorf("for 200 bytes, memory of %d was taken", cap(body))
	}
	if body := b.take(501); cap(body) < 501 {
		t.Errorf("for 501 bytes, memory of %d was taken", cap(body))
	}
	if body := b.takeLargest(); cap(body) != 500 {
		t.Errorf("the largest is of %d bytes", cap(body))
	}
	b.Give(make([]byte, 400))
	b.Give(make([]byte, 200))
	b.Give(make([]byte, 50))  // less than any
	b.Give(make([]byte, 300)) // in place of the smallest
	var kept []int
	for range 3 {
		kept = append(kept, cap(b.take(1)))
	}
	if kept[0] != 200 || kept[1] != 300 || kept[2] != 400 {
		t.Errorf("memory of %v bytes was kept", kept)
	}
	b.Give(make([]byte, 400))
	b.Give(make([]byte, mostKept/2))
	b.Give(make([]byte, mostKept/2))
	if body := b.takeLargest(); cap(body) != mostKept/2 || b.kept != 400 {
		t.Errorf("beside memory of %d bytes %d are kept", cap(body), b.kept)
	}
	b.Release()
	if body := b.takeLargest(); cap(body) != firstRoom {
		t.Errorf("after it was emptied there is memory of %d bytes", cap(body))
	}
}

// TestBodiesFit: a body that says how long it is takes no more memory than that, and
// one that lies about it little more than what came.
func TestBodiesFit(t *testing.T) {
	for _, row := range []struct {
		length, said int
		trusted      bool
		most         int // bytes of memory
	}{
		{100 << 10, 100 << 10, false, 100<<10 + endRoom},
		{5 << 20, 5 << 20, false, 5<<20 + endRoom},
		{5 << 20, 5 << 20, true, 5<<20 + endRoom},
		{1 << 10, 9 << 20, false, untrustedRoom + endRoom},
		{untrustedRoom + endRoom + 1, math.MaxInt, false, 8 * (untrustedRoom + endRoom)},
		{20 << 10, -1, false, firstRoom},
	} {
		var b Buffers
		body, err := b.Read(bytes.NewReader(make([]byte, row.length)), int64(row.said), 20<<20, row.trusted)
		if err != nil || len(body) != row.length || cap(body) > row.most+row.most/8 { // sizes are rounded up
			t.Errorf("%d bytes, said to be %d: %d bytes in %d, %v", row.length, row.said, len(body), cap(body), err)
		}
	}
}
