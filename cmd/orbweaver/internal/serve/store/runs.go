package store

import (
	"cmp"
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/orbweaver/orbweaver/cmd/orbweaver/internal/serve/api"
	"github.com/orbweaver/orbweaver/cmd/orbweaver/internal/serve/rows"
)

// Run is the row of a run.
type Run struct {
	api.Run
	Number  int64           // runs are numbered in the order in which they were made
	Job     json.RawMessage // what to run, without secrets
	Secrets []byte          // encrypted
	Indexed bool            // its findings are in their final form
	// StoppedBy is the name of the person who stopped the run, "" if nobody did.
	StoppedBy string

	counted bool // Issues and Known are those of now
}

func active(state string) bool { return api.State(state).Active() }

const runColumns = "number, id, project, state, created, started, finished, interrupted_by, exit_status, error, progress, summary, job, secrets, indexed, unsound_because, stopped_by, kind, issues, known, known_until"

func scanRun(row rows.Row) (*Run, error) {
	r := &Run{}
	var created int64
	var started, finished, exit sql.NullInt64
	var by, summary, issues sql.NullString
	var progress, job, because string
	var known int
	var until sql.NullInt64
	err := row.Scan(&r.Number, &r.ID, &r.Project, &r.State, &created, &started, &finished, &by, &exit, &r.Error, &progress, &summary, &job, &r.Secrets, &r.Indexed, &because, &r.StoppedBy, &r.Kind, &issues, &known, &until)
	if errors.Is(err, sql.ErrNoRows) {
		return nil, ErrNotFound
	}
	if err != nil {
		return nil, fmt.Errorf("read a run: %w", err)
	}
	r.Created, r.Started, r.Finished = fromMillis(created), optionalTime(started), optionalTime(finished)
	if by.Valid {
		r.InterruptedBy = &by.String
	}
	if exit.Valid {
		status := int(exit.Int64)
		r.ExitStatus = &status
	}
	if summary.Valid {
		r.Summary = json.RawMessage(summary.String)
	}
	r.Job = json.RawMessage(job)
	if err := json.Unmarshal([]byte(progress), &r.Progress); err != nil {
		return nil, fmt.Errorf("read the progress of run %s: %w", r.ID, err)
	}
	r.judge(because)
	if issues.Valid && r.State.Over() {
		r.Issues, r.Known = &api.Issues{}, &known
		if err := json.Unmarshal([]byte(issues.String), r.Issues); err != nil {
			return nil, fmt.Errorf("read the issues of run %s: %w", r.ID, err)
		}
	}
	r.counted = known >= 0 && (!until.Valid || time.Now().Before(fromMillis(until.Int64)))
	return r, nil
}

// Run returns a run, or ErrNotFound.
func (s *Store) Run(ctx context.Context, id string) (*Run, error) {
	r, err := scanRun(s.db.QueryRowContext(ctx, "SELECT "+runColumns+" FROM run WHERE id = ?", id))
	s.Held.over(r)
	if err == nil && r.State.Over() && !r.counted {
		err = count(ctx, s, r)
	}
	return r, err
}

// RunsOf returns at most limit runs of a project before the run with a number, newest first,
// and the number of all. before 0 begins with the newest. kind "" is any.
func (s *Store) RunsOf(ctx context.Context, project, kind string, before int64, limit int) ([]*Run, int, error) {
	const which = " FROM run WHERE project = ?1 AND (?2 = '' OR kind = ?2)"
	var total int
	if err := s.db.QueryRowContext(ctx, "SELECT count(*)"+which, project, kind).Scan(&total); err != nil {
		return nil, 0, err
	}
	all, err := rows.All(ctx, s.db, scanRun, "SELECT "+runColumns+which+" AND (?3 = 0 OR number < ?3) ORDER BY number DESC LIMIT ?4", project, kind, before, limit)
	s.Held.over(all...)
	for _, r := range all {
		if r.Issues != nil && !r.counted { // runs of an earlier version are counted when they are looked at
			err = errors.Join(err, count(ctx, s, r))
		}
	}
	return all, total, err
}

// RunsIn returns the runs in any of the states, in the order of the queue.
func (s *Store) RunsIn(ctx context.Context, states ...api.State) ([]*Run, error) {
	args := make([]any, len(states))
	for i, state := range states {
		args[i] = string(state)
	}
	return rows.All(ctx, s.db, scanRun, "SELECT "+runColumns+" FROM run WHERE state IN (?"+strings.Repeat(", ?", len(states)-1)+") ORDER BY place", args...)
}

// soundRun selects runs whose result is reliable.
const soundRun = "state = 'done' AND unsound_because = '' AND kind = 'full'"

// SoundBefore returns the newest sound run of a project before the run with a number, or
// ErrNotFound. number 0 means the newest of all.
func (s *Store) SoundBefore(ctx context.Context, project string, number int64) (*Run, error) {
	return scanRun(s.db.QueryRowContext(ctx, "SELECT "+runColumns+" FROM run WHERE project = ?1 AND (?2 = 0 OR number < ?2) AND "+soundRun+" ORDER BY number DESC LIMIT 1", project, number))
}

// Ended are the runs that have ended and checked all of a project.
type Ended struct{ *Store }

// SoundAt returns the newest sound run of a project that had ended at a time, or ErrNotFound.
func (s Ended) SoundAt(ctx context.Context, project string, at time.Time) (*Run, error) {
	return scanRun(s.db.QueryRowContext(ctx, "SELECT "+runColumns+" FROM run WHERE project = ? AND finished <= ? AND "+soundRun+" ORDER BY number DESC LIMIT 1", project, millis(at)))
}

// Last returns the newest run of a project, or ErrNotFound.
func (s Ended) Last(ctx context.Context, project string) (*Run, error) {
	r, err := scanRun(s.db.QueryRowContext(ctx, "SELECT "+runColumns+" FROM run WHERE project = ? AND kind = 'full' AND state IN ('done', 'failed', 'interrupted') ORDER BY number DESC LIMIT 1", project))
	if err == nil && !r.counted {
		err = count(ctx, s.Store, r)
	}
	return r, err
}

// CountRuns counts the runs in each state.
func (s *Store) CountRuns(ctx context.Context) (map[api.State]int, error) {
	held, failed := s.Held.list()
	counts, err := rows.Map[api.State, int](ctx, s.db, "SELECT state, count(*) FROM run WHERE id NOT IN (SELECT value FROM json_each(?)) GROUP BY state", held)
	if err != nil {
		return nil, err
	}
	counts[api.Failed] += failed
	return counts, nil
}

// AddRun adds a queued run at the end of the queue, unless another run of the project is
// active (ErrActive).
func (s *Store) AddRun(ctx context.Context, r *Run) error {
	return s.Update(ctx, func(tx *sql.Tx) error {
		if err := noneActive(ctx, tx, r.Project); err != nil {
			return err
		}
		r.State, r.Kind = api.Queued, cmp.Or(r.Kind, api.Full)
		row := tx.QueryRowContext(ctx, `INSERT INTO run (id, project, state, place, created, job, secrets, kind)
			VALUES (?, ?, 'queued', (SELECT coalesce(max(place), 0) + 1 FROM run), ?, ?, ?, ?) RETURNING number`,
			r.ID, r.Project, millis(r.Created), string(r.Job), r.Secrets, r.Kind)
		return row.Scan(&r.Number)
	})
}

func noneActive(ctx context.Context, tx *sql.Tx, project string) error {
	var n int
	err := tx.QueryRowContext(ctx, "SELECT count(*) FROM run WHERE project = ? AND state IN ('queued', 'running', 'stopping')", project).Scan(&n)
	if err == nil && n > 0 {
		err = ErrActive
	}
	return err
}

// ErrState is the error for a change that the state of a run does not allow.
var ErrState = errors.New("the state of the run does not allow it")

// Change is a change of a run's state, and what is stored with it.
type Change struct {
	To            api.State
	Started       *time.Time // kept if nil
	Finished      *time.Time
	InterruptedBy string
	StoppedBy     string // kept if "", but a queued run has none
	ExitStatus    *int
	// UnsoundBecause is why the result of a run that is done cannot be relied on, "" if it can.
	UnsoundBecause string
	Error          string
	Progress       *api.Progress   // kept if nil
	Summary        json.RawMessage // kept if nil, but a queued run has none
	Indexed        *bool           // kept if nil
	Counts         *Counts         // of a run that is over
	Requeue        bool            // put it at the end of the queue; no other run of the project may be active
}

// ChangeRun changes the state of a run if it is in one of the states from, or else returns
// ErrState. It returns the run after the change.
func (s *Store) ChangeRun(ctx context.Context, id string, from []api.State, c Change) (changed *Run, err error) {
	if slices.Contains(s.Held.ids(), id) {
		return nil, ErrState // it has failed
	}
	err = s.Update(ctx, func(tx *sql.Tx) (err error) {
		changed, err = changeRun(ctx, tx, id, from, c)
		return err
	})
	return changed, err
}

func changeRun(ctx context.Context, tx *sql.Tx, id string, from []api.State, c Change) (*Run, error) {
	r, err := scanRun(tx.QueryRowContext(ctx, "SELECT "+runColumns+" FROM run WHERE id = ?", id))
	if err != nil {
		return nil, err
	}
	allowed := false
	for _, state := range from {
		allowed = allowed || r.State == state
	}
	if !allowed {
		return nil, ErrState
	}
	place, kept, stopper := "place", "summary", "stopped_by"
	if c.Requeue {
		if err := noneActive(ctx, tx, r.Project); err != nil {
			return nil, err
		}
		place = "(SELECT coalesce(max(place), 0) + 1 FROM run)"
	}
	if c.To == api.Queued {
		kept, stopper = "NULL", "''"
	}
	var progress, summary, by, indexed any
	if c.Progress != nil {
		text, err := json.Marshal(c.Progress)
		if err != nil {
			return nil, err
		}
		progress = string(text)
	}
	if c.Summary != nil {
		summary = string(c.Summary)
	}
	if c.InterruptedBy != "" {
		by = c.InterruptedBy
	}
	if c.Indexed != nil {
		indexed = *c.Indexed
	}
	var issues, until any
	known := -1
	if c.Counts != nil {
		text, err := json.Marshal(c.Counts.Issues)
		if err != nil {
			return nil, err
		}
		issues, known, until = string(text), c.Counts.Known, optionalMillis(c.Counts.Until)
	}
	var exit any
	if c.ExitStatus != nil {
		exit = *c.ExitStatus
	}
	return scanRun(tx.QueryRowContext(ctx, `UPDATE run SET state = ?, place = `+place+`, started = coalesce(?, started), finished = ?, interrupted_by = ?,
		exit_status = ?, error = ?, progress = coalesce(?, progress), summary = coalesce(?, `+kept+`), indexed = coalesce(?, indexed), unsound_because = ?,
		issues = ?, known = ?, known_until = ?, stopped_by = coalesce(nullif(?, ''), `+stopper+`) WHERE id = ? RETURNING `+runColumns,
		string(c.To), optionalMillis(c.Started), optionalMillis(c.Finished), by, exit, c.Error, progress, summary, indexed, c.UnsoundBecause, issues, known, until, c.StoppedBy, id))
}

// SetProgress stores the progress of a run.
func (s *Store) SetProgress(ctx context.Context, id string, p api.Progress) error {
	text, err := json.Marshal(p)
	if err != nil {
		return err
	}
	_, err = s.db.ExecContext(ctx, "UPDATE run SET progress = ? WHERE id = ?", string(text), id)
	return err
}

// DeleteRun deletes the row of a run that is not active.
func (s *Store) DeleteRun(ctx context.Context, id string) error {
	_, err := s.db.ExecContext(ctx, "DELETE FROM run WHERE id = ? AND state NOT IN ('queued', 'running', 'stopping')", id)
	return err
}

// FirstSeen returns when fingerprints of a project were first seen. Those that it never had
// are left out.
func (s *Store) FirstSeen(ctx context.Context, project string, fingerprints []string) (map[string]time.Time, error) {
	list, err := json.Marshal(fingerprints)
	if err != nil {
		return nil, err
	}
	first, err := rows.Map[string, int64](ctx, s.db, "SELECT fingerprint, first FROM seen WHERE project = ? AND fingerprint IN (SELECT value FROM json_each(?))", project, string(list))
	seen := map[string]time.Time{}
	for fingerprint, at := range first {
		seen[fingerprint] = fromMillis(at)
	}
	return seen, err
}

// See records that a run that started at a time had fingerprints.
func (s *Store) See(ctx context.Context, project string, fingerprints []string, started time.Time) error {
	if len(fingerprints) == 0 {
		return nil
	}
	list, err := json.Marshal(fingerprints)
	if err != nil {
		return err
	}
	_, err = s.db.ExecContext(ctx, "INSERT INTO seen (project, fingerprint, first) SELECT ?, value, ? FROM json_each(?) WHERE true ON CONFLICT DO NOTHING", project, millis(started), string(list))
	return err
}
