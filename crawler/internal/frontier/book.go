package frontier

import (
	"context"
	"maps"
	"sync"
	"time"
)

// Book is the part of a store of one process that needs no bytes of the targets: its ledger, its sums,
// and the lock of both. Its methods are those of a Store.
type Book struct {
	Mu     sync.Mutex
	Ledger *Ledger
	Sums   map[string]int64 // see Tally
}

// Width implements Store.
func (b *Book) Width() Width { return b.Ledger.Width() }

// Extend implements Store.
func (b *Book) Extend(_ context.Context, l Lease, d time.Duration) error {
	b.Mu.Lock()
	defer b.Mu.Unlock()
	if err := b.Ledger.Held(l); err != nil {
		return err
	}
	b.Ledger.Extend(l, time.Now().Add(d))
	return nil
}

// Paces implements Store.
func (b *Book) Paces(_ context.Context, fn func(host string, p Pace) error) error {
	b.Mu.Lock()
	defer b.Mu.Unlock()
	for i := range b.Ledger.Hosts() {
		if err := fn(b.Ledger.Host(i)); err != nil {
			return err
		}
	}
	return nil
}

// Find implements Store.
func (b *Book) Find(_ context.Context, fingerprints []Fingerprint) ([]ID, error) {
	b.Mu.Lock()
	defer b.Mu.Unlock()
	ids := make([]ID, len(fingerprints))
	for i, f := range fingerprints {
		ids[i] = b.Ledger.Find(f)
	}
	return ids, nil
}

// Count implements Store.
func (b *Book) Count(context.Context) (Counts, error) {
	b.Mu.Lock()
	defer b.Mu.Unlock()
	return b.Ledger.Count(), nil
}

// Tallies implements Store.
func (b *Book) Tallies(context.Context) (map[string]int64, error) {
	b.Mu.Lock()
	defer b.Mu.Unlock()
	return maps.Clone(b.Sums), nil
}

// Seal implements Sealer.
func (b *Book) Seal() {
	b.Mu.Lock()
	defer b.Mu.Unlock()
	b.Ledger.Seal()
}
