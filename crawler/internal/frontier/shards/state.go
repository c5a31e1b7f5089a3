package shards

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"time"

	"github.com/orbweaver/orbweaver/crawler/internal/frontier"
	"github.com/orbweaver/orbweaver/crawler/internal/frontier/diskstore"
	"github.com/orbweaver/orbweaver/crawler/internal/frontier/redisstore"
)

// State is the state of a crawl on several servers: the targets of all its files as those of one store,
// for reading. The first file has the values and the sums of the process that writes them.
//
// A target that several files have is that of the file of its server. The others say what their pages need
// of it, which its own file does not know as long as the crawl has not ended. If its own file lacks it,
// another one stands in. Find, Get, Scan, Each and Count tell what the files had at the last Refresh. The
// IDs of a file follow those of the file before; those of targets that another file has are left out.
type State struct {
	*diskstore.Store // the first file
	files            []*diskstore.Store

	parts  []part
	raised map[frontier.ID]frontier.Kept // targets of which other files need more than their own file knows
	counts frontier.Counts
	sealed bool
}

// part is what the join knows of a file.
type part struct {
	base  frontier.ID // is added to the IDs of the file
	moved []moved     // the targets that another file has, in the order of their IDs
}

type moved struct {
	id frontier.ID // in this file
	to frontier.ID // among all targets
}

// Of returns the state that a store is in, nil if that is not in files.
func Of(store frontier.Store) *State {
	switch s := store.(type) {
	case *State:
		return s
	case *diskstore.Store:
		return &State{Store: s, files: []*diskstore.Store{s}}
	}
	return nil
}

// server returns the number of the server, from 0, that has the targets of a host.
func (s *State) server(host string) int { return redisstore.ServerOf(host, len(s.files)) }

// Files returns the files, in the order of their servers.
func (s *State) Files() []*diskstore.Store { return s.files }

// Refresh takes in what was written since the files were opened, or since the last call. Nothing may be
// written from then on until the last target is read.
func (s *State) Refresh() {
	if s.sealed {
		return
	}
	s.parts, s.raised, s.counts = make([]part, len(s.files)), map[frontier.ID]frontier.Kept{}, frontier.Counts{}
	next := frontier.ID(0)
	for i, f := range s.files {
		f.Mu.Lock()
		defer f.Mu.Unlock()
		c := f.Ledger.Count()
		s.counts.Known += c.Known
		s.counts.Settled += c.Settled
		s.parts[i].base = next
		next += frontier.ID(f.Ledger.Known())
	}
	for i := range s.files {
		if len(s.files) > 1 {
			s.join(i)
		}
	}
	s.counts.Queued = s.counts.Known - s.counts.Settled
}

// join finds the targets of a file that another one has.
func (s *State) join(number int) {
	g, p := s.files[number].Ledger, &s.parts[number]
	servers := make([]int, g.Hosts())
	for n := range servers {
		name, _ := g.Host(n)
		servers[n] = s.server(name)
	}
	frontier.Mirror{Ledger: g}.Each(func(name frontier.Fingerprint, id frontier.ID) {
		own := servers[g.HostOf(id)]
		if own == number {
			return
		}
		at, known := own, s.files[own].Ledger.Find(name)
		for n := 0; known == 0 && n < number; n++ { // its own file lacks it: the first one that has it stands in
			at, known = n, s.files[n].Ledger.Find(name)
		}
		if known != 0 {
			to := s.parts[at].base + known
			p.moved = append(p.moved, moved{id, to})
			s.merge(to, s.kept(at, known), s.kept(number, id))
		}
	})
	slices.SortFunc(p.moved, func(a, b moved) int { return cmp.Compare(a.id, b.id) })
}

// kept returns what the ledger of a file knows of a target.
func (s *State) kept(file int, id frontier.ID) frontier.Kept {
	k := frontier.Kept{ID: id}
	frontier.Mirror{Ledger: s.files[file].Ledger}.Keep(&k)
	return k
}

// merge adds what another file knows of a target.
func (s *State) merge(id frontier.ID, own, other frontier.Kept) {
	s.counts.Known--
	if other.Settled {
		s.counts.Settled--
	}
	if before, is := s.raised[id]; is {
		own = before
	}
	if was := own.Settled; own.Merge(&other) {
		s.raised[id] = own
		if was && !own.Settled {
			s.counts.Settled--
		}
	}
}

// target returns the ID among all targets of a target of a file.
func (s *State) target(file int, id frontier.ID) frontier.ID {
	p := &s.parts[file]
	if n, is := slices.BinarySearchFunc(p.moved, id, func(m moved, id frontier.ID) int { return cmp.Compare(m.id, id) }); is {
		return p.moved[n].to
	}
	return p.base + id
}

// adapt makes a record of a file one of all targets.
func (s *State) adapt(file int, r *frontier.Record) {
	r.ID += s.parts[file].base
	if k, is := s.raised[r.ID]; is {
		r.Settled, r.Entered, r.Wave, r.Need = k.Settled, k.Entered, k.Wave, k.Need
	}
	for i, id := range r.Found {
		r.Found[i] = s.target(file, id)
	}
}

// skips returns a function that reports whether the next target of a file is that of another one.
func (p *part) skips() func(frontier.ID) bool {
	rest := p.moved
	return func(id frontier.ID) bool {
		is := len(rest) > 0 && rest[0].id == id
		if is {
			rest = rest[1:]
		}
		return is
	}
}

// Scan implements frontier.Store.
func (s *State) Scan(ctx context.Context, parts frontier.Parts, fn func(*frontier.Record) error) error {
	for i, f := range s.files {
		skip := s.parts[i].skips()
		if err := f.Scan(ctx, parts, func(r *frontier.Record) error {
			if skip(r.ID) {
				return nil
			}
			s.adapt(i, r)
			return fn(r)
		}); err != nil {
			return err
		}
	}
	return nil
}

// Each calls fn with all that a queue needs of each target, in the order of their IDs. fn must not call the
// store.
func (s *State) Each(ctx context.Context, fn func(*frontier.Kept) error) error {
	for i, f := range s.files {
		skip, base := s.parts[i].skips(), s.parts[i].base
		if err := (diskstore.Replica{Store: f}).Each(ctx, func(k *frontier.Kept) error {
			if skip(k.ID) {
				return nil
			}
			k.ID += base
			if r, is := s.raised[k.ID]; is {
				k.Settled, k.Entered, k.Wave, k.Lowest, k.Need, k.Tries = r.Settled, r.Entered, r.Wave, r.Lowest, r.Need, r.Tries
			}
			return fn(k)
		}); err != nil {
			return err
		}
	}
	return nil
}

// Get implements frontier.Store.
func (s *State) Get(ctx context.Context, id frontier.ID, parts frontier.Parts) (frontier.Record, error) {
	file := len(s.files) - 1
	for file > 0 && s.parts[file].base >= id {
		file--
	}
	r, err := s.files[file].Get(ctx, id-s.parts[file].base, parts)
	if err == nil {
		s.adapt(file, &r)
	}
	return r, err
}

// Add implements frontier.Store. It refuses: each file follows the log of its server.
func (s *State) Add(context.Context, []frontier.Item) ([]frontier.ID, error) { return nil, errFollows }

// Claim implements frontier.Store. It refuses, too.
func (s *State) Claim(context.Context, int, time.Duration) ([]frontier.Lease, time.Time, error) {
	return nil, time.Time{}, errFollows
}

var errFollows = errors.New("the files of the state follow the servers of the crawl, and only its coordinator continues them")

// Find implements frontier.Store.
func (s *State) Find(ctx context.Context, fingerprints []frontier.Fingerprint) ([]frontier.ID, error) {
	all := make([]frontier.ID, len(fingerprints))
	for i, f := range s.files {
		ids, err := f.Find(ctx, fingerprints)
		if err != nil {
			return nil, err
		}
		for n, id := range ids {
			if id != 0 && all[n] == 0 {
				all[n] = s.target(i, id)
			}
		}
	}
	return all, nil
}

// Count implements frontier.Store. It does not count queued pages.
func (s *State) Count(context.Context) (frontier.Counts, error) { return s.counts, nil }

// Paces implements frontier.Store. Only the file of its server knows the pace of a host.
func (s *State) Paces(ctx context.Context, fn func(host string, p frontier.Pace) error) error {
	for i, f := range s.files {
		if err := f.Paces(ctx, func(host string, p frontier.Pace) error {
			if s.server(host) != i {
				return nil
			}
			return fn(host, p)
		}); err != nil {
			return err
		}
	}
	return nil
}

// Tallies implements frontier.Store.
func (s *State) Tallies(ctx context.Context) (map[string]int64, error) {
	sums := map[string]int64{}
	for _, f := range s.files {
		own, err := f.Tallies(ctx)
		if err != nil {
			return nil, err
		}
		for name, n := range own {
			sums[name] += n
		}
	}
	return sums, nil
}

// Seal implements frontier.Sealer.
func (s *State) Seal() {
	s.sealed = true
	for _, f := range s.files {
		f.Seal()
	}
}

// Close closes all files.
func (s *State) Close() error {
	var errs []error
	for _, f := range s.files {
		errs = append(errs, f.Close())
	}
	return errors.Join(errs...)
}
