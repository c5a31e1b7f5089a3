package redisstore

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/binary"
	"errors"
	"fmt"
	"strconv"
	"sync"
	"time"

	"github.com/gomodule/redigo/redis"

	"github.com/orbweaver/orbweaver/crawler/internal/frontier"
)

// part is one server of a crawl, as one process uses it.
type part struct {
	to       *client
	at       place
	known    knownTargets
	settling settling
	wide     bool
	worker   string          // name of this process
	session  string          // tells processes of the same name apart
	posted   []chan struct{} // of each server: the outbox has something for it

	claiming sync.Mutex // one claim at a time, so that a repeated one can be recognized
	claims   uint64     // number of the last claim

	absentSince time.Time // since when the server has not known the crawl

	mu     sync.Mutex
	header *Header // of the crawl that this process has joined
	offset time.Duration
}

func newPart(c Shard, h *Header, worker string) *part {
	p := &part{to: c.to, at: c.at, header: h, wide: h.Width == frontier.Wide, worker: worker, session: rand.Text()}
	for range c.at.of {
		p.posted = append(p.posted, make(chan struct{}, 1))
	}
	return p
}

// itemsAtOnce is how many items one call of a script enters at most: other processes wait
// meanwhile.
const itemsAtOnce = 1000

// flag returns a flag as scripts take it.
func flag(on bool) string {
	if on {
		return "1"
	}
	return "0"
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
	route  []int           // the servers of the items
	before int             // items of the page that were entered before
	found  []frontier.Item // all of the page
	done   *frontier.Done  // settles the lease, if it is not nil

	ids   []frontier.ID // of the items; 0 for one that another server has
	sent  int           // items that the script was given for this server
	err   error
	ready chan bool // true: this call is to make the next step
}

// post is what an outbox gets for another server.
type post struct {
	to    int
	wave  frontier.Wave // the lowest one of its items
	items []byte
}

// encode returns those of the items that may change something, as scripts take them.
func (p *part) encode(e *entering) (own []byte, posts []post) {
	ids, covered := p.known.covering(e.items)
	e.ids, e.sent = ids, 0
	for i := range e.items {
		it := &e.items[i]
		if covered[i] {
			continue
		}
		if e.route[i] == p.at.number {
			own = appendItem(own, it, p.localOf(it), p.wide)
			ids[i] = unanswered
			e.sent++
			continue
		}
		at := 0
		for at < len(posts) && posts[at].to != e.route[i] {
			at++
		}
		if at == len(posts) {
			posts = append(posts, post{e.route[i], it.Wave, nil})
		}
		posts[at].wave = min(posts[at].wave, it.Wave)
		posts[at].items = appendItem(posts[at].items, it, p.localOf(it), p.wide)
	}
	return own, posts
}

// localOf returns the number of an item's target on its server, 0 if it is not known.
func (p *part) localOf(it *frontier.Item) frontier.ID { return frontier.ID(p.at.local(it.ID)) }

// unanswered stands for the ID of a target that the script is to tell.
const unanswered = ^frontier.ID(0)

// answer takes over an answer of a script.
func (p *part) answer(e *entering, packed, generation string) {
	switch {
	case packed == stale:
		e.err = errStale(e.lease)
		return
	case packed == absent:
		e.err = errAbsent
		return
	case len(packed) != 4*e.sent:
		e.err = errAnswer
		return
	}
	for i := range e.ids {
		if e.ids[i] == unanswered {
			id, err := p.at.global(int64(binary.LittleEndian.Uint32([]byte(packed[:4]))))
			if err != nil {
				e.err = err
				return
			}
			e.ids[i], packed = id, packed[4:]
		}
	}
	p.known.learn(e.items, e.ids, generation)
}

func appendPosts(args []any, posts []post) []any {
	for _, o := range posts {
		args = append(args, o.to, byte(o.wave), o.items)
	}
	return args
}

// signal wakes the relays of what was posted.
func (p *part) signal(posts []post) {
	for _, o := range posts {
		select {
		case p.posted[o.to] <- struct{}{}:
		default:
		}
	}
}

// send runs a script that enters items, with arguments that go with what this process knows of the
// targets. A server of another generation knows other ones: then it is sent everything again.
func (p *part) send(ctx context.Context, script string, args func(generation string) []any) (answers []any, generation string, err error) {
	for {
		generation = p.known.current()
		answer, err := p.to.run(ctx, script, args(generation)...)
		if err != nil {
			return nil, "", err
		}
		other, differs := answer.(string)
		if !differs {
			answers, _ = answer.([]any)
			return answers, generation, nil
		}
		p.known.forget(other)
	}
}

// add enters items that may be a part of a page.
func (p *part) add(ctx context.Context, e *entering) error {
	var posts []post
	answers, generation, err := p.send(ctx, "add", func(generation string) []any {
		var items []byte
		items, posts = p.encode(e)
		return appendPosts([]any{items, flag(p.wide), generation, p.at.local(e.lease.ID), fence(e.lease), e.before, len(e.items)}, posts)
	})
	if err != nil {
		return err
	}
	if len(answers) != 1 {
		return errAnswer
	}
	p.answer(e, asText(answers[0]), generation)
	p.signal(posts)
	return e.err
}

// enter enters encoded items that a relay has brought.
func (p *part) enter(ctx context.Context, items []byte) error {
	answers, _, err := p.send(ctx, "add", func(generation string) []any {
		return []any{items, flag(p.wide), generation, 0, 0, 0, 0}
	})
	if err == nil && len(answers) == 1 && asText(answers[0]) == absent {
		err = frontier.ErrAbsent
	}
	return err
}

// settle settles pages in one step.
func (p *part) settle(ctx context.Context, pages []*entering) error {
	var all []post
	answers, generation, err := p.send(ctx, "complete", func(generation string) []any {
		args := []any{flag(p.wide), generation}
		all = nil
		for _, e := range pages {
			items, posts := p.encode(e)
			met := e.lease.Need & (frontier.NeedContent | frontier.NeedLinks | frontier.NeedRender)
			args = append(args, p.at.local(e.lease.ID), fence(e.lease), byte(met), e.before, items, appendNames(nil, e.lease, met, e.found, p.wide),
				appendResult(nil, e.done), len(posts), len(e.done.Tally))
			args = appendPosts(args, posts)
			for _, t := range e.done.Tally {
				args = append(args, t.Name, t.By)
			}
			all = append(all, posts...)
		}
		return args
	})
	if err != nil {
		return err
	}
	if len(answers) != len(pages) {
		return errAnswer
	}
	for i, e := range pages {
		p.answer(e, asText(answers[i]), generation)
	}
	p.signal(all)
	return nil
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
func (p *part) complete(ctx context.Context, e *entering) error {
	e.ready = make(chan bool, 1)
	if p.settling.enqueue(e) || <-e.ready {
		pages := p.settling.next() // with this one, which is the first
		err := p.settle(context.WithoutCancel(ctx), pages)
		if err != nil { // each page waits for the server only once
			pages = append(pages, p.settling.all()...)
		}
		for _, other := range pages {
			if err != nil {
				other.err = err
			}
			if other != e {
				other.ready <- false
			}
		}
		p.settling.pass()
	}
	return e.err
}

func errStale(l *frontier.Lease) error { return fmt.Errorf("target %d: %w", l.ID, frontier.ErrStale) }

// fence returns the fence of a lease as scripts take it.
func fence(l *frontier.Lease) string { return strconv.FormatUint(l.Fence, 10) }

// claimed is an answer to a claim.
type claimed struct {
	leases []frontier.Lease
	why    string    // see claim.lua
	next   time.Time // when to ask again; zero if that is unknown
	facts  uint64
	left   outstanding
	sent   time.Time
}

// claim leases up to most targets of this server. upto is the first wave that other servers may still
// have something of, and busy says that one has pages that are leased or may be visited now.
func (p *part) claim(ctx context.Context, most int, d time.Duration, upto frontier.Wave, busy bool) (c claimed, err error) {
	p.claiming.Lock()
	defer p.claiming.Unlock()
	if p.worker != "" {
		p.claims++
	}
	c.sent = time.Now()
	answer, err := p.to.run(ctx, "claim", most, micros(d), p.worker, p.session, p.claims, byte(upto), flag(busy))
	if err != nil {
		return c, err
	}
	list, ok := answer.([]any)
	if !ok || len(list) < 5 {
		return c, errAnswer
	}
	p.setOffset(time.UnixMicro(asInt(list[0])), c.sent)
	c.why, c.facts = asText(list[1]), uint64(asInt(list[3]))
	if c.left, err = readOutstanding(asText(list[4])); err != nil {
		return c, err
	}
	if c.why != "absent" {
		p.absentSince = time.Time{}
	}
	switch c.why {
	case "replaced":
		return c, frontier.ErrReplaced
	case "absent":
		if p.worker != "" {
			err = p.absent(ctx)
		}
		return c, err
	}
	for _, one := range list[5:] {
		l, err := p.readLease(one)
		if err != nil {
			return c, err
		}
		l.Facts, l.Claimed = c.facts, c.sent
		c.leases = append(c.leases, l)
	}
	if len(c.leases) > 0 && p.worker != "" {
		if _, err := p.to.run(ctx, "ack", p.worker, p.session, p.claims); err != nil {
			return c, err
		}
	}
	if next := asInt(list[2]); next >= 0 && len(c.leases) == 0 {
		c.next = time.Now().Add(time.Duration(next) * time.Microsecond)
	}
	return c, nil
}

// absent returns the error of a claim in a crawl that the server does not know, nil while its
// coordinator may fill it again.
func (p *part) absent(ctx context.Context) error {
	if gone, err := p.gone(ctx); err != nil || gone {
		return cmp.Or(err, frontier.ErrGone)
	}
	if p.absentSince.IsZero() {
		p.absentSince = time.Now()
	}
	if time.Since(p.absentSince) > p.to.options.Patience {
		return frontier.ErrGone
	}
	return nil
}

// gone reports whether the crawl was deleted.
func (p *part) gone(ctx context.Context) (bool, error) {
	p.mu.Lock()
	h := p.header
	p.mu.Unlock()
	return Shard{p.to, p.at}.Deleted(ctx, h)
}

// setOffset notes how much the clock of the server is ahead, from an answer to a call.
func (p *part) setOffset(server, sent time.Time) {
	now := time.Now()
	p.mu.Lock()
	defer p.mu.Unlock()
	p.offset = server.Sub(sent.Add(now.Sub(sent) / 2))
}

func (p *part) readLease(v any) (frontier.Lease, error) {
	f, ok := v.([]any)
	if !ok || len(f) != 12 {
		return frontier.Lease{}, errAnswer
	}
	id, err := p.at.global(asInt(f[0]))
	if err != nil {
		return frontier.Lease{}, err
	}
	l := frontier.Lease{ID: id, Fence: uint64(asInt(f[1])), Host: asText(f[2]), Wave: frontier.Wave(asInt(f[3])), Need: frontier.Need(asInt(f[4])),
		Tries: int(asInt(f[5])), Job: []byte(asText(f[6])), Controller: uint64(asInt(f[8])), Interval: time.Duration(asInt(f[9])) * time.Microsecond, Again: asText(f[10]) == "1",
		Server: p.at.number}
	if note := asText(f[7]); note != "" {
		l.Note = []byte(note)
	}
	name := fieldsOf([]byte(asText(f[11])))
	if l.Fingerprint = name.fingerprint(p.wide); name.Failed {
		return frontier.Lease{}, errAnswer
	}
	return l, nil
}

// release queues a leased target again.
func (p *part) release(ctx context.Context, l *frontier.Lease, d *frontier.Deferral) error {
	wait := ""
	if !d.NotBefore.IsZero() {
		wait = micros(time.Until(d.NotBefore))
	}
	args := []any{p.at.local(l.ID), fence(l), byte(d.Wave), wait, d.Note, appendFingerprint(nil, l.Fingerprint, p.wide)}
	for _, t := range d.Tally {
		args = append(args, t.Name, t.By)
	}
	answer, err := p.to.runText(ctx, "release", args...)
	if err == nil && answer == stale {
		err = errStale(l)
	}
	return err
}

// extend extends leases in one step and returns those that are not held any more.
func (p *part) extend(ctx context.Context, leases []frontier.Lease, d time.Duration) (lost []frontier.ID, err error) {
	args := []any{micros(d), p.worker, p.session}
	for i := range leases {
		args = append(args, p.at.local(leases[i].ID), fence(&leases[i]))
	}
	answer, err := p.to.run(ctx, "extend", args...)
	if err != nil {
		return nil, err
	}
	list, _ := answer.([]any)
	if len(list) < 2 {
		return nil, errAnswer
	}
	switch asText(list[1]) {
	case "replaced":
		return nil, frontier.ErrReplaced
	case "absent":
		if gone, err := p.gone(ctx); err != nil || gone {
			return nil, cmp.Or(err, frontier.ErrGone)
		}
	}
	for _, n := range list[2:] {
		id, err := p.at.global(asInt(n))
		if err != nil {
			return nil, err
		}
		lost = append(lost, id)
	}
	return lost, nil
}

// join lets this process take part.
func (p *part) join(ctx context.Context, version string, browser bool) error {
	state, err := p.to.runText(ctx, "join", p.worker, p.session, version, flag(browser))
	if err == nil && (state == "absent" || state == "filling") {
		err = frontier.ErrAbsent
	}
	if err != nil {
		return err
	}
	h, err := Shard{p.to, p.at}.Header(ctx) // it may have been filled again
	if err == nil && h != nil {
		p.mu.Lock()
		p.header = h
		p.mu.Unlock()
	}
	return err
}

// eachPace calls fn with the pace of every host.
func (c *client) eachPace(ctx context.Context, fn func(host string, p frontier.Pace) error) error {
	n, err := c.counter(ctx, "hosts")
	if err != nil {
		return err
	}
	for i := range n {
		var v []any
		err := c.try(ctx, func(ctx context.Context) (err error) {
			v, err = redis.Values(c.do(ctx, "HMGET", c.key("h:"+strconv.FormatInt(i, 10)), "n", "c", "i", "b"))
			return err
		})
		if err != nil {
			return err
		}
		pace := frontier.Pace{Concurrency: int(asInt(v[1])), Interval: time.Duration(asInt(v[2])) * time.Microsecond}
		if at := asInt(v[3]); at > 0 {
			pace.NotBefore = time.UnixMicro(at)
		}
		if err := fn(asText(v[0]), pace); err != nil {
			return err
		}
	}
	return nil
}

// paceArgs returns a pace as pace.lua takes it.
func paceArgs(host string, p frontier.Pace) []any {
	rest := ""
	if !p.NotBefore.IsZero() {
		rest = micros(time.Until(p.NotBefore))
	}
	domain := p.Within[frontier.ByDomain]
	return []any{host, p.Concurrency, micros(p.Interval), rest, domain.Key, domain.Most}
}

// counters returns the counters of the crawl.
func (c *client) counters(ctx context.Context) (all map[string]string, err error) {
	err = c.try(ctx, func(ctx context.Context) (err error) {
		all, err = redis.StringMap(c.do(ctx, "HGETALL", c.key("c")))
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("frontier: count: %w", err)
	}
	return all, nil
}

func (c *client) counter(ctx context.Context, name string) (int64, error) {
	all, err := c.counters(ctx)
	return asInt(all[name]), err
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

// tallies adds what the server has tallied to sums.
func (c *client) tallies(ctx context.Context, sums map[string]int64) error {
	var all map[string]string
	err := c.try(ctx, func(ctx context.Context) (err error) {
		all, err = redis.StringMap(c.do(ctx, "HGETALL", c.key("t")))
		return err
	})
	for name, text := range all {
		sums[name] += asInt(text)
	}
	return err
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
