package redisstore

import (
	"slices"
	"time"

	"github.com/orbweaver/orbweaver/crawler/internal/frontier"
)

// noWave is above all waves.
const noWave frontier.Wave = 255

// outstanding is what a server has.
type outstanding struct {
	busy  bool // it has pages that are leased or may be visited now
	waves []waveCount
}

type waveCount struct {
	wave frontier.Wave
	left uint32  // targets that are queued or leased, and entries of the outbox
	ever float64 // how many ever were
}

func readOutstanding(packed string) (o outstanding, err error) {
	r := fieldsOf([]byte(packed))
	if packed == "" {
		return o, nil
	}
	o.busy = r.Byte() == 1
	for len(r.Rest) > 0 && !r.Failed {
		o.waves = append(o.waves, waveCount{frontier.Wave(r.Byte()), r.uint32(), r.float()})
	}
	if r.Failed {
		return o, errAnswer
	}
	return o, nil
}

// first returns the first wave that has something left now or had something in between, as far as an
// earlier and a later look at a server tell.
func (o outstanding) first(later outstanding) frontier.Wave {
	first := noWave
	for _, one := range []outstanding{o, later} {
		for _, w := range one.waves {
			same := func(x waveCount) bool { return x == w }
			if w.left > 0 || !slices.ContainsFunc(o.waves, same) || !slices.ContainsFunc(later.waves, same) {
				first = min(first, w.wave)
			}
		}
	}
	return first
}

// looks finds out which waves all servers of a crawl have finished. What one server has may be on its
// way to another, from one that was looked at after it to one that was looked at before. So a wave is
// finished if two rounds of looks, one after the other, find nothing of it anywhere, and the same
// counts: between the rounds, there was nothing of it.
type looks struct {
	before, now []*outstanding // of each server; nil if it was not looked at
	began       time.Time      // of the present round
	upto        frontier.Wave  // all waves below are finished
	busy        []bool         // of each server, when it was looked at last; true before
}

func newLooks(servers int) looks {
	l := looks{before: make([]*outstanding, servers), now: make([]*outstanding, servers), busy: slices.Repeat([]bool{true}, servers)}
	if servers == 1 {
		l.upto = noWave // it knows by itself
	}
	return l
}

// restart begins the present round anew, so that a round has the looks of one pass over the servers.
func (l *looks) restart() {
	clear(l.now)
	l.began = time.Now()
}

// look notes what a server had at some time after sent.
func (l *looks) look(server int, o outstanding, sent time.Time) {
	l.busy[server] = o.busy
	if len(l.now) == 1 || sent.Before(l.began) {
		return
	}
	l.now[server] = &o
	if slices.Contains(l.now, nil) {
		return
	}
	if !slices.Contains(l.before, nil) {
		l.upto = noWave
		for i, before := range l.before {
			l.upto = min(l.upto, before.first(*l.now[i]))
		}
	}
	l.before, l.now, l.began = l.now, make([]*outstanding, len(l.now)), time.Now()
}

// othersBusy reports whether another server has pages that are leased or may be visited now.
func (l *looks) othersBusy(server int) bool {
	for i, busy := range l.busy {
		if busy && i != server {
			return true
		}
	}
	return false
}
