package diskstore

import (
	"fmt"
	"sync"

	"github.com/orbweaver/orbweaver/crawler/frontier"
)

// journal collects the steps of all workers in a batch, and writes one batch after
// the other to the file. Callers of its methods hold mu.
type journal struct {
	mu      *sync.Mutex // the store's
	file    string
	ledger  *frontier.Ledger
	hosts   int        // how many of the ledger's are in the file or in a batch
	pending *batch     // steps that are not being written yet
	current *batch     // those that are, nil for none
	unused  *batch     // to be pending next
	written uint64     // number of the last batch in the file
	turn    *sync.Cond // a batch was written, or failed
	failed  error      // why no further step is taken
	closed  bool

	writer *conn // used by whoever writes a batch; nil when the file is only read
	sync   syncing
}

// start begins with what the file holds.
func (j *journal) start(g *frontier.Ledger) {
	j.ledger, j.hosts = g, g.Hosts()
	j.pending, j.unused = &batch{width: g.Width()}, &batch{width: g.Width()}
	j.pending.reset(1, frontier.ID(g.Known()+1))
}

// begin returns the batch that a step is added to, or why there can be none.
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

// addHosts adds the ledger's new hosts to a batch.
func (j *journal) addHosts(b *batch) {
	for ; j.hosts < j.ledger.Hosts(); j.hosts++ {
		b.pace(j.hosts)
	}
}

// commit waits until a batch is in the file. Whoever comes when none is being
// written writes it, for all who came until then.
func (j *journal) commit(number uint64) error {
	for j.written < number && j.failed == nil {
		j.writeOrWait()
	}
	if j.written >= number {
		return nil
	}
	return j.failed
}

// flush waits until all that was done is in the file, and keeps others from doing
// more.
func (j *journal) flush() error {
	if j.writer == nil {
		return nil // there is nothing to wait for
	}
	for j.failed == nil && (j.current != nil || !j.pending.empty()) {
		j.writeOrWait()
	}
	return j.failed
}

// writeOrWait writes the pending batch, or waits for the one that is being written.
// mu is released meanwhile.
func (j *journal) writeOrWait() {
	if j.current != nil {
		j.turn.Wait()
		return
	}
	b := j.pending
	j.pending, j.unused = j.unused, nil
	j.pending.reset(b.number+1, frontier.ID(j.ledger.Known()+1))
	j.current = b
	hosts := j.hostRows(b)
	j.mu.Unlock()
	err := j.sync.write(j.writer, b, hosts)
	j.mu.Lock()
	j.current, j.unused = nil, b
	if err != nil {
		j.failed = fmt.Errorf("write the state %s: %w", j.file, explain(err))
	} else {
		j.written = b.number
	}
	j.turn.Broadcast()
}

// hostRows are the hosts that a batch writes.
func (j *journal) hostRows(b *batch) []hostRow {
	rows := make([]hostRow, 0, len(b.paces))
	for number := range b.paces {
		name, pace := j.ledger.Host(number)
		rows = append(rows, hostRow{number, name, pace})
	}
	return rows
}

// fill fills in the parts of a lease that are not in the file yet; it is false when
// one is left that is.
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
		l.Note = []byte{} // there is none: it need not be looked for
	}
	return note && l.Job != nil
}
