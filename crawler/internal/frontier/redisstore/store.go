package redisstore

import (
	"cmp"
	"context"
	"errors"
	"io"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/orbweaver/orbweaver/crawler/internal/frontier"
)

// Store is a crawl on its servers, as one process uses it. Lead.Store makes one.
type Store struct {
	parts   parts
	key     [16]byte
	version string // of the program
	Browser bool   // this process has a browser; set before Join

	counts  atomic.Bool     // leases count as pages
	entered []atomic.Uint32 // the highest number that each server has told

	claims claims

	mu  sync.Mutex
	why string
}

// parts are the servers of a crawl.
type parts struct {
	all    []*part
	routes *routes
}

// of returns the server of a lease, and at that of a host.
func (p *parts) of(l *frontier.Lease) *part { return p.all[l.Server] }
func (p *parts) at(host string) *part       { return p.all[p.routes.of([]byte(host))] }

// home is the server that has what does not belong to a host.
func (p *parts) home() *part { return p.all[0] }

// each calls fn with each server, until one fails.
func (p *parts) each(fn func(*client) error) error {
	for _, one := range p.all {
		if err := fn(one.to); err != nil {
			return err
		}
	}
	return nil
}

// FingerprintKey implements frontier.Keyed.
func (s *Store) FingerprintKey() [16]byte { return s.key }

// Width implements frontier.Store.
func (s *Store) Width() frontier.Width {
	if s.parts.home().wide {
		return frontier.Wide
	}
	return frontier.Narrow
}

// Add implements frontier.Store. Many items are entered in several steps, on each server by itself.
func (s *Store) Add(ctx context.Context, items []frontier.Item) ([]frontier.ID, error) {
	ids, route := make([]frontier.ID, len(items)), s.parts.routes.ofItems(items)
	for _, p := range s.parts.all {
		var e entering
		var at []int
		flush := func() error {
			if len(e.items) == 0 {
				return nil
			}
			e.lease = &frontier.Lease{}
			if err := p.add(ctx, &e); err != nil {
				return err
			}
			for i, id := range e.ids {
				ids[at[i]] = id
				if n := p.at.local(id); n > s.entered[p.at.number].Load() {
					s.entered[p.at.number].Store(n)
				}
			}
			e, at = entering{}, nil
			return nil
		}
		for i := range items {
			if route[i] != p.at.number {
				continue
			}
			e.items, e.route, at = append(e.items, items[i]), append(e.route, p.at.number), append(at, i)
			if len(e.items) == itemsAtOnce {
				if err := flush(); err != nil {
					return nil, err
				}
			}
		}
		if err := flush(); err != nil {
			return nil, err
		}
	}
	return ids, nil
}

// Filled lets a server give out its targets: at least as many as were restored, and those that this
// store has entered. It returns false if the server has lost some of them meanwhile: then the
// crawl must be made there again.
func (s *Store) Filled(ctx context.Context, server, restored int) (complete bool, err error) {
	before, err := s.parts.all[server].to.runText(ctx, "state", "filled", max(int(s.entered[server].Load()), restored))
	return err == nil && before != "lost" && before != "absent", err
}

// Complete implements frontier.Store. The targets of a large page are entered in several
// steps, the last of which settles the page. IDs of targets that another server has are 0.
func (s *Store) Complete(ctx context.Context, l frontier.Lease, d frontier.Done) ([]frontier.ID, error) {
	p, route := s.parts.of(&l), s.parts.routes.ofItems(d.Found)
	ids, rest := make([]frontier.ID, 0, len(d.Found)), d.Found
	for len(rest) > itemsAtOnce {
		e := &entering{lease: &l, items: rest[:itemsAtOnce], route: route[len(ids):], before: len(ids)}
		if err := p.add(ctx, e); err != nil {
			return nil, err
		}
		ids, rest = append(ids, e.ids...), rest[itemsAtOnce:]
	}
	e := &entering{lease: &l, items: rest, route: route[len(ids):], before: len(ids), found: d.Found, done: &d}
	if err := p.complete(ctx, e); err != nil {
		return nil, err
	}
	s.ended(p)
	return append(ids, e.ids...), nil
}

// Release implements frontier.Store.
func (s *Store) Release(ctx context.Context, l frontier.Lease, d frontier.Deferral) error {
	defer s.ended(s.parts.of(&l))
	return s.parts.of(&l).release(ctx, &l, &d)
}

// ended wakes the relay of a server on which a lease has ended, which may have counted as a page.
func (s *Store) ended(p *part) {
	if s.counts.Load() && p != s.parts.home() {
		p.signal([]post{{to: 0}})
	}
}

// Extend implements frontier.Store.
func (s *Store) Extend(ctx context.Context, l frontier.Lease, d time.Duration) error {
	lost, err := s.parts.of(&l).extend(ctx, []frontier.Lease{l}, d)
	if err == nil && len(lost) > 0 {
		err = errStale(&l)
	}
	return err
}

// Claim implements frontier.Store. One server is asked after the other.
func (s *Store) Claim(ctx context.Context, most int, d time.Duration) ([]frontier.Lease, time.Time, error) {
	s.claims.mu.Lock()
	defer s.claims.mu.Unlock()
	why := process{s}
	leases, next, err := s.claims.ask(ctx, most, d)
	if err != nil || len(leases) > 0 {
		why.setWhy("")
		return leases, time.Time{}, err
	}
	switch reason := s.claims.reason(); reason {
	case "over", "end", "drained":
		why.setWhy("")
		return nil, time.Time{}, io.EOF
	case "absent":
		return nil, time.Time{}, frontier.ErrAbsent
	case "unknown":
		if err := s.Process().Join(ctx); err != nil {
			return nil, time.Time{}, err
		}
		next = time.Now().Add(time.Millisecond)
	case "full":
		why.setWhy("log full")
	case "paused":
		why.setWhy(reason)
	default:
		why.setWhy("")
	}
	return nil, next, nil
}

// Tick ends leases that have expired, and returns why nothing is given out: "over", "end", "idle",
// "drained", "paused", "full", "absent", or "" if targets are given out.
func (s *Store) Tick(ctx context.Context) (why string, err error) {
	s.claims.mu.Lock()
	defer s.claims.mu.Unlock()
	if _, _, err := s.claims.ask(ctx, 0, 0); err != nil {
		return "", err
	}
	return s.claims.reason(), nil
}

// SetPace implements frontier.Store.
func (s *Store) SetPace(ctx context.Context, host string, p frontier.Pace) error {
	server := s.parts.at(host)
	_, err := server.to.run(ctx, "pace", append(paceArgs(server.at, host, p), "", "")...)
	return err
}

// Paces implements frontier.Store.
func (s *Store) Paces(ctx context.Context, fn func(host string, p frontier.Pace) error) error {
	return s.parts.each(func(c *client) error { return c.eachPace(ctx, fn) })
}

// Find implements frontier.Store. It enters nothing: only the coordinator, which has the
// state directory, can find targets.
func (s *Store) Find(context.Context, []frontier.Fingerprint) ([]frontier.ID, error) {
	return nil, errElsewhere
}

// errElsewhere is the error of calls that only the state directory can answer.
var errElsewhere = errors.New("the frontier does not keep what was found: the state directory of the coordinator has it")

// Get implements frontier.Store. See Find.
func (s *Store) Get(context.Context, frontier.ID, frontier.Parts) (frontier.Record, error) {
	return frontier.Record{}, errElsewhere
}

// Scan implements frontier.Store. See Find.
func (s *Store) Scan(context.Context, frontier.Parts, func(*frontier.Record) error) error {
	return errElsewhere
}

// Count implements frontier.Store.
func (s *Store) Count(ctx context.Context) (n frontier.Counts, err error) {
	err = s.parts.each(func(c *client) error {
		all, err := c.counters(ctx)
		n = sumOf(n, countsOf(all))
		return err
	})
	return n, err
}

func sumOf(a, b frontier.Counts) frontier.Counts {
	return frontier.Counts{Known: a.Known + b.Known, Settled: a.Settled + b.Settled, Queued: a.Queued + b.Queued, Leased: a.Leased + b.Leased, Pages: a.Pages + b.Pages}
}

// Tally implements frontier.Store. A step whose answer is lost is repeated, so a tally that
// must be exact belongs to Complete or Release.
func (s *Store) Tally(ctx context.Context, list []frontier.Tally) error {
	args := make([]any, 0, 2*len(list))
	for _, t := range list {
		args = append(args, t.Name, t.By)
	}
	_, err := s.parts.home().to.run(ctx, "tally", args...)
	return err
}

// Tallies implements frontier.Store.
func (s *Store) Tallies(ctx context.Context) (map[string]int64, error) {
	sums := map[string]int64{}
	err := s.parts.each(func(c *client) error { return c.tallies(ctx, sums) })
	return sums, err
}

// Process implements frontier.Shared.
func (s *Store) Process() frontier.Process { return process{s} }

// Common implements frontier.Shared.
func (s *Store) Common() frontier.Common { return common{&s.parts} }

// Close implements frontier.Store.
func (s *Store) Close() (err error) {
	_ = s.parts.each(func(c *client) error { // all of them, whatever one says
		err = cmp.Or(err, c.close())
		return nil
	})
	return err
}

var (
	_ frontier.Shared = (*Store)(nil)
	_ frontier.Keyed  = (*Store)(nil)
)

// version62 reports whether a version of Redis or Valkey is at least 6.2.
func version62(version string) bool {
	major, rest, _ := strings.Cut(version, ".")
	minor, _, _ := strings.Cut(rest, ".")
	a, err := strconv.Atoi(major)
	b, err1 := strconv.Atoi(minor)
	return err == nil && err1 == nil && (a > 6 || a == 6 && b >= 2)
}
