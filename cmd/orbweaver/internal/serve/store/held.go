package store

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"sync"

	"github.com/orbweaver/orbweaver/cmd/orbweaver/internal/serve/api"
)

// Held are the ends of runs that could not be written, usually because the disk is full. Until they
// are written, the runs are read as if they were. It is safe for concurrent use.
type Held struct {
	mu   sync.Mutex
	ends map[string]heldEnd // by the run
}

type heldEnd struct {
	change Change
	run    Run // after the change
}

// Keep holds the end of a run that could not be carried out, and returns the run as it is read from
// now on.
func (h *Held) Keep(r *Run, c Change) *Run {
	run := *r
	run.State, run.Error, run.Finished = c.To, c.Error, c.Finished
	if c.Progress != nil {
		run.Progress = *c.Progress
	}
	run.judge(c.UnsoundBecause)
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.ends == nil {
		h.ends = map[string]heldEnd{}
	}
	h.ends[run.ID] = heldEnd{c, run}
	return &run
}

// Write writes what is held, and returns the runs that it has written.
func (h *Held) Write(ctx context.Context, s *Store) (written []*Run, err error) {
	for _, id := range h.ids() {
		h.mu.Lock()
		end, ok := h.ends[id]
		h.mu.Unlock()
		if !ok {
			continue
		}
		var r *Run
		err := s.Update(ctx, func(tx *sql.Tx) (err error) {
			r, err = changeRun(ctx, tx, id, []api.State{api.Running, api.Stopping}, end.change)
			return err
		})
		if err != nil && !errors.Is(err, ErrState) && !errors.Is(err, ErrNotFound) { // else somebody was faster
			return written, err
		}
		h.mu.Lock()
		delete(h.ends, id)
		h.mu.Unlock()
		if err == nil {
			written = append(written, r)
		}
	}
	return written, nil
}

// ids returns the runs whose ends are held.
func (h *Held) ids() []string {
	h.mu.Lock()
	defer h.mu.Unlock()
	ids := make([]string, 0, len(h.ends))
	for id := range h.ends {
		ids = append(ids, id)
	}
	return ids
}

// list returns ids as a JSON array.
func (h *Held) list() (text string, count int) {
	ids := h.ids()
	b, _ := json.Marshal(ids) // strings never fail
	return string(b), len(ids)
}

// over replaces runs by what is held of them.
func (h *Held) over(runs ...*Run) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, r := range runs {
		if r == nil || !r.State.Active() {
			continue
		}
		if end, ok := h.ends[r.ID]; ok {
			*r = end.run
		}
	}
}
