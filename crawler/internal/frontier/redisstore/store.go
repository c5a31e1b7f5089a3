package redisstore

import (
	"cmp"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/gomodule/redigo/redis"

	"github.com/orbweaver/orbweaver/crawler/internal/frontier"
)

// Store is a crawl on a server, as one process uses it. Frontier.Open makes one.
type Store struct {
	*client
	known    knownTargets
	settling settling
	wide     bool
	key      [16]byte
	worker   string // name of this process
	session  string // tells processes of the same name apart
	version  string // of the program
	Browser  bool   // this process has a browser; set before Join

	entered atomic.Uint32 // the highest ID of an answer

	claiming sync.Mutex // one claim at a time, so that a repeated one can be recognized
	claims   uint64     // number of the last claim

	absentSince time.Time // since when the server has not known the crawl

	mu     sync.Mutex
	header *Header // of the crawl that this process has joined
	why    string
	offset time.Duration
}

// itemsAtOnce is how many items one call of a script enters at most: other processes wait
// meanwhile.
const itemsAtOnce = 1000

// FingerprintKey implements frontier.Keyed.
func (s *Store) FingerprintKey() [16]byte { return s.key }

// Width implements frontier.Store.
func (s *Store) Width() frontier.Width {
	if s.wide {
		return frontier.Wide
	}
	return frontier.Narrow
}

func (s *Store) wideFlag() string {
	if s.wide {
		return "1"
	}
	return "0"
}

// readIDs appends the packed IDs of an answer.
func readIDs(ids []frontier.ID, packed string) []frontier.ID {
	for i := 0; i+4 <= len(packed); i += 4 {
		ids = append(ids, frontier.ID(binary.LittleEndian.Uint32([]byte(packed[i:i+4]))))
	}
	return ids
}

// Answers of scripts: for a lease that is not held, and for a crawl that does not exist.
const (
	stale  = "STALE"
	absent = "ABSENT"
)

// errAbsent is the error of entering something in a crawl that does not exist. In a visit, it
// is one of a lease that is not held any more.
var errAbsent = fmt.Errorf("%w: %w", frontier.ErrAbsent, frontier.ErrStale)

// entering is a call of a script that enters items of a page.
type entering struct {
	lease  *frontier.Lease
	items  []frontier.Item
	before int            // items of the page that were entered before
	done   *frontier.Done // settles the lease, if it is not nil

	ids   []frontier.ID
	err   error
	ready chan bool // true: this call is to make the next step
}

// answer takes over an answer of a script.
func (e *entering) answer(s *Store, packed, generation string) {
	switch {
	case packed == stale:
		e.err = errStale(e.lease)
	case packed == absent:
		e.err = errAbsent
	case len(packed) != 4*len(e.items):
		e.err = errAnswer
	default:
		e.ids = readIDs(make([]frontier.ID, 0, len(e.items)), packed)
		s.known.learn(e.items, e.ids, generation)
	}
}

// add enters items that may be a part of a page.
func (s *Store) add(ctx context.Context, e *entering) ([]frontier.ID, error) {
	for {
		generation := s.known.current()
		items, known := s.known.encode(e.items, s.wide)
		answer, err := s.run(ctx, "add", items, s.wideFlag(), known, generation, uint32(e.lease.ID), fence(e.lease), e.before)
		if err != nil {
			return nil, err
		}
		if other, differs := answer.(string); differs {
			s.known.forget(other)
			continue
		}
		list, _ := answer.([]any)
		if len(list) != 1 {
			return nil, errAnswer
		}
		e.answer(s, asText(list[0]), generation)
		return e.ids, e.err
	}
}

// settle settles pages in one step.
func (s *Store) settle(ctx context.Context, pages []*entering) error {
	for {
		generation := s.known.current()
		args := []any{s.wideFlag(), generation}
		for _, e := range pages {
			items, known := s.known.encode(e.items, s.wide)
			needs := e.lease.Need & (frontier.NeedContent | frontier.NeedLinks | frontier.NeedRender)
			args = append(args, uint32(e.lease.ID), fence(e.lease), byte(needs), e.before, items, known, appendResult(nil, e.done), len(e.done.Tally))
			for _, t := range e.done.Tally {
				args = append(args, t.Name, t.By)
			}
		}
		answer, err := s.run(ctx, "complete", args...)
		if err != nil {
			return err
		}
		if other, differs := answer.(string); differs {
			s.known.forget(other)
			continue
		}
		list, _ := answer.([]any)
		if len(list) != len(pages) {
			return errAnswer
		}
		for i, e := range pages {
			e.answer(s, asText(list[i]), generation)
		}
		return nil
	}
}

// settling collects the pages that are settled while the server is busy with others. One of
// their calls settles them all in the next step.
type settling struct {
	mu      sync.Mutex
	busy    bool
	waiting []*entering
}

// pagesAtOnce is how many pages are settled in one step, if they do not have too many items.
const pagesAtOnce = 16

// enqueue returns true if the caller is to make the next step.
func (q *settling) enqueue(e *entering) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.waiting = append(q.waiting, e)
	first := !q.busy
	q.busy = true
	return first
}

// all returns all pages that wait.
func (q *settling) all() []*entering {
	q.mu.Lock()
	defer q.mu.Unlock()
	pages := q.waiting
	q.waiting = nil
	return pages
}

// next returns the pages of the next step.
func (q *settling) next() []*entering {
	q.mu.Lock()
	defer q.mu.Unlock()
	n, items := 0, 0
	for n < min(len(q.waiting), pagesAtOnce) {
		if items += len(q.waiting[n].items); n > 0 && items > itemsAtOnce {
			break
		}
		n++
	}
	pages := q.waiting[:n:n]
	q.waiting = q.waiting[n:]
	return pages
}

// pass lets one of those that wait make the next step.
func (q *settling) pass() {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.busy = len(q.waiting) > 0; q.busy {
		q.waiting[0].ready <- true
	}
}

// complete settles a page, together with others.
func (s *Store) complete(ctx context.Context, e *entering) ([]frontier.ID, error) {
	e.ready = make(chan bool, 1)
	if s.settling.enqueue(e) || <-e.ready {
		pages := s.settling.next() // with this one, which is the first
		err := s.settle(context.WithoutCancel(ctx), pages)
		if err != nil { // each page waits for the server only once
			pages = append(pages, s.settling.all()...)
		}
		for _, other := range pages {
			if err != nil {
				other.err = err
			}
			if other != e {
				other.ready <- false
			}
		}
		s.settling.pass()
	}
	return e.ids, e.err
}

func errStale(l *frontier.Lease) error { return fmt.Errorf("target %d: %w", l.ID, frontier.ErrStale) }

// fence returns the fence of a lease as scripts take it.
func fence(l *frontier.Lease) string { return strconv.FormatUint(l.Fence, 10) }

// Add implements frontier.Store. Many items are entered in several steps.
func (s *Store) Add(ctx context.Context, items []frontier.Item) ([]frontier.ID, error) {
	ids := make([]frontier.ID, 0, len(items))
	for len(items) > 0 {
		n := min(len(items), itemsAtOnce)
		part, err := s.add(ctx, &entering{lease: &frontier.Lease{}, items: items[:n]})
		if err != nil {
			return nil, err
		}
		ids, items = append(ids, part...), items[n:]
	}
	for _, id := range ids {
		if uint32(id) > s.entered.Load() {
			s.entered.Store(uint32(id))
		}
	}
	return ids, nil
}

// Filled lets the targets be given out: at least as many as were restored, and those that this
// store has entered. It returns false if the server has lost some of them meanwhile: then the
// crawl must be made again.
func (s *Store) Filled(ctx context.Context, restored int) (complete bool, err error) {
	before, err := s.runText(ctx, "state", "filled", max(int(s.entered.Load()), restored))
	return err == nil && before != "lost" && before != "absent", err
}

// Claim implements frontier.Store.
func (s *Store) Claim(ctx context.Context, most int, d time.Duration) ([]frontier.Lease, time.Time, error) {
	s.claiming.Lock()
	defer s.claiming.Unlock()
	if s.worker != "" {
		s.claims++
	}
	sent := time.Now()
	answer, err := s.run(ctx, "claim", most, micros(d), s.worker, s.session, s.claims)
	if err != nil {
		return nil, time.Time{}, err
	}
	list, ok := answer.([]any)
	if !ok || len(list) < 4 {
		return nil, time.Time{}, errAnswer
	}
	if asText(list[1]) != "absent" {
		s.absentSince = time.Time{}
	}
	process{s}.setOffset(time.UnixMicro(asInt(list[0])), sent)
	why, next, facts := asText(list[1]), asInt(list[2]), uint64(asInt(list[3]))
	switch why {
	case "end", "drained":
		process{s}.setWhy("")
		return nil, time.Time{}, io.EOF
	case "replaced":
		return nil, time.Time{}, frontier.ErrReplaced
	case "absent":
		return nil, time.Time{}, s.absent(ctx)
	case "unknown":
		if err := s.Process().Join(ctx); err != nil {
			return nil, time.Time{}, err
		}
		return nil, time.Now().Add(time.Millisecond), nil
	case "paused":
		process{s}.setWhy("paused")
	case "full":
		process{s}.setWhy("log full")
	default:
		process{s}.setWhy("")
	}
	leases := make([]frontier.Lease, 0, len(list)-4)
	for _, one := range list[4:] {
		l, err := readLease(one)
		if err != nil {
			return nil, time.Time{}, err
		}
		l.Facts, l.Claimed = facts, sent
		leases = append(leases, l)
	}
	if len(leases) > 0 && s.worker != "" {
		if _, err := s.run(ctx, "ack", s.worker, s.session, s.claims); err != nil {
			return nil, time.Time{}, err
		}
	}
	if next < 0 || len(leases) > 0 {
		return leases, time.Time{}, nil
	}
	return nil, time.Now().Add(time.Duration(next) * time.Microsecond), nil
}

// absent is the error of a claim in a crawl that the server does not know. Its coordinator may
// fill it again.
func (s *Store) absent(ctx context.Context) error {
	if gone, err := (process{s}).gone(ctx); err != nil || gone {
		return cmp.Or(err, frontier.ErrGone)
	}
	if s.absentSince.IsZero() {
		s.absentSince = time.Now()
	}
	if time.Since(s.absentSince) > s.options.Patience {
		return frontier.ErrGone
	}
	return frontier.ErrAbsent
}

var errAnswer = errors.New("the server gave an answer of another form than the scripts do")

func asText(v any) string {
	switch text := v.(type) {
	case string:
		return text
	case []byte:
		return string(text)
	}
	return ""
}

func asInt(v any) int64 {
	switch n := v.(type) {
	case int64:
		return n
	case string:
		i, _ := strconv.ParseInt(n, 10, 64)
		return i
	case []byte:
		return asInt(string(n))
	}
	return 0
}

func readLease(v any) (frontier.Lease, error) {
	f, ok := v.([]any)
	if !ok || len(f) != 11 {
		return frontier.Lease{}, errAnswer
	}
	l := frontier.Lease{ID: frontier.ID(asInt(f[0])), Fence: uint64(asInt(f[1])), Host: asText(f[2]), Wave: frontier.Wave(asInt(f[3])), Need: frontier.Need(asInt(f[4])),
		Tries: int(asInt(f[5])), Job: []byte(asText(f[6])), Controller: uint64(asInt(f[8])), Interval: time.Duration(asInt(f[9])) * time.Microsecond, Again: asText(f[10]) == "1"}
	if note := asText(f[7]); note != "" {
		l.Note = []byte(note)
	}
	return l, nil
}

// Complete implements frontier.Store. The targets of a large page are entered in several
// steps, the last of which settles the page.
func (s *Store) Complete(ctx context.Context, l frontier.Lease, d frontier.Done) ([]frontier.ID, error) {
	ids, rest := make([]frontier.ID, 0, len(d.Found)), d.Found
	for len(rest) > itemsAtOnce {
		part, err := s.add(ctx, &entering{lease: &l, items: rest[:itemsAtOnce], before: len(ids)})
		if err != nil {
			return nil, err
		}
		ids, rest = append(ids, part...), rest[itemsAtOnce:]
	}
	part, err := s.complete(ctx, &entering{lease: &l, items: rest, before: len(ids), done: &d})
	if err != nil {
		return nil, err
	}
	return append(ids, part...), nil
}

// Release implements frontier.Store.
func (s *Store) Release(ctx context.Context, l frontier.Lease, d frontier.Deferral) error {
	wait := ""
	if !d.NotBefore.IsZero() {
		wait = micros(time.Until(d.NotBefore))
	}
	args := []any{uint32(l.ID), fence(&l), byte(d.Wave), wait, d.Note}
	for _, t := range d.Tally {
		args = append(args, t.Name, t.By)
	}
	return s.release(ctx, &l, args)
}

func (s *Store) release(ctx context.Context, l *frontier.Lease, args []any) error {
	answer, err := s.runText(ctx, "release", args...)
	if err == nil && answer == stale {
		err = errStale(l)
	}
	return err
}

// Extend implements frontier.Store.
func (s *Store) Extend(ctx context.Context, l frontier.Lease, d time.Duration) error {
	lost, err := s.Process().ExtendAll(ctx, []frontier.Lease{l}, d)
	if err == nil && len(lost) > 0 {
		err = errStale(&l)
	}
	return err
}

// paceArgs returns a pace as pace.lua takes it.
func paceArgs(host string, p frontier.Pace) []any {
	rest := ""
	if !p.NotBefore.IsZero() {
		rest = micros(time.Until(p.NotBefore))
	}
	return []any{host, p.Concurrency, micros(p.Interval), rest}
}

// SetPace implements frontier.Store.
func (s *Store) SetPace(ctx context.Context, host string, p frontier.Pace) error {
	_, err := s.run(ctx, "pace", append(paceArgs(host, p), "", "")...)
	return err
}

// Paces implements frontier.Store.
func (s *Store) Paces(ctx context.Context, fn func(host string, p frontier.Pace) error) error {
	n, err := s.counter(ctx, "hosts")
	if err != nil {
		return err
	}
	for i := range n {
		var v []any
		err := s.try(ctx, func(ctx context.Context) (err error) {
			v, err = redis.Values(s.do(ctx, "HMGET", s.client.key("h:"+strconv.FormatInt(i, 10)), "n", "c", "i", "b"))
			return err
		})
		if err != nil {
			return err
		}
		p := frontier.Pace{Concurrency: int(asInt(v[1])), Interval: time.Duration(asInt(v[2])) * time.Microsecond}
		if at := asInt(v[3]); at > 0 {
			p.NotBefore = time.UnixMicro(at)
		}
		if err := fn(asText(v[0]), p); err != nil {
			return err
		}
	}
	return nil
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

// counters returns the counters of the crawl.
func (s *client) counters(ctx context.Context) (c map[string]string, err error) {
	err = s.try(ctx, func(ctx context.Context) (err error) {
		c, err = redis.StringMap(s.do(ctx, "HGETALL", s.key("c")))
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("frontier: count: %w", err)
	}
	return c, nil
}

func (s *client) counter(ctx context.Context, name string) (int64, error) {
	c, err := s.counters(ctx)
	return asInt(c[name]), err
}

// Count implements frontier.Store.
func (s *Store) Count(ctx context.Context) (frontier.Counts, error) {
	c, err := s.counters(ctx)
	if err != nil {
		return frontier.Counts{}, err
	}
	return countsOf(c), nil
}

func countsOf(c map[string]string) frontier.Counts {
	n := frontier.Counts{Known: int(asInt(c["known"])), Settled: int(asInt(c["settled"])), Leased: int(asInt(c["leased"])), Pages: int(asInt(c["sp"]))}
	n.Queued = n.Known - n.Settled - n.Leased
	for name, text := range c {
		if len(name) < 2 || name[0] != 'q' && name[0] != 'l' {
			continue
		}
		if wave, err := strconv.Atoi(name[1:]); err == nil && wave <= int(frontier.LastPages) {
			n.Pages += int(asInt(text))
		}
	}
	return n
}

// Tally implements frontier.Store. A step whose answer is lost is repeated, so a tally that
// must be exact belongs to Complete or Release.
func (s *Store) Tally(ctx context.Context, list []frontier.Tally) error {
	args := make([]any, 0, 2*len(list))
	for _, t := range list {
		args = append(args, t.Name, t.By)
	}
	_, err := s.run(ctx, "tally", args...)
	return err
}

// Tallies implements frontier.Store.
func (s *Store) Tallies(ctx context.Context) (map[string]int64, error) {
	var all map[string]string
	err := s.try(ctx, func(ctx context.Context) (err error) {
		all, err = redis.StringMap(s.do(ctx, "HGETALL", s.client.key("t")))
		return err
	})
	if err != nil {
		return nil, err
	}
	sums := map[string]int64{}
	for name, text := range all {
		sums[name] = asInt(text)
	}
	return sums, nil
}

// Process implements frontier.Shared.
func (s *Store) Process() frontier.Process { return process{s} }

// Common implements frontier.Shared.
func (s *Store) Common() frontier.Common { return common{s} }

// Close implements frontier.Store.
func (s *Store) Close() error { return s.server.pool.Close() }

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
