package redisstore

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/gomodule/redigo/redis"

	"github.com/orbweaver/orbweaver/crawler/internal/frontier"
)

// Encoding is the version of the keys and scripts. Processes of different versions cannot
// work on one crawl.
const Encoding = 6

// Header is what every process must know of a crawl.
type Header struct {
	Encoding int             `json:"encoding"` // of the keys: Encoding
	Targets  int             `json:"targets"`  // of the bytes of targets: frontier.Encoding
	Version  string          `json:"version"`  // of the program
	Epoch    string          `json:"epoch"`    // differs each time that the crawl is made or filled
	State    string          `json:"state"`    // identifies the state directory
	Width    frontier.Width  `json:"width"`
	Key      []byte          `json:"key"` // of the fingerprints
	Lease    time.Duration   `json:"lease"`
	Servers  int             `json:"servers"` // of the crawl
	Server   int             `json:"server"`  // which of them this is
	Command  json.RawMessage `json:"command"` // the configuration, without secrets
}

// Crawl is a crawl on one server or several. Each has the targets of some registrable domains. So do
// the parts of a crawl on a cluster, which count as servers.
type Crawl struct {
	shards []Shard
}

// Open returns the crawl on the servers of some addresses, whose order counts. It connects to nothing.
func Open(addresses []*Address, o Options) *Crawl {
	if len(addresses) == 1 && addresses[0].isCluster() {
		addresses = slices.Repeat(addresses, clusterParts)
	}
	f := &Crawl{}
	o.waits = &waits{}
	for i, a := range addresses {
		at := place{i, len(addresses)}
		f.shards = append(f.shards, Shard{newClient(a, at, o), at})
	}
	return f
}

// Lead is what the coordinator of a crawl does on its server, and what lets a process work on it.
type Lead struct{ *Crawl }

// Lead returns the other half of the crawl's operations, for the engine.
func (f *Crawl) Lead() Lead { return Lead{f} }

// Shards returns the servers.
func (f *Crawl) Shards() []Shard { return f.shards }

// Servers returns the number of servers, or of parts on a cluster.
func (f *Crawl) Servers() int { return len(f.shards) }

// each calls fn with each server, until one fails.
func (f *Crawl) each(fn func(Shard) error) error {
	for _, s := range f.shards {
		if err := fn(s); err != nil {
			return err
		}
	}
	return nil
}

// Address returns the address of the first server, with the name of the crawl.
func (f *Crawl) Address() *Address { return f.shards[0].Address() }

// String returns the addresses, with *** for passwords.
func (f *Crawl) String() string { return Addresses(f.addresses()).String() }

// Places returns the addresses without passwords.
func (f *Crawl) Places() string { return Addresses(f.addresses()).WithoutPasswords() }

func (f *Crawl) addresses() (list []*Address) {
	for _, c := range f.shards {
		list = append(list, c.Address())
	}
	return slices.Compact(list) // the parts on a cluster have one
}

// Close closes the connections.
func (f *Crawl) Close() (err error) {
	for _, c := range f.shards {
		err = cmp.Or(err, c.to.close())
	}
	return err
}

// Server is what is known of the server.
type Server struct {
	Version   string // of Redis or Valkey
	Unchecked string // why something could not be checked; "" if all was
	Volatile  bool   // it loses the crawl when it is restarted
	run       string // differs for each process of a server
}

// Check checks that the servers, or the nodes of a cluster that have parts of the crawl, are fit for
// crawls, and returns what is known of each. The error is a
// *RefusedError if one is not, or if they have a crawl of this name on another number or order of
// servers.
func (f *Crawl) Check(ctx context.Context) (list []*Server, err error) {
	runs := map[string]*Address{}
	err = f.each(func(s Shard) error {
		about, err := s.check(ctx)
		if err != nil {
			return err
		}
		place := fmt.Sprintf("%s %d", about.run, s.Address().db)
		switch other := runs[place]; {
		case other != nil && s.Address().isCluster(): // a node with several parts is told once
			return nil
		case other != nil && about.run != "":
			return s.to.refused("it is the same server as %s", other)
		}
		runs[place], list = s.Address(), append(list, about)
		return s.checkLayout(ctx)
	})
	return list, err
}

// Header returns the header of the crawl, nil if there is none.
func (f Lead) Header(ctx context.Context) (*Header, error) { return f.shards[0].Header(ctx) }

// Command returns what the coordinator of the crawl lets the other processes know, nil if there is
// no crawl. The error is a *RefusedError if a program of this version cannot work on it.
func (f *Crawl) Command(ctx context.Context, version string) ([]byte, error) {
	h, err := f.Lead().Header(ctx)
	if err != nil || h == nil {
		return nil, err
	}
	return h.Command, h.Fits(version)
}

// Fits returns an error if this program cannot work on a crawl.
func (h *Header) Fits(version string) error {
	if h.Encoding == Encoding && h.Targets == frontier.Encoding {
		return nil
	}
	return &RefusedError{fmt.Sprintf("the crawl was begun by version %s (encoding %d.%d); this is version %s (encoding %d.%d)",
		h.Version, h.Encoding, h.Targets, version, Encoding, frontier.Encoding)}
}

// Limits are the limits of a crawl that its server enforces.
type Limits struct {
	Log     int64         // bytes; see SetLog
	MaxTime time.Duration // from now; 0 for none
	Ends    time.Time     // if not zero, the crawl ends at this time
	Lost    []byte        // outcome of a target that was lost with its workers
	Renders bool          // pages may be rendered: the crawl does not end before EndRendering
}

// EndRendering lets the crawl end as soon as nothing is queued.
func (f Lead) EndRendering(ctx context.Context) error {
	return f.set(ctx, "renders", 0, "holds", 0)
}

// set changes settings on all servers, unless the crawl was deleted.
func (f *Crawl) set(ctx context.Context, args ...any) error {
	return f.each(func(s Shard) error {
		_, err := s.to.run(ctx, "set", args...)
		return err
	})
}

// State returns the state of the crawl on its first server: "" while it runs, "filling", "paused",
// "draining", "drained", "done", or "absent" if there is none.
func (f *Crawl) State(ctx context.Context) (string, error) { return f.shards[0].State(ctx) }

// Count returns the numbers of targets.
func (f Lead) Count(ctx context.Context) (n frontier.Counts, err error) {
	err = f.each(func(s Shard) error {
		c, err := s.to.counters(ctx)
		n = sumOf(n, countsOf(c))
		return err
	})
	return n, err
}

// StoppedBy returns why a server ended the crawl early, "" if none did.
func (f Lead) StoppedBy(ctx context.Context) (why string, err error) {
	err = f.each(func(s Shard) error {
		c, err := s.to.counters(ctx)
		why = cmp.Or(why, c["stop"])
		return err
	})
	return why, err
}

// SetEnd sets the time at which the crawl ends, the zero time for never, and lets a crawl that
// was ended by its limit of time continue until then.
func (f Lead) SetEnd(ctx context.Context, at time.Time) error {
	ends := int64(0)
	if !at.IsZero() {
		ends = at.UnixMicro()
	}
	return f.set(ctx, "ends", ends, "stop", "")
}

// SetLog sets the limit of the log in bytes: of each server, or of all parts on a cluster together.
func (f Lead) SetLog(ctx context.Context, bytes int64) error {
	return f.set(ctx, "lim", f.shards[0].logLimit(bytes))
}

// Workers returns the number of processes that have joined the crawl.
func (f Lead) Workers(ctx context.Context) (n int64, err error) {
	c := f.shards[0].to
	err = c.try(ctx, func(ctx context.Context) (err error) {
		n, err = redis.Int64(c.do(ctx, "SCARD", c.key("ws")))
		return err
	})
	return n, err
}

// Now returns the time of the first server.
func (f Lead) Now(ctx context.Context) (time.Time, error) { return f.shards[0].Now(ctx) }

// Ends returns when the crawl ends by its limit of time, the zero time for never.
func (f Lead) Ends(ctx context.Context) (time.Time, error) {
	n, err := f.shards[0].to.counter(ctx, "ends")
	if err != nil || n == 0 {
		return time.Time{}, err
	}
	return time.UnixMicro(n), nil
}

// Store returns the store for a process. The crawl must exist.
func (f Lead) Store(h *Header, worker, version string) *Store {
	n := len(f.shards)
	s := &Store{parts: parts{routes: &routes{servers: n}}, version: version, entered: make([]atomic.Uint32, n)}
	for _, c := range f.shards {
		s.parts.all = append(s.parts.all, newPart(c, h, worker))
	}
	s.claims = claims{parts: s.parts.all, looks: newLooks(n), asked: make([]chan answered, n), over: make([]string, n)}
	copy(s.key[:], h.Key)
	return s
}

// Change changes the state of the crawl: "pause", "resume", "drain", "drained", "done", "filled" or
// "continue". It returns the state before on the first server, and false if there is no crawl.
func (f *Crawl) Change(ctx context.Context, what string) (before string, exists bool, err error) {
	err = f.each(func(s Shard) error {
		state, err := s.to.runText(ctx, "state", what)
		if s.Number() == 0 {
			before = state
		}
		return err
	})
	return before, before != "absent", err
}

// Coordinate takes the role of the coordinator, or only keeps it in a crawl that exists. It
// returns the name of the process that has it instead.
func (f Lead) Coordinate(ctx context.Context, process string, lease time.Duration, take bool) (other string, err error) {
	err = f.each(func(s Shard) error {
		has, err := s.to.runText(ctx, "coordinate", process, micros(lease), flag(take))
		other = cmp.Or(other, has)
		return err
	})
	return other, err
}

// Resign ends the role of the coordinator, if a process has it. It does not wait for a server
// that is away.
func (f Lead) Resign(ctx context.Context, process string) error {
	return f.each(func(s Shard) error {
		holder, err := redis.String(s.to.do(ctx, "HGET", s.to.key("own"), "process"))
		if err != nil || holder != process {
			return err
		}
		_, err = s.to.do(ctx, "DEL", s.to.key("own"))
		return err
	})
}

// Delete removes all keys of the crawl and returns their number. While a process was heard from
// within one lease, it does so only with force. Processes that are still there, or that were
// stopped and continue, add nothing any more and end.
func (f *Crawl) Delete(ctx context.Context, force bool) (removed int64, alive []string, err error) {
	status, err := f.Status(ctx)
	if err != nil {
		return 0, nil, err
	}
	if status != nil {
		alive = status.alive()
	}
	if len(alive) > 0 && !force {
		return 0, alive, nil
	}
	err = f.each(func(s Shard) error {
		n, err := s.delete(ctx)
		removed += n
		return err
	})
	return removed, nil, err
}

// Clear removes what a crawl that is done does not need.
func (f Lead) Clear(ctx context.Context) error {
	return f.each(func(s Shard) error {
		needed := []string{s.to.key("c"), s.to.key("N"), s.to.key("cfg"), s.to.key("own"), s.to.key("ws")}
		_, err := s.to.remove(ctx, func(key string) bool { return slices.Contains(needed, key) || strings.HasPrefix(key, s.to.key("w@")) })
		if err != nil {
			return err
		}
		all, err := s.to.counters(ctx)
		if err != nil {
			return err
		}
		_, err = s.to.run(ctx, "set", "trimmed", asInt(all["logs"]))
		return err
	})
}
