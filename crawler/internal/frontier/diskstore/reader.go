package diskstore

import (
	"sync"

	"github.com/orbweaver/orbweaver/crawler/internal/frontier"
)

// reader reads from the file. mu guards the other fields.
type reader struct {
	mu   sync.Mutex
	conn *conn
	jobs jobCache

	width frontier.Width
}

// fill sets the job and the note of a lease if they are not set yet.
func (r *reader) fill(l *frontier.Lease) (err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if l.Job == nil {
		if l.Job, err = r.jobs.job(r, l.ID); err != nil {
			return err
		}
	}
	if l.Note != nil {
		return nil
	}
	r.conn.bind(int64(l.ID))
	return r.conn.each(statementsOf[deferredTable].find, func(cur *cursor) error {
		content, err := cur.record(0, deferredTable, uint64(l.ID))
		if err == nil {
			_, _, _, l.Note, err = parseDeferral(content)
		}
		return err
	})
}
