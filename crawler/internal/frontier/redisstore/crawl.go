package redisstore

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/gomodule/redigo/redis"

	"github.com/orbweaver/orbweaver/crawler/internal/frontier"
)

// Encoding is the version of the keys and scripts. Processes of different versions cannot
// work on one crawl.
const Encoding = 2

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
	Command  json.RawMessage `json:"command"` // the configuration, without secrets
}

// Crawl is a crawl on a server.
type Crawl struct {
	*client
}

// Open returns the crawl of an address. It connects to nothing.
func Open(a *Address, o Options) *Crawl { return &Crawl{newClient(a, o)} }

// Lead is what the coordinator of a crawl does on its server, and what lets a process work on it.
type Lead struct{ *Crawl }

// Lead returns the other half of the crawl's operations, for the engine.
func (f *Crawl) Lead() Lead { return Lead{f} }

// Address returns the address of the crawl.
func (f *Crawl) Address() *Address { return f.address }

// Close closes the connections.
func (f *Crawl) Close() error { return f.server.pool.Close() }

// Server is what is known of the server.
type Server struct {
	Version   string // of Redis or Valkey
	Unchecked string // why something could not be checked; "" if all was
	Volatile  bool   // it loses the crawl when it is restarted
}

// Check checks that the server is fit for crawls. The error is a *RefusedError if it is not.
func (f *Crawl) Check(ctx context.Context) (*Server, error) {
	var info string
	forbidden := false
	err := f.try(ctx, func(ctx context.Context) (err error) {
		if err = (keys{f.client}).locate(ctx); err != nil {
			return err
		}
		if info, err = redis.String(f.do(ctx, "INFO")); err != nil && (strings.HasPrefix(err.Error(), "NOPERM") || strings.HasPrefix(err.Error(), "ERR unknown command")) {
			forbidden = true
			_, err = f.do(ctx, "PING")
		}
		if err == nil && strings.Contains(info, "\nloading:1") { // its settings are not in force yet
			err = errLoading
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	s := &Server{}
	if forbidden {
		s.Unchecked = "the version and the settings of the server cannot be checked, because it refuses INFO; it must be at least 6.2, with maxmemory-policy noeviction"
		return s, nil
	}
	about := map[string]string{}
	lines := bufio.NewScanner(strings.NewReader(info))
	for lines.Scan() {
		if name, value, ok := strings.Cut(lines.Text(), ":"); ok {
			about[name] = strings.TrimSpace(value)
		}
	}
	s.Version = about["redis_version"]
	if s.Version == "" {
		s.Unchecked = "the server does not tell its version; it must be at least 6.2"
	} else if !version62(s.Version) {
		return nil, f.refused("the server has version %s; at least 6.2 is needed", s.Version)
	}
	if about["role"] == "slave" {
		return nil, f.refused("the server is a read-only replica; use the address of its primary")
	}
	if f.address.Cluster() && about["cluster_enabled"] == "0" {
		return nil, f.refused("the server is not in cluster mode; the address of a single server begins with redis:")
	}
	policy := about["maxmemory_policy"]
	if policy == "" {
		s.Unchecked = "the server does not tell its maxmemory-policy; it must be noeviction"
	} else if policy != "noeviction" {
		return nil, f.refused("the maxmemory-policy of the server is %s, which would delete parts of the crawl; set it to noeviction", policy)
	}
	s.Volatile = about["aof_enabled"] == "0"
	return s, nil
}

var errLoading = errors.New("LOADING the server is reading its data")

// Header returns the header of the crawl, nil if there is none.
func (f Lead) Header(ctx context.Context) (*Header, error) {
	var text []byte
	err := f.try(ctx, func(ctx context.Context) (err error) {
		text, err = redis.Bytes(f.do(ctx, "GET", f.key("cfg")))
		return err
	})
	if isNil(err) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	h := &Header{}
	if err := json.Unmarshal(text, h); err != nil {
		return nil, fmt.Errorf("read the header of the crawl %s: %w", f.address.Crawl, err)
	}
	return h, nil
}

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
	Log     int64         // bytes
	MaxTime time.Duration // from now; 0 for none
	Ends    time.Time     // if not zero, the crawl ends at this time
	Lost    []byte        // outcome of a target that was lost with its workers
	Renders bool          // pages may be rendered: the crawl does not end before EndRendering
}

// Create makes the crawl, in place of whatever the server has of it. It is not given out until
// Filled is called.
func (f Lead) Create(ctx context.Context, h *Header, l Limits) error {
	if _, err := (keys{f.client}).removeAll(ctx); err != nil {
		return err
	}
	h.Epoch = rand.Text()
	text, err := json.Marshal(h)
	if err != nil {
		return err
	}
	result := appendResult(nil, &frontier.Done{Outcome: l.Lost, Tally: []frontier.Tally{{Name: "checked", By: 1}}})
	return f.try(ctx, func(ctx context.Context) error {
		ends, renders := int64(0), 0
		if l.Renders {
			renders = 1
		}
		if l.MaxTime > 0 || !l.Ends.IsZero() {
			now, err := f.now(ctx)
			if err != nil {
				return err
			}
			if ends = now.Add(l.MaxTime).UnixMicro(); !l.Ends.IsZero() {
				ends = l.Ends.UnixMicro()
			}
		}
		if _, err := f.do(ctx, "HSET", f.key("c"), "state", "filling", "generation", h.Epoch, "lim", l.Log, "ends", ends, "lost", result, "renders", renders, "facts", time.Now().UnixMicro()); err != nil {
			return err
		}
		_, err := f.do(ctx, "SET", f.key("cfg"), text)
		return err
	})
}

// now returns the time of the server.
func (f *client) now(ctx context.Context) (time.Time, error) {
	if f.options.Now != nil {
		return f.options.Now(), nil
	}
	if f.address.Cluster() { // the one with the keys of the crawl
		t, err := redis.Int64(newScript("local t = redis.call('TIME') return t[1] * 1000000 + t[2]").send(ctx, f.do, f.prefix))
		return time.UnixMicro(t), err
	}
	t, err := redis.Int64s(f.do(ctx, "TIME"))
	if err != nil || len(t) != 2 {
		return time.Time{}, cmp.Or(err, errAnswer)
	}
	return time.Unix(t[0], t[1]*1000), nil
}

// EndRendering lets the crawl end as soon as nothing is queued.
func (f Lead) EndRendering(ctx context.Context) error {
	return f.set(ctx, "renders", 0)
}

// set changes settings of the crawl, unless it was deleted.
func (c *client) set(ctx context.Context, args ...any) error {
	_, err := c.run(ctx, "set", args...)
	return err
}

// Tick ends leases that have expired, and returns why nothing is given out: "end", "idle",
// "drained", "paused", "full", "absent", or "" if targets are given out.
func (f Lead) Tick(ctx context.Context) (why string, err error) {
	answer, err := f.run(ctx, "claim", 0, 0, "", "", 0)
	if err != nil {
		return "", err
	}
	list, _ := answer.([]any)
	if len(list) < 4 {
		return "", errAnswer
	}
	return asText(list[1]), nil
}

// State returns the state of the crawl: "" while it runs, "filling", "paused", "draining", "drained", "done",
// or "absent" if there is none.
func (f *Crawl) State(ctx context.Context) (string, error) {
	c, err := f.counters(ctx)
	if err == nil && len(c) == 0 {
		return "absent", nil
	}
	return c["state"], err
}

// Count returns the numbers of targets.
func (f Lead) Count(ctx context.Context) (frontier.Counts, error) {
	c, err := f.counters(ctx)
	return countsOf(c), err
}

// StoppedBy returns why the server ended the crawl early, "" if it did not.
func (f Lead) StoppedBy(ctx context.Context) (string, error) {
	c, err := f.counters(ctx)
	return c["stop"], err
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

// SetLog sets the limit of the log in bytes.
func (f Lead) SetLog(ctx context.Context, bytes int64) error {
	return f.set(ctx, "lim", bytes)
}

// Workers returns the number of processes that have joined the crawl.
func (f Lead) Workers(ctx context.Context) (n int64, err error) {
	err = f.try(ctx, func(ctx context.Context) (err error) {
		n, err = redis.Int64(f.do(ctx, "SCARD", f.key("ws")))
		return err
	})
	return n, err
}

// Now returns the time of the server.
func (f Lead) Now(ctx context.Context) (now time.Time, err error) {
	err = f.try(ctx, func(ctx context.Context) (err error) {
		now, err = f.now(ctx)
		return err
	})
	return now, err
}

// Ends returns when the crawl ends by its limit of time, the zero time for never.
func (f Lead) Ends(ctx context.Context) (time.Time, error) {
	n, err := f.counter(ctx, "ends")
	if err != nil || n == 0 {
		return time.Time{}, err
	}
	return time.UnixMicro(n), nil
}

// Store returns the store for a process. The crawl must exist.
func (f Lead) Store(h *Header, worker, version string) *Store {
	s := &Store{client: f.client, header: h, wide: h.Width == frontier.Wide, worker: worker, session: rand.Text(), version: version}
	copy(s.key[:], h.Key)
	return s
}

// Fill enters targets of a state directory, which must be given in the order of their IDs.
// flush is called at the end.
func (f Lead) Fill(ctx context.Context, h *Header) (add func(*frontier.Kept) error, flush func() error) {
	var buffer []byte
	wide := "0"
	if h.Width == frontier.Wide {
		wide = "1"
	}
	n := 0
	flush = func() error {
		if len(buffer) == 0 {
			return nil
		}
		_, err := f.run(ctx, "fill", buffer, wide)
		buffer, n = buffer[:0], 0
		return err
	}
	return func(k *frontier.Kept) error {
		buffer = appendKept(buffer, k, h.Width == frontier.Wide, time.Now())
		if n++; n < itemsAtOnce {
			return nil
		}
		return flush()
	}, flush
}

// Change changes the state of the crawl: "pause", "resume", "drain", "drained", "done", "filled" or
// "continue". It returns the state before, and false if there is no crawl.
func (f *Crawl) Change(ctx context.Context, what string) (before string, exists bool, err error) {
	before, err = f.runText(ctx, "state", what)
	return before, before != "absent", err
}

// Coordinate takes the role of the coordinator, or only keeps it in a crawl that exists. It
// returns the name of the process that has it instead.
func (f Lead) Coordinate(ctx context.Context, process string, lease time.Duration, take bool) (other string, err error) {
	flag := 0
	if take {
		flag = 1
	}
	return f.runText(ctx, "coordinate", process, micros(lease), flag)
}

// Resign ends the role of the coordinator, if a process has it. It does not wait for a server
// that is away.
func (f Lead) Resign(ctx context.Context, process string) error {
	holder, err := redis.String(f.do(ctx, "HGET", f.key("own"), "process"))
	if err != nil || holder != process {
		return err
	}
	_, err = f.do(ctx, "DEL", f.key("own"))
	return err
}

// Lag is how old an entry of the log must be before it is applied. A server whose power was
// cut loses the last second, and assigns the IDs of that second again.
const Lag = 2 * time.Second

// ErrRewound means that the server has lost steps that were applied already.
var ErrRewound = errors.New("the server has lost a part of the crawl")

// Position is a place in the log.
type Position struct {
	Epoch string
	Entry string // ID in the stream
	N     int64  // number of the entry
}

// String returns the stored form.
func (p Position) String() string { return fmt.Sprintf("%s %s %d", p.Epoch, p.Entry, p.N) }

// ParsePosition reads the stored form.
func ParsePosition(text string) (p Position, ok bool) {
	n, err := fmt.Sscanf(text, "%s %s %d", &p.Epoch, &p.Entry, &p.N)
	return p, n == 3 && err == nil
}

// First returns the position before the first entry.
func (h *Header) First() Position { return Position{h.Epoch, "0-0", 0} }

// logAtOnce is how many entries are read at once.
const logAtOnce = 200

// Log is the log of a crawl.
type Log struct {
	crawl  Lead
	header *Header
}

// Log returns the log of the crawl.
func (f Lead) Log(h *Header) Log { return Log{f, h} }

// Read reads entries after a position that are older than lag, and returns the position of
// the last one. The error is ErrRewound if entries are missing.
func (g Log) Read(ctx context.Context, after Position, lag time.Duration) (events []frontier.Event, last Position, err error) {
	f, h := g.crawl, g.header
	var entries []any
	var count string
	err = f.try(ctx, func(ctx context.Context) error {
		upto := "+"
		if lag > 0 {
			now, err := f.now(ctx)
			if err != nil {
				return err
			}
			upto = strconv.FormatInt(now.Add(-lag).UnixMilli(), 10)
		}
		var err error
		if entries, err = redis.Values(f.do(ctx, "XRANGE", f.key("log"), "("+after.Entry, upto, "COUNT", logAtOnce)); err != nil {
			return err
		}
		count, err = redis.String(f.do(ctx, "HGET", f.key("c"), "log"))
		if isNil(err) {
			count, err = "", nil
		}
		return err
	})
	if err != nil {
		return nil, after, err
	}
	if asInt(count) < after.N {
		return nil, after, ErrRewound
	}
	last = after
	for _, m := range entries {
		entry, _ := m.([]any) // its id, and its fields
		if len(entry) != 2 {
			return nil, after, errAnswer
		}
		fields, err := redis.StringMap(entry[1], nil)
		if err != nil {
			return nil, after, errAnswer
		}
		text := func(name string) []byte { return []byte(fields[name]) }
		last.Entry = asText(entry[0])
		if last.N++; asInt(fields["n"]) != last.N {
			return nil, after, ErrRewound
		}
		e, err := readEvent(fields["k"], text("a"), text("b"), text("c"), h.Width == frontier.Wide)
		if err != nil {
			return nil, after, err
		}
		events = append(events, e)
	}
	return events, last, nil
}

// Trim removes the entries up to a position, which have been applied.
func (g Log) Trim(ctx context.Context, upto Position) error {
	_, err := g.crawl.run(ctx, "trim", upto.Entry)
	return err
}

// keys are the keys of a crawl.
type keys struct{ *client }

// removeAll removes all keys and returns their number.
func (f keys) removeAll(ctx context.Context) (removed int64, err error) {
	return f.remove(ctx, func(string) bool { return false })
}

// remove removes the keys that are not to be kept, in small steps, and returns their number.
func (f keys) remove(ctx context.Context, keep func(key string) bool) (removed int64, err error) {
	for cursor := uint64(0); ; {
		err := f.try(ctx, func(ctx context.Context) error {
			keys, next, err := f.scan(ctx, cursor)
			if err != nil {
				return err
			}
			keys = slices.DeleteFunc(keys, keep)
			if len(keys) > 0 {
				n, err := redis.Int64(f.do(ctx, "UNLINK", redis.Args{}.AddFlat(keys)...))
				if err != nil {
					return err
				}
				removed += n
			}
			cursor = next
			return nil
		})
		if err != nil || cursor == 0 {
			return removed, err
		}
	}
}

// scan returns some keys, and where to go on; 0 at the end.
func (f keys) scan(ctx context.Context, cursor uint64) ([]string, uint64, error) {
	if err := f.locate(ctx); err != nil {
		return nil, 0, err
	}
	answer, err := redis.Values(f.do(ctx, "SCAN", cursor, "MATCH", f.prefix+"*", "COUNT", 1000))
	if err != nil {
		return nil, 0, err
	}
	if len(answer) != 2 {
		return nil, 0, errAnswer
	}
	names, err := redis.Strings(answer[1], nil)
	return names, uint64(asInt(answer[0])), err
}

// locate makes sure that commands without a key go to the node of a cluster that has the crawl.
func (f keys) locate(ctx context.Context) error {
	if !f.address.Cluster() {
		return nil
	}
	_, err := f.do(ctx, "GET", f.key("cfg"))
	return err
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
	h, err := f.Lead().Header(ctx)
	if err == nil && h != nil {
		err = f.try(ctx, func(ctx context.Context) error {
			_, err := tombstone(h).send(ctx, f.do, f.prefix)
			return err
		})
	}
	if err == nil { // from now on, no process adds anything
		err = f.try(ctx, func(ctx context.Context) (err error) {
			removed, err = redis.Int64(f.do(ctx, "DEL", f.key("c")))
			return err
		})
	}
	if err != nil {
		return 0, nil, err
	}
	rest, err := (keys{f.client}).removeAll(ctx)
	return removed + rest, nil, err
}

// tombstone is a script that a server knows if the crawl was deleted: no key may remain, and
// a crawl that is absent for another reason is filled again.
func tombstone(h *Header) script { return newScript("return '" + h.Epoch + "'") }

// Deleted reports whether the crawl was deleted, as far as the server remembers.
func (h *Header) Deleted(ctx context.Context, f Lead) (deleted bool, err error) {
	err = f.try(ctx, func(ctx context.Context) error {
		_, err := tombstone(h).known(ctx, f.do, f.prefix)
		deleted = err == nil
		if isReply(err, "NOSCRIPT") {
			return nil
		}
		return err
	})
	return deleted, err
}

// Clear removes what a crawl that is done does not need.
func (f Lead) Clear(ctx context.Context) error {
	needed := []string{f.key("c"), f.key("cfg"), f.key("own"), f.key("ws")}
	_, err := (keys{f.client}).remove(ctx, func(key string) bool { return slices.Contains(needed, key) || strings.HasPrefix(key, f.key("w@")) })
	if err != nil {
		return err
	}
	return f.set(ctx, "logs", 0, "trimmed", 0)
}

// marshal returns JSON with a line break at the end.
func (s *Status) marshal() ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetIndent("", "  ")
	err := e.Encode(s)
	return b.Bytes(), err
}
