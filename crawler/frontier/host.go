package frontier

import "time"

// host is what politeness is kept for.
type host struct {
	name   string
	number uint32
	pace   Pace
	out    int       // leases now
	last   time.Time // start of the last visit
	lines  []*line
}

// free says when the host may be visited next, and false when it is at its limit.
func (h *host) free() (time.Time, bool) {
	if h.pace.Concurrency > 0 && h.out >= h.pace.Concurrency {
		return time.Time{}, false
	}
	next := h.last
	if !next.IsZero() { // by today's pace, which may have changed since
		next = next.Add(h.pace.Interval)
	}
	if h.pace.NotBefore.After(next) {
		return h.pace.NotBefore, true
	}
	return next, true
}

// line returns the host's line of a wave, made on first use.
func (h *host) line(w *wave) *line {
	for _, l := range h.lines {
		if l.wave == w {
			return l
		}
	}
	l := &line{host: h, wave: w, at: -1}
	h.lines = append(h.lines, l)
	return l
}

// hostTable numbers hosts from 0, in the order in which they come.
type hostTable struct {
	byName map[string]*host
	all    []*host // by number
	last   *host   // that was asked for
}

// enter returns a host, which is added when it is new.
func (t *hostTable) enter(name []byte) *host {
	if t.last != nil && t.last.name == string(name) {
		return t.last
	}
	h := t.byName[string(name)]
	if h == nil {
		h = &host{name: string(name), number: uint32(len(t.all))}
		t.byName[h.name] = h
		t.all = append(t.all, h)
	}
	t.last = h
	return h
}
