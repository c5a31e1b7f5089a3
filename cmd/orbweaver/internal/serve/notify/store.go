package notify

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/orbweaver/orbweaver/cmd/orbweaver/internal/serve/rows"
)

// Schema creates the tables of a Store. Times are milliseconds since 1970. The results of
// deliveries are "sending" until they are known.
const Schema = `
CREATE TABLE notify_states (
	project TEXT PRIMARY KEY,
	unsound INTEGER NOT NULL,
	last    TEXT NOT NULL
) STRICT;
CREATE TABLE notify_entries (
	id      INTEGER PRIMARY KEY AUTOINCREMENT,
	project TEXT NOT NULL,
	run     TEXT NOT NULL UNIQUE,
	kind    TEXT NOT NULL,
	created INTEGER NOT NULL,
	title   TEXT NOT NULL,
	text    TEXT NOT NULL,
	path    TEXT NOT NULL,
	event   TEXT -- JSON, until it is delivered
) STRICT;
CREATE INDEX notify_entries_pending ON notify_entries (id) WHERE event IS NOT NULL;
CREATE INDEX notify_entries_project ON notify_entries (project, id);
CREATE TABLE notify_runs (
	run     TEXT PRIMARY KEY,
	project TEXT NOT NULL
) STRICT;
CREATE TABLE notify_deliveries (
	entry  INTEGER NOT NULL REFERENCES notify_entries (id) ON DELETE CASCADE,
	target TEXT NOT NULL,
	state  TEXT NOT NULL,
	error  TEXT NOT NULL,
	PRIMARY KEY (entry, target)
) STRICT;
`

// Holding adds what keeps events for later.
const Holding = `
ALTER TABLE notify_entries ADD COLUMN held INTEGER NOT NULL DEFAULT 0;
`

// maxRuns is the number of runs of a project that are known to be decided about.
const maxRuns = 1000

// Store keeps what was decided in a database with the tables of [Schema]. It is safe for
// concurrent use.
type Store struct{ db *sql.DB }

// NewStore returns the Store in a database.
func NewStore(db *sql.DB) *Store { return &Store{db} }

// Record decides about a run that has ended and stores the event, which is then pending. It
// reports false if there is nothing to tell, or if the run was decided about before. describe
// returns the event of a kind, with path, the page that compares.
func (s *Store) Record(ctx context.Context, project, run string, o Outcome, describe func(Kind) (e *Event, path string)) (bool, error) {
	told, err := s.record(ctx, project, run, o, describe)
	if err != nil {
		return false, fmt.Errorf("record what run %s changed: %w", run, err)
	}
	return told, nil
}

// Decided reports whether a run was decided about.
func (s *Store) Decided(ctx context.Context, run string) (decided bool, err error) {
	err = s.db.QueryRowContext(ctx, `SELECT EXISTS (SELECT 1 FROM notify_runs WHERE run = ?)`, run).Scan(&decided)
	return decided, err
}

func (s *Store) record(ctx context.Context, project, run string, o Outcome, describe func(Kind) (*Event, string)) (bool, error) {
	tx, err := s.db.BeginTx(ctx, nil)
	if err != nil {
		return false, err
	}
	defer tx.Rollback()
	decided, err := tx.ExecContext(ctx, `INSERT INTO notify_runs (run, project) VALUES (?, ?) ON CONFLICT DO NOTHING`, run, project)
	if err != nil {
		return false, err
	}
	if n, err := decided.RowsAffected(); err != nil || n == 0 {
		return false, err
	}
	if _, err := tx.ExecContext(ctx, `DELETE FROM notify_runs WHERE project = ?1 AND rowid NOT IN
		(SELECT rowid FROM notify_runs WHERE project = ?1 ORDER BY rowid DESC LIMIT ?2)`, project, maxRuns); err != nil {
		return false, err
	}
	var state State
	err = tx.QueryRowContext(ctx, `SELECT unsound, last FROM notify_states WHERE project = ?`, project).Scan(&state.Unsound, &state.Last)
	if err != nil && !errors.Is(err, sql.ErrNoRows) {
		return false, err
	}
	kind, next := Decide(state, o)
	if _, err := tx.ExecContext(ctx, `INSERT INTO notify_states (project, unsound, last) VALUES (?1, ?2, ?3)
		ON CONFLICT (project) DO UPDATE SET unsound = ?2, last = ?3`, project, next.Unsound, next.Last); err != nil {
		return false, err
	}
	if kind == "" {
		return false, tx.Commit()
	}
	event, path := describe(kind)
	text, err := json.Marshal((*stored)(event))
	if err != nil {
		return false, err
	}
	if _, err := tx.ExecContext(ctx, `INSERT INTO notify_entries (project, run, kind, created, title, text, path, event) VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
		project, run, string(kind), time.Now().UnixMilli(), event.Title(), event.Text(), path, string(text)); err != nil {
		return false, err
	}
	if _, err := tx.ExecContext(ctx, `DELETE FROM notify_entries WHERE project = ?1 AND id NOT IN
		(SELECT id FROM notify_entries WHERE project = ?1 ORDER BY id DESC LIMIT ?2)`, project, MaxEntries); err != nil {
		return false, err
	}
	return true, tx.Commit()
}

// Pending is an event that was not yet sent to all targets.
type Pending struct {
	Project, Run string
	Path         string // of the page that compares, relative to the server's root
	Event        Event  // without its URL
}

// Waiting returns the projects with events that were not yet sent to all targets.
func (s *Store) Waiting(ctx context.Context) ([]string, error) {
	all, err := rows.Column[string](ctx, s.db, `SELECT DISTINCT project FROM notify_entries WHERE event IS NOT NULL`)
	if err != nil {
		return nil, fmt.Errorf("read events: %w", err)
	}
	return all, nil
}

// Pending returns the events of a project that were not yet sent to all targets, oldest first: those
// to send, and those that were held.
func (s *Store) Pending(ctx context.Context, project string) (all, held []Pending, err error) {
	err = rows.Each(ctx, s.db, func(row rows.Row) error {
		p := Pending{Project: project}
		var text string
		var wasHeld bool
		if err := row.Scan(&p.Run, &p.Path, &text, &wasHeld); err != nil {
			return err
		}
		if err := json.Unmarshal([]byte(text), (*stored)(&p.Event)); err != nil {
			return fmt.Errorf("run %s: %w", p.Run, err)
		}
		if wasHeld || len(held) > 0 { // what comes after a held one leaves with it
			held = append(held, p)
		} else {
			all = append(all, p)
		}
		return nil
	}, `SELECT run, path, event, held FROM notify_entries WHERE project = ? AND event IS NOT NULL ORDER BY id`, project)
	if err != nil {
		return nil, nil, fmt.Errorf("read events: %w", err)
	}
	return all, held, nil
}

// Hold records that the events of a project wait for the end of its quiet time, but those of which a
// delivery was begun.
func (s *Store) Hold(ctx context.Context, project string) error {
	if _, err := s.db.ExecContext(ctx, `UPDATE notify_entries SET held = 1 WHERE project = ? AND event IS NOT NULL
		AND NOT EXISTS (SELECT 1 FROM notify_deliveries WHERE entry = notify_entries.id)`, project); err != nil {
		return fmt.Errorf("hold events: %w", err)
	}
	return nil
}

// Sent records that the event of a run was sent to all targets, or that each had its tries.
func (s *Store) Sent(ctx context.Context, run string) error {
	if _, err := s.db.ExecContext(ctx, `UPDATE notify_entries SET event = NULL WHERE run = ?`, run); err != nil {
		return fmt.Errorf("record a delivery: %w", err)
	}
	return nil
}

// Begin records that the event of a run is about to be sent to a target. It reports false
// if that was recorded before: no event is sent to a target twice, even if the server was
// killed meanwhile.
func (s *Store) Begin(ctx context.Context, run, target string) (bool, error) {
	result, err := s.db.ExecContext(ctx, `INSERT INTO notify_deliveries (entry, target, state, error)
		SELECT id, ?, 'sending', 'the server stopped while it was sending' FROM notify_entries WHERE run = ? ON CONFLICT DO NOTHING`, target, run)
	if err != nil {
		return false, fmt.Errorf("record a delivery: %w", err)
	}
	n, err := result.RowsAffected()
	return n > 0, err
}

// End records the result of a delivery.
func (s *Store) End(ctx context.Context, run, target string, r Result) error {
	state := "failed"
	if r.Delivered {
		state = "delivered"
	}
	if _, err := s.db.ExecContext(ctx, `UPDATE notify_deliveries SET state = ?, error = ? WHERE target = ?
		AND entry = (SELECT id FROM notify_entries WHERE run = ?)`, state, r.Error, target, run); err != nil {
		return fmt.Errorf("record a delivery: %w", err)
	}
	return nil
}

// Undo forgets a delivery that was begun: nothing was sent, and the next process tries again.
func (s *Store) Undo(ctx context.Context, run, target string) error {
	if _, err := s.db.ExecContext(ctx, `DELETE FROM notify_deliveries WHERE target = ?
		AND entry = (SELECT id FROM notify_entries WHERE run = ?)`, target, run); err != nil {
		return fmt.Errorf("record a delivery: %w", err)
	}
	return nil
}

// Failed returns why the last event of a project was not delivered, by target. Targets that
// got it are left out.
func (s *Store) Failed(ctx context.Context, project string) (map[string]string, error) {
	failed, err := rows.Map[string, string](ctx, s.db, `SELECT target, error FROM notify_deliveries
		WHERE entry = (SELECT max(id) FROM notify_entries WHERE project = ?) AND state = 'failed'`, project)
	if err != nil {
		return nil, fmt.Errorf("read deliveries: %w", err)
	}
	return failed, nil
}

// Entries returns the last events of a project, newest first.
func (s *Store) Entries(ctx context.Context, project string) ([]Entry, error) {
	entries, err := rows.All(ctx, s.db, func(row rows.Row) (Entry, error) {
		e := Entry{Project: project}
		var created int64
		err := row.Scan(&e.ID, &e.Run, &e.Kind, &created, &e.Title, &e.Text, &e.Path)
		e.Created = time.UnixMilli(created).UTC()
		return e, err
	}, `SELECT id, run, kind, created, title, text, path FROM notify_entries WHERE project = ? ORDER BY id DESC LIMIT ?`, project, MaxEntries)
	if err != nil {
		return nil, fmt.Errorf("read events: %w", err)
	}
	return entries, nil
}

// Forget deletes what is kept of a project.
func (s *Store) Forget(ctx context.Context, project string) error {
	for _, table := range []string{"notify_states", "notify_entries", "notify_runs"} {
		if _, err := s.db.ExecContext(ctx, `DELETE FROM `+table+` WHERE project = ?`, project); err != nil {
			return fmt.Errorf("forget project %s: %w", project, err)
		}
	}
	return nil
}
