package diskstore

import (
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/orbweaver/orbweaver/crawler/internal/frontier"
)

// journal collects the steps of all workers in batches and writes them to the file.
// Callers of its methods hold mu.
type journal struct {
	mu      *sync.Mutex // the store's
	file    string
	ledger  *frontier.Ledger
	hosts   int           // hosts of the ledger that are in the file or in a batch
	pending *batch        // steps that are not being written yet
	current *batch        // steps that are being written, nil if none are
	unused  *batch        // the next pending batch
	writing bool          // a worker collects steps for a batch, or writes it
	full    chan struct{} // tells that worker that there are enough steps
	written uint64        // number of the last batch in the file
	done    *sync.Cond    // signals that a batch was written or has failed
	failed  error         // the error of all further steps
	closed  bool

	writer *writer // used by the worker that writes a batch; nil if the file is only read
}

// start prepares an empty batch for a ledger that is as the file.
func (j *journal) start(g *frontier.Ledger) {
	j.ledger, j.hosts, j.full = g, g.Hosts(), make(chan struct{}, 1)
	j.pending, j.unused = &batch{width: g.Width()}, &batch{width: g.Width()}
	j.pending.reset(1, frontier.ID(g.Known()+1))
}

// begin returns the batch for a step, or the error if no step is possible.
func (j *journal) begin() (*batch, error) {
	switch {
	case j.failed != nil:
		return nil, j.failed
	case j.closed:
		return nil, fmt.Errorf("write the state %s: it is closed", j.file)
	}
	j.pending.steps++
	return j.pending, nil
}

// addHosts adds the new hosts of the ledger to a batch.
func (j *journal) addHosts(b *batch) {
	for ; j.hosts < j.ledger.Hosts(); j.hosts++ {
		b.pace(j.hosts)
	}
}

// commit returns when a batch is in the file. If no worker writes a batch, this one waits a
// moment for the steps of others, and writes the pending batch.
func (j *journal) commit(number uint64) error {
	if number == j.pending.number {
		j.pending.waiting++
		j.signal(j.enough())
	}
	for j.written < number && j.failed == nil {
		j.writeOrWait(false)
	}
	if j.written >= number {
		return nil
	}
	return j.failed
}

// flush returns when all steps are in the file.
func (j *journal) flush() error {
	if j.writer == nil {
		return nil // the file is only read
	}
	for j.failed == nil && (j.writing || !j.pending.empty()) {
		j.signal(true)
		j.writeOrWait(true)
	}
	return j.failed
}

const (
	// gatherFor is the most time that a worker waits for the steps of others.
	gatherFor = 5 * time.Millisecond
	// gatherMost is the number of workers that are enough.
	gatherMost = 64
)

// enough reports whether the pending batch is worth writing: few workers are visiting targets
// whose steps it could have too.
func (j *journal) enough() bool {
	return j.pending.waiting >= min(gatherMost, j.ledger.Count().Leased)
}

// signal ends the waiting of the worker that collects steps, if there is one.
func (j *journal) signal(enough bool) {
	if enough {
		select {
		case j.full <- struct{}{}:
		default:
		}
	}
}

// gather waits for the steps of other workers. It releases mu in the meantime.
func (j *journal) gather() {
	select {
	case <-j.full: // for an earlier batch
	default:
	}
	if j.enough() {
		return
	}
	j.mu.Unlock()
	defer j.mu.Lock()
	limit := time.NewTimer(gatherFor)
	defer limit.Stop()
	select {
	case <-j.full:
	case <-limit.C:
	}
}

// writeOrWait writes the pending batch, or waits for the batch that is being written. It
// releases mu in the meantime.
func (j *journal) writeOrWait(now bool) {
	if j.writing {
		j.done.Wait()
		return
	}
	j.writing = true
	if !now {
		j.gather()
	}
	if j.failed != nil { // half a step may be in the batch
		j.writing = false
		j.done.Broadcast()
		return
	}
	b := j.pending
	j.pending, j.unused = j.unused, nil
	j.pending.reset(b.number+1, frontier.ID(j.ledger.Known()+1))
	j.current = b
	hosts := j.hostRows(b)
	j.mu.Unlock()
	err := j.writer.write(b, hosts)
	j.mu.Lock()
	j.current, j.unused, j.writing = nil, b, false
	if err != nil {
		j.failed = fmt.Errorf("write the state %s: %w", j.file, explain(err))
	} else {
		j.written = b.number
	}
	j.done.Broadcast()
}

// hostRows returns the rows of the hosts in a batch, in the order of their numbers.
func (j *journal) hostRows(b *batch) []hostRow {
	rows := make([]hostRow, 0, len(b.paces))
	for _, number := range slices.Sorted(maps.Keys(b.paces)) {
		name, pace := j.ledger.Host(number)
		rows = append(rows, hostRow{number, name, pace})
	}
	return rows
}

// fill sets the job and the note of a lease from steps that are not in the file yet. It
// reports whether both are set.
func (j *journal) fill(l *frontier.Lease) bool {
	note := l.Tries == 0
	for _, b := range []*batch{j.pending, j.current} {
		if b == nil {
			continue
		}
		if l.Job == nil {
			l.Job, _ = b.job(l.ID)
		}
		if !note {
			l.Note, note = b.note(l.ID)
		}
	}
	if note && l.Note == nil {
		l.Note = []byte{} // there is none in the file either
	}
	return note && l.Job != nil
}
