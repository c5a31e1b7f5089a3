package buffers

import (
	"bytes"
	"errors"
	"io"
	"math"
	"testing"
	"testing/iotest"
)

// TestBodiesRead checks that all data is read up to the limit, whatever size was
// declared.
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
	buffers := Pool{Most: 3}
	for name, reader := range readers {
		for _, length := range []int{0, 1, 511, 512, 513, 40 << 10, maxUntrustedCapacity, maxUntrustedCapacity + 1, len(whole)} {
			for _, declared := range []int{-1, 0, length - 1, length, length + 1, 2 * length, math.MaxInt} {
				for _, most := range []int{1, 512, length, length + 1, 10 << 20} {
					body, err := buffers.Read(reader(whole[:length]), int64(declared), int64(most), false)
					if want := whole[:min(length, most)]; err != nil || !bytes.Equal(body, want) {
						t.Fatalf("%s: of %d bytes, declared as %d, at most %d: %d bytes, %v", name, length, declared, most, len(body), err)
					}
					if room := max(initialCapacity, 8*maxUntrustedCapacity, 8*len(body)); cap(body) > room {
						t.Errorf("%s: %d bytes, declared as %d, at most %d, take %d", name, length, declared, most, cap(body))
					}
					buffers.Give(body)
					if len(buffers.free) > buffers.Most || buffers.freeBytes > maxFreeBytes {
						t.Fatalf("%d free buffers with %d bytes", len(buffers.free), buffers.freeBytes)
					}
				}
			}
		}
	}
	body, err := buffers.Read(io.MultiReader(bytes.NewReader(whole[:1000]), iotest.ErrReader(broken)), 5000, 9000, false)
	if err != broken || !bytes.Equal(body, whole[:1000]) {
		t.Errorf("%d bytes and %v of a truncated body", len(body), err)
	}
}

// TestBodiesKept checks that the buffer that fits best is used, and that free buffers
// stay within the limits.
func TestBodiesKept(t *testing.T) {
	b := Pool{Most: 3}
	for _, size := range []int{500, 100, 0, 300, maxFreeBytes + 1} {
		b.Give(make([]byte, size))
	}
	if body := b.take(200); cap(body) != 300 || len(body) != 0 {
		t.Errorf("for 200 bytes, the capacity is %d", cap(body))
	}
	if body := b.take(501); cap(body) < 501 {
		t.Errorf("for 501 bytes, the capacity is %d", cap(body))
	}
	if body := b.takeLargest(); cap(body) != 500 {
		t.Errorf("the largest capacity is %d", cap(body))
	}
	b.Give(make([]byte, 400))
	b.Give(make([]byte, 200))
	b.Give(make([]byte, 50))  // smaller than all others
	b.Give(make([]byte, 300)) // replaces the smallest
	var kept []int
	for range 3 {
		kept = append(kept, cap(b.take(1)))
	}
	if kept[0] != 200 || kept[1] != 300 || kept[2] != 400 {
		t.Errorf("the free buffers have capacities %v", kept)
	}
	b.Give(make([]byte, 400))
	b.Give(make([]byte, maxFreeBytes/2))
	b.Give(make([]byte, maxFreeBytes/2))
	if body := b.takeLargest(); cap(body) != maxFreeBytes/2 || b.freeBytes != 400 {
		t.Errorf("after the largest buffer with capacity %d, %d bytes are free", cap(body), b.freeBytes)
	}
	b.Release()
	if body := b.takeLargest(); cap(body) != initialCapacity {
		t.Errorf("after Release, the capacity is %d", cap(body))
	}
}

// TestBodiesFit checks that a body uses no more memory than its declared size, and if
// that is wrong, little more than its actual size.
func TestBodiesFit(t *testing.T) {
	for _, row := range []struct {
		length, declared int
		trusted          bool
		most             int // bytes of memory
	}{
		{100 << 10, 100 << 10, false, 100<<10 + endMargin},
		{5 << 20, 5 << 20, false, 5<<20 + endMargin},
		{5 << 20, 5 << 20, true, 5<<20 + endMargin},
		{1 << 10, 9 << 20, false, maxUntrustedCapacity + endMargin},
		{maxUntrustedCapacity + endMargin + 1, math.MaxInt, false, 8 * (maxUntrustedCapacity + endMargin)},
		{20 << 10, -1, false, initialCapacity},
	} {
		var b Pool
		body, err := b.Read(bytes.NewReader(make([]byte, row.length)), int64(row.declared), 20<<20, row.trusted)
		if err != nil || len(body) != row.length || cap(body) > row.most+row.most/8 { // capacities are rounded up
			t.Errorf("%d bytes, declared as %d: %d bytes in %d, %v", row.length, row.declared, len(body), cap(body), err)
		}
	}
}
