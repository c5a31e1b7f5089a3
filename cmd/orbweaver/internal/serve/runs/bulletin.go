package runs

import (
	"context"
	"encoding/json"
	"slices"
	"sync"
	"time"

	"github.com/orbweaver/orbweaver/cmd/orbweaver/internal/serve/api"
	"github.com/orbweaver/orbweaver/cmd/orbweaver/internal/serve/store"
)

// Bulletin is what happens in all runs, for pages that show many: the last events are kept in
// memory. An event of progress replaces the one before of its run. It is safe for concurrent use.
type Bulletin struct {
	store *store.Store

	mu      sync.Mutex
	last    int64 // the ID of the last event
	first   int64 // IDs up to this one are no longer known
	events  []bulletinEvent
	changed chan struct{} // closed at the next event
}

type bulletinEvent struct {
	Event
	project, run string
	at           time.Time
}

const (
	// maxBulletin is the number of events that are kept.
	maxBulletin = 2000
	// bulletinEvery is the time between two events of progress of a run.
	bulletinEvery = time.Second
)

// newBulletin returns a bulletin whose IDs are greater than those of earlier processes.
func newBulletin(store *store.Store, now time.Time) *Bulletin {
	return &Bulletin{store: store, last: now.UnixMicro(), first: now.UnixMicro(), changed: make(chan struct{})}
}

func (b *Bulletin) run(r *api.Run) error { return b.add("run", r, time.Time{}, r) }

// progress tells the progress of a run, unless that was done a short time ago.
func (b *Bulletin) progress(r *api.Run, p api.Progress, now time.Time) error {
	b.mu.Lock()
	early := slices.ContainsFunc(b.events, func(e bulletinEvent) bool {
		return e.run == r.ID && e.Type == "progress" && now.Sub(e.at) < bulletinEvery
	})
	b.mu.Unlock()
	if early {
		return nil
	}
	return b.add("progress", r, now, struct {
		Run      string       `json:"run"`
		Project  string       `json:"project"`
		Progress api.Progress `json:"progress"`
	}{r.ID, r.Project, p})
}

func (b *Bulletin) add(kind string, r *api.Run, at time.Time, value any) error {
	data, err := json.Marshal(value)
	if err != nil {
		return err
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.events = slices.DeleteFunc(b.events, func(e bulletinEvent) bool { return e.run == r.ID && e.Type == "progress" })
	b.last++
	b.events = append(b.events, bulletinEvent{Event{ID: b.last, Type: kind, Data: data}, r.Project, r.ID, at})
	if len(b.events) > maxBulletin {
		b.first = b.events[0].ID
		b.events = b.events[1:]
	}
	close(b.changed)
	b.changed = make(chan struct{})
	return nil
}

// since returns the events after one with an ID, the ID of the last event, and a channel that is
// closed at the next one. known is false if some events after that one are no longer kept.
func (b *Bulletin) since(id int64, sees func(project string) bool) (events []Event, last int64, changed <-chan struct{}, known bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, e := range b.events {
		if e.ID > id && (sees == nil || sees(e.project)) {
			events = append(events, e.Event)
		}
	}
	return events, b.last, b.changed, id >= b.first && id <= b.last
}

// Last returns the ID of the last event.
func (b *Bulletin) Last() int64 {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.last
}

// Follow returns a reader of the events after the one with an ID. If some of them are no longer
// known, or without an ID, it begins with the last run of each project. It has only the events of
// projects that sees, unless nil, reports.
func (b *Bulletin) Follow(ctx context.Context, after int64, sees func(project string) bool) (*AllReader, error) {
	_, last, _, known := b.since(after, sees)
	if known {
		return &AllReader{from: b, at: after, sees: sees}, nil
	}
	r := &AllReader{from: b, at: last, sees: sees}
	for project := ""; ; {
		rows, _, err := b.store.Projects(ctx, store.Scope{}, project, 100)
		if err != nil {
			return nil, err
		}
		if len(rows) == 0 {
			break
		}
		for _, row := range rows {
			if project = row.ID; sees != nil && !sees(project) {
				continue
			}
			runs, _, err := b.store.RunsOf(ctx, project, api.Full, 0, 1)
			if err != nil {
				return nil, err
			}
			for _, run := range runs {
				data, err := json.Marshal(&run.Run)
				if err != nil {
					return nil, err
				}
				r.head = append(r.head, Event{Type: "run", Data: data})
			}
		}
	}
	for i := range r.head {
		r.head[i].ID = last - int64(len(r.head)-1-i)
	}
	return r, nil
}

// AllReader reads the events of all runs. They never end.
type AllReader struct {
	from *Bulletin
	at   int64
	sees func(project string) bool
	head []Event // what comes first
}

// Next is like Reader.Next.
func (r *AllReader) Next() ([]Event, <-chan struct{}, error) {
	if head := r.head; len(head) > 0 {
		r.head = nil
		return head, nil, nil
	}
	events, last, changed, _ := r.from.since(r.at, r.sees)
	r.at = last
	return events, changed, nil
}

// Ended reports that there may always be more.
func (r *AllReader) Ended() bool { return false }
