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
	settling together[*entering]
	counting together[*counted]
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
	p := &part{to: c.to, at: c.at, known: knownTargets{at: c.at}, header: h, wide: h.Width == frontier.Wide, worker: worker, session: rand.Text()}
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

	ids  []frontier.ID // of the items; 0 for one that another server has
	sent int           // items that the script was given for this server
	err  error
}

// post is what an outbox gets for another server.
type post struct {
	to    int
	wave  frontier.Wave // the lowest one of its items
	items []byte
}

// encode returns those of the items that may change something, as scripts take them.
func (p *part) encode(e *entering) (own []byte, posts []post, highest frontier.ID) {
	ids, covered := p.known.covering(e.items)
	e.ids, e.sent = ids, 0
	for i := range e.items {
		it := &e.items[i]
		if covered[i] {
			continue
		}
		local := frontier.ID(p.at.local(it.ID)) // 0 if it is not known
		if e.route[i] == p.at.number {
			own = appendItem(own, it, local, p.wide)
			highest = max(highest, local)
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
		posts[at].items = appendItem(posts[at].items, it, local, p.wide)
	}
	return own, posts, highest
}

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
		var highest frontier.ID
		items, posts, highest = p.encode(e)
		return appendPosts([]any{items, flag(p.wide), generation, uint32(highest), p.at.local(e.lease.ID), fence(e.lease), e.before, len(e.items)}, posts)
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
	list, err := readItems(items, p.wide)
	if err != nil {
		return err
	}
	highest := frontier.ID(0)
	for i := range list {
		highest = max(highest, list[i].ID)
	}
	answers, _, err := p.send(ctx, "add", func(generation string) []any {
		return []any{items, flag(p.wide), generation, uint32(highest), 0, 0, 0, 0}
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
		var highest frontier.ID
		var args []any
		sums := map[string]int64{}
		all = nil
		for _, e := range pages {
			items, posts, named := p.encode(e)
			highest = max(highest, named)
			met := e.lease.Need & (frontier.NeedContent | frontier.NeedLinks | frontier.NeedRender)
			args = append(args, appendVisit(nil, p.at.local(e.lease.ID), e.lease.Fence, met, e.before),
				appendSettled(nil, appendNames(nil, e.lease, met, e.found, p.wide), items, posts, appendResult(nil, e.done)), appendTallies(nil, e.done.Tally), len(posts))
			args = appendPosts(args, posts)
			for _, t := range e.done.Tally {
				sums[t.Name] += t.By
			}
			all = append(all, posts...)
		}
		first := []any{flag(p.wide), generation, uint32(highest), len(sums)}
		for name, sum := range sums {
			first = append(first, name, sum)
		}
		return append(first, args...)
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

// pagesAtOnce is how many pages are settled in one step, if they do not have too many items.
const pagesAtOnce = 64

// complete settles a page, together with others.
func (p *part) complete(ctx context.Context, e *entering) error {
	items := 0
	fits := func(n int, next *entering) bool {
		items += len(next.items)
		return n == 0 || n < pagesAtOnce && items <= itemsAtOnce
	}
	err := p.settling.do(e, fits, func(pages []*entering) error { return p.settle(context.WithoutCancel(ctx), pages) })
	return cmp.Or(err, e.err)
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
	generation := p.known.current()
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
	p.known.learnLeases(c.leases, generation)
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
	if !ok || len(f) != 4 {
		return frontier.Lease{}, errAnswer
	}
	r, name := fieldsOf([]byte(asText(f[0]))), fieldsOf([]byte(asText(f[1])))
	id, err := p.at.global(int64(r.uint32()))
	if err != nil {
		return frontier.Lease{}, err
	}
	l := frontier.Lease{ID: id, Fence: uint64(r.float()), Wave: frontier.Wave(r.Byte()), Need: frontier.Need(r.Byte()), Tries: int(r.Byte()), Again: r.Byte() == 1,
		Controller: uint64(r.float()), Interval: time.Duration(r.float()) * time.Microsecond, Host: asText(f[2]), Server: p.at.number}
	l.Fingerprint = name.fingerprint(p.wide)
	l.Job = fullJob(name.Rest, []byte(l.Host))
	if note := asText(f[3]); note != "" {
		l.Note = []byte(note)
	}
	if r.Failed || name.Failed {
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
	args := []any{p.at.local(l.ID), fence(l), byte(d.Wave), wait, d.Note, appendFingerprint(nil, l.Fingerprint, p.wide), flag(d.Unvisited)}
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
			v, err = redis.Values(c.do(ctx, "HMGET", c.key("h:"+strconv.FormatInt(i, 10)), "n", "p"))
			return err
		})
		if err != nil {
			return err
		}
		var pace frontier.Pace
		if text := asText(v[1]); text != "" {
			r := fieldsOf([]byte(text))
			if pace = r.pace(); r.Failed {
				return errAnswer
			}
		}
		if err := fn(asText(v[0]), pace); err != nil {
			return err
		}
	}
	return nil
}

// paceArgs returns a pace as pace.lua takes it.
func paceArgs(at place, host string, p frontier.Pace) []any {
	rest := ""
	if !p.NotBefore.IsZero() {
		rest = micros(time.Until(p.NotBefore))
	}
	args := []any{host, p.Concurrency, micros(p.Interval), rest}
	for _, kind := range [...]int{frontier.ByDomain, frontier.ByAddress} {
		key, most := p.Within[kind].Key, p.Within[kind].Most
		if kind == frontier.ByAddress && at.of > 1 { // its hosts may be on all servers
			most = max(1, most/at.of)
		}
		if key != "" { // other hosts may have another limit
			key = fmt.Sprintf("%s %d", key, most)
		}
		args = append(args, key, most)
	}
	return args
}

// counters returns the counters of the crawl.
func (c *client) counters(ctx context.Context) (all map[string]string, err error) {
	err = c.try(ctx, func(ctx context.Context) (err error) {
		if all, err = redis.StringMap(c.do(ctx, "HGETALL", c.key("c"))); err != nil || len(all) == 0 {
			return err
		}
		numbers, err := redis.Bytes(c.do(ctx, "GET", c.key("N")))
		if isNil(err) {
			return nil
		}
		addNumbers(all, numbers)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("frontier: count: %w", err)
	}
	return all, nil
}

// addNumbers adds the numbers that scripts keep in one string, under their names in common.lua. Those of waves
// have the letters and the number of the wave.
func addNumbers(all map[string]string, numbers []byte) {
	r := fieldsOf(numbers)
	add := func(name string) { all[name] = strconv.FormatFloat(r.float(), 'f', -1, 64) }
	for _, name := range []string{"log", "known", "settled", "leased", "hosts", "logs", "pages", "fence", "size", "split"} {
		add(name)
	}
	for wave := frontier.Leaves; len(r.Rest) > 0 && !r.Failed; wave++ { // up to 255, and then from 0
		for _, letter := range "qloe" {
			add(fmt.Sprintf("%c%d", letter, wave))
		}
	}
}

func (c *client) counter(ctx context.Context, name string) (int64, error) {
	all, err := c.counters(ctx)
	return asInt(all[name]), err
}

func countsOf(c map[string]string) frontier.Counts {
	n := frontier.Counts{Known: int(asInt(c["known"])), Settled: int(asInt(c["settled"])), Leased: int(asInt(c["leased"])), Pages: int(asInt(c["pages"]))}
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
