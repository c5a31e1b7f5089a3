package frontier

import (
	"bytes"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"
)

// TestArena keeps strings of all lengths and reads them in any order.
func TestArena(t *testing.T) {
	for _, a := range []arena{newArena(0, 64), newArena(1, 64), newArena(4096, 256), newArena(1<<20, chunkSize)} {
		random := rand.New(rand.NewPCG(1, uint64(a.size)))
		var spans []span
		var strings [][]byte
		for i := range 2000 {
			n := random.IntN(40)
			if i%50 == 0 {
				n = random.IntN(10 * a.size)
			}
			s := make([]byte, n)
			for k := range s {
				s[k] = byte(random.Uint32())
			}
			at, err := a.put(s[:n/3], s[n/3:])
			if err != nil || at == 0 {
				t.Fatalf("put: %d, %v", at, err)
			}
			spans, strings = append(spans, at), append(strings, s)
			back := random.IntN(len(spans))
			if got, err := a.get(spans[back]); err != nil || !bytes.Equal(got, strings[back]) {
				t.Fatalf("limit %d: string %d of %d came back as %q, %v", a.limit, back, len(spans), got, err)
			}
		}
		if a.limit > 0 && a.limit < 1<<20 && (a.resident > a.limit+11*a.size || a.file == nil) {
			t.Errorf("limit %d: %d bytes are resident", a.limit, a.resident)
		}
		for i := range spans {
			if got, err := a.get(spans[i]); err != nil || !bytes.Equal(got, strings[i]) {
				t.Fatalf("limit %d: string %d came back as %q, %v", a.limit, i, got, err)
			}
		}
		if got, err := a.get(0); got != nil || err != nil {
			t.Errorf("the zero span is %q, %v", got, err)
		}
		if err := a.close(); err != nil {
			t.Errorf("close: %v", err)
		}
	}
}

// TestArenaLeavesNothing tests that the temporary file is removed, and that all stays in
// memory if there can be none.
func TestArenaLeavesNothing(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("TMPDIR", dir)
	a := newArena(1, 64)
	for range 10 {
		if _, err := a.put(make([]byte, 50)); err != nil {
			t.Fatal(err)
		}
	}
	if a.file == nil {
		t.Fatal("nothing moved out")
	}
	if err := a.close(); err != nil {
		t.Error(err)
	}
	if left, _ := os.ReadDir(dir); len(left) > 0 {
		t.Errorf("%s is left", left[0].Name())
	}
	t.Setenv("TMPDIR", filepath.Join(dir, "no", "such"))
	a = newArena(1, 64)
	first, _ := a.put([]byte("first"))
	for range 10 {
		if _, err := a.put(make([]byte, 50)); err != nil {
			t.Fatal(err)
		}
	}
	if got, err := a.get(first); string(got) != "first" || err != nil || a.file != nil {
		t.Errorf("without a temporary directory: %q, %v", got, err)
	}
}

func TestFifo(t *testing.T) {
	var q fifo
	next, want := ID(1), ID(1)
	random := rand.New(rand.NewPCG(1, 2))
	for range 20 {
		for range random.IntN(5000) {
			q.push(next)
			next++
		}
		for range random.IntN(5000) {
			id, ok := q.pop()
			if ok != (want < next) || ok && id != want {
				t.Fatalf("pop = %d, %v; want %d", id, ok, want)
			}
			if ok {
				want++
			}
		}
		if q.len() != int(next-want) || len(q.blocks) > q.len()/fifoBlock+2 {
			t.Fatalf("%d are left in %d blocks, want %d", q.len(), len(q.blocks), next-want)
		}
	}
}
