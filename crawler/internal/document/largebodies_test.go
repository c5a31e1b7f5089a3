package document

import (
	"bytes"
	"io"
	"sync/atomic"
	"testing"

	"github.com/orbweaver/orbweaver/crawler/fetch"
	"github.com/orbweaver/orbweaver/crawler/internal/buffers"
)

// Only a few large bodies are in memory at the same time, and only one huge one.
func TestLargeBodiesWait(t *testing.T) {
	large := newLargeBodies()
	var held, most [len(roomSizes)]atomic.Int64
	done := make(chan struct{})
	for range 50 {
		go func() {
			for room := range held {
				large.await(room, &fetch.Response{})
				most[room].Store(max(most[room].Load(), held[room].Add(1)))
			}
			for room := range held {
				held[room].Add(-1)
			}
			large.release(len(held))
			done <- struct{}{}
		}()
	}
	for range 50 {
		<-done
	}
	for room, want := range roomCounts {
		if n := most[room].Load(); n > int64(want) {
			t.Errorf("%d bodies of over %d bytes at once, want at most %d", n, roomSizes[room], want)
		}
	}
}

// A body takes a room for each size that it exceeds, unless the slot of its worker limits it, and gives all of
// them back.
func TestRooms(t *testing.T) {
	for _, row := range []struct {
		size, most int64
		slot       bool
		rooms      int
	}{
		{roomSizes[0] - 1, 100 << 20, false, 0},
		{roomSizes[0] + 1, 100 << 20, false, 1},
		{roomSizes[0] + 1, roomSizes[0], false, 0},
		{roomSizes[1] - 1, 100 << 20, false, 1},
		{roomSizes[1] + 1, 100 << 20, false, 2},
		{roomSizes[1] + 1, 10 << 20, false, 1},
		{roomSizes[1] + 1, 100 << 20, true, 0},
	} {
		r := NewReader(Settings{}, &buffers.Pool{})
		d := &Document{Response: &fetch.Response{Size: -1, Body: io.NopCloser(bytes.NewReader(make([]byte, row.size)))}}
		if err := r.fill(d, row.most, !row.slot); err != nil {
			t.Fatal(err)
		}
		if want := min(row.size, row.most); int64(len(d.Body)) != want || d.rooms != row.rooms {
			t.Errorf("%+v: read %d bytes with %d rooms, want %d with %d", row, len(d.Body), d.rooms, want, row.rooms)
		}
		if got := int64(cap(d.Body)); got > row.most+bytes.MinRead {
			t.Errorf("%+v: a capacity of %d bytes", row, got)
		}
		r.Release(d)
		for room := range r.large.rooms {
			if n := len(r.large.rooms[room]); n > 0 {
				t.Errorf("%+v: %d bodies have room %d after the release", row, n, room)
			}
		}
	}
}
