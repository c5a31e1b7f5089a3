package diskstore

import (
	"fmt"
	"maps"
	"slices"
	"sync"

	"github.com/orbweaver/orbweaver/crawler/frontier"
)

// journal collects the steps of all workers in batches and writes them to the file.
// Callers of its methods hold mu.
type journal struct {
	mu      *sync.Mutex // the store's
	file    string
	ledger  *frontier.Ledger
	hosts   int        // hosts of the ledger that are in the file or in a batch
	pending *batch     // steps that are not being written yet
	current *batch     // steps that are being written, nil if none are
	unused  *batch     // the next pending batch
	written uint64     // number of the last batch in the file
	done    *sync.Cond // signals that a batch was written or has failed
	failed  error      // the error of all further steps
	closed  bool

	writer *writer // used by the worker that writes a batch; nil if the file is only read
}

// start prepares an empty batch for a ledger that is as the file.
func (j *journal) start(g *frontier.Ledger) {
	j.ledger, j.hosts = g, g.Hosts()
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

// commit returns when a batch is in the file. If no batch is being written, it writes the
// pending batch with the steps of all workers up to now.
func (j *journal) commit(number uint64) error {
	for j.written < number && j.failed == nil {
		j.writeOrWait()
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
	for j.failed == nil && (j.current != nil || !j.pending.empty()) {
		j.writeOrWait()
	}
	return j.failed
}

// writeOrWait writes the pending batch, or waits for the batch that is being written. It
// releases mu in the meantime.
func (j *journal) writeOrWait() {
	if j.current != nil {
		j.done.Wait()
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
	j.current, j.unused = nil, b
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
