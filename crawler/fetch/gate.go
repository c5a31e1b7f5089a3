package fetch

import (
	"context"
	"errors"
	"net/http"
	"sync"
	"time"
)

// ErrSpent is the cause of a Fault of kind "limit": a Gate has no request left.
var ErrSpent = errors.New("the budget of requests is used up")

// Gates let out the HTTP requests of several runs in one process. Together these runs send at
// most a number of requests, and they are no faster at a host than one of them: requests to a
// host are under way for one run at a time, and runs take turns in the order in which they ask.
type Gates struct {
	interval time.Duration // between requests to one host

	mu    sync.Mutex
	left  int
	hosts map[string]*gatedHost
}

// Gate is the part of one run in Gates.
type Gate struct {
	of    *Gates
	left  int           // guarded by of.mu, like everything else
	spent chan struct{} // closed when a request was refused
}

// gatedHost is a host to which requests are under way, or were sent not long ago.
type gatedHost struct {
	owner    *Gate
	under    int // requests of the owner that are under way
	waiting  []*gateWaiter
	next     time.Time // when another request may be sent
	rest     time.Time // until when the host asked not to be visited
	restedBy *Gate     // the run that was asked; its own engine obeys or gives up
}

type gateWaiter struct {
	gate *Gate
	turn chan struct{} // closed when its request may be sent
}

// maxGateRest limits the rest that a host can ask for from runs that it did not answer.
const maxGateRest = time.Minute

// NewGates returns gates for at most a number of requests. Two requests to one host are an
// interval apart, which may be 0.
func NewGates(requests int, interval time.Duration) *Gates {
	return &Gates{interval: interval, left: requests, hosts: map[string]*gatedHost{}}
}

// Left returns the number of requests that all runs may still send.
func (g *Gates) Left() int {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.left
}

// Run returns the gate of a run that may send a number of requests, and not more than all runs
// together.
func (g *Gates) Run(requests int) *Gate {
	return &Gate{of: g, left: requests, spent: make(chan struct{})}
}

// Spent is closed when a request was refused because none is left.
func (g *Gate) Spent() <-chan struct{} { return g.spent }

type gateKey struct{}

// WithGate returns a context for the requests of a run, which pass its gate.
func WithGate(ctx context.Context, g *Gate) context.Context {
	return context.WithValue(ctx, gateKey{}, g)
}

// gatePass lets one request out of a gate. A nil one is that of a request without a gate.
type gatePass struct {
	gate *Gate
	host string
	used bool // nothing of the request is under way any more; guarded by gate.of.mu
}

// passGate waits until a request to a host may be sent. The caller calls leave when nothing of it
// is under way any more. The error is that of the context, or a *Fault.
func passGate(ctx context.Context, host string) (*gatePass, error) {
	g, _ := ctx.Value(gateKey{}).(*Gate)
	if g == nil {
		return nil, nil
	}
	w, err := g.take(host)
	if err != nil {
		return nil, err
	}
	if w != nil {
		select {
		case <-w.turn:
		case <-ctx.Done():
			g.giveBack(host, w)
			return nil, context.Cause(ctx)
		}
	}
	pass := &gatePass{gate: g, host: host}
	if err := g.awaitPace(ctx, host); err != nil {
		pass.leave()
		return nil, err
	}
	return pass, nil
}

// take takes a request from the budget, and a place at the host. It returns a waiter if the place
// is not free.
func (g *Gate) take(host string) (*gateWaiter, error) {
	g.of.mu.Lock()
	defer g.of.mu.Unlock()
	if g.left <= 0 || g.of.left <= 0 {
		select {
		case <-g.spent:
		default:
			close(g.spent)
		}
		return nil, &Fault{Kind: "limit", Op: "request", Target: host, Err: ErrSpent}
	}
	g.left--
	g.of.left--
	h := g.of.hosts[host]
	if h == nil {
		h = &gatedHost{}
		g.of.hosts[host] = h
	}
	if len(h.waiting) == 0 && (h.owner == g || h.under == 0) {
		h.owner = g
		h.under++
		return nil, nil
	}
	w := &gateWaiter{g, make(chan struct{})}
	h.waiting = append(h.waiting, w)
	return w, nil
}

// giveBack gives up a wait, and the request with it.
func (g *Gate) giveBack(host string, w *gateWaiter) {
	g.of.mu.Lock()
	defer g.of.mu.Unlock()
	g.left++
	g.of.left++
	h := g.of.hosts[host]
	for i := range h.waiting {
		if h.waiting[i] == w {
			h.waiting = append(h.waiting[:i:i], h.waiting[i+1:]...)
			g.of.advance(host, h)
			return
		}
	}
	h.under-- // its turn has come meanwhile
	g.of.advance(host, h)
}

// awaitPace waits for the interval, and for a rest that the host asked another run for.
func (g *Gate) awaitPace(ctx context.Context, host string) error {
	g.of.mu.Lock()
	h, now := g.of.hosts[host], time.Now()
	at := now
	if h.next.After(at) {
		at = h.next
	}
	if h.restedBy != g && h.rest.After(at) {
		at = h.rest
	}
	h.next = at.Add(g.of.interval)
	g.of.mu.Unlock()
	if at.Equal(now) {
		return nil
	}
	timer := time.NewTimer(at.Sub(now))
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// leave ends the request. Only the first call counts.
func (p *gatePass) leave() {
	if p == nil {
		return
	}
	of := p.gate.of
	of.mu.Lock()
	defer of.mu.Unlock()
	if p.used {
		return
	}
	p.used = true
	h := of.hosts[p.host]
	h.under--
	of.advance(p.host, h)
}

// advance lets those go on whose turn has come. A host about which nothing is to be remembered is
// forgotten.
func (g *Gates) advance(host string, h *gatedHost) {
	for len(h.waiting) > 0 && (h.under == 0 || h.owner == h.waiting[0].gate) {
		w := h.waiting[0]
		h.waiting = h.waiting[1:]
		h.owner = w.gate
		h.under++
		close(w.turn)
	}
	if now := time.Now(); h.under == 0 && len(h.waiting) == 0 && !h.next.After(now) && !h.rest.After(now) {
		delete(g.hosts, host)
	}
}

// observeAnswer notes that a host asks for a rest.
func observeAnswer(ctx context.Context, host string, status int, header http.Header) {
	g, _ := ctx.Value(gateKey{}).(*Gate)
	if g == nil || status != http.StatusTooManyRequests && status != http.StatusServiceUnavailable {
		return
	}
	rest, _ := RetryAfter(header, time.Now())
	if rest <= 0 {
		return
	}
	g.of.mu.Lock()
	defer g.of.mu.Unlock()
	if h := g.of.hosts[host]; h != nil {
		h.rest, h.restedBy = time.Now().Add(min(rest, maxGateRest)), g
	}
}
