package frontier_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/orbweaver/orbweaver/crawler/internal/frontier"
)

// Package storetest runs the contract with such a store, too.
func TestMemoryMovesOut(t *testing.T) {
	m := frontier.NewMemoryOf(64, 64)
	defer m.Close()
	for i := range uint64(9) {
		if _, err := m.Add(t.Context(), []frontier.Item{{Fingerprint: frontier.Fingerprint{Low: i + 1}, Job: make([]byte, 50)}}); err != nil {
			t.Fatal(err)
		}
	}
	if m.MovedOut() == 0 {
		t.Error("no chunk moved to a temporary file")
	}
}

// BenchmarkMemory measures the work of the store for one page: a claim, and a completion
// with 60 targets, of which nine in ten are known.
func BenchmarkMemory(b *testing.B) {
	for _, open := range []func() *frontier.Memory{frontier.NewMemory, frontier.NewWideMemory} {
		m := open()
		b.Run(fmt.Sprint(m.Width()), func(b *testing.B) { benchmarkMemory(b, m) })
	}
}

func benchmarkMemory(b *testing.B, m *frontier.Memory) {
	ctx := b.Context()
	job := []byte("\x00\x00\x01https://www.example.com/documentation/library/reference.html")
	host := []byte("www.example.com")
	if _, err := m.Add(ctx, []frontier.Item{{Fingerprint: frontier.Fingerprint{Low: 1}, Host: host, Job: job}}); err != nil {
		b.Fatal(err)
	}
	outcome, links := make([]byte, 40), make([]byte, 600)
	found := make([]frontier.Item, 60)
	next := uint64(2)
	b.ReportAllocs()
	for b.Loop() {
		l, _, err := m.Claim(ctx, 1, 0)
		if err != nil {
			b.Fatal(err)
		}
		for i := range found {
			found[i] = frontier.Item{Fingerprint: frontier.Fingerprint{Low: next - uint64(i%int(min(next-1, 1000)))}, Host: host, Job: job}
			if i%10 == 0 {
				found[i].Fingerprint.Low = next
				next++
			}
		}
		if _, err := m.Complete(ctx, l[0], frontier.Done{Outcome: outcome, Found: found, Links: links}); err != nil {
			b.Fatal(err)
		}
	}
}

func ExampleMemory() {
	m := frontier.NewMemory()
	c, err := m.Count(context.Background())
	fmt.Println(c.Known, err)
	// Output: 0 <nil>
}
