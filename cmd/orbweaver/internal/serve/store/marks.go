package store

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/orbweaver/orbweaver/cmd/orbweaver/internal/serve/api"
	"github.com/orbweaver/orbweaver/cmd/orbweaver/internal/serve/rows"
)

// places tell what marks are about that were imported, maybe before a run found it: JSON, or {}.
const places = `
ALTER TABLE mark ADD COLUMN place TEXT NOT NULL DEFAULT '{}';
`

// Marks are the marks of projects.
type Marks struct{ *Store }

const markColumns = "fingerprint, kind, reason, until, by, created, version, changed, changed_by, place"

func scanMark(row rows.Row) (*api.Mark, error) {
	m := &api.Mark{}
	var until, changed sql.NullInt64
	var created int64
	var place string
	err := row.Scan(&m.Fingerprint, &m.As, &m.Reason, &until, &m.By, &created, &m.Version, &changed, &m.ChangedBy, &place)
	if errors.Is(err, sql.ErrNoRows) {
		return nil, ErrNotFound
	}
	if err != nil {
		return nil, fmt.Errorf("read a mark: %w", err)
	}
	if err := json.Unmarshal([]byte(place), &m.Place); err != nil {
		return nil, fmt.Errorf("read what a mark is about: %w", err)
	}
	m.Until, m.Created, m.Changed = optionalTime(until), fromMillis(created), optionalTime(changed)
	return m, nil
}

// Get returns the mark of a finding, or ErrNotFound.
func (s Marks) Get(ctx context.Context, project, fingerprint string) (*api.Mark, error) {
	return scanMark(s.db.QueryRowContext(ctx, "SELECT "+markColumns+" FROM mark WHERE project = ? AND fingerprint = ?", project, fingerprint))
}

// Put stores a mark of a project, and sets its version. A mark that replaces one keeps when and by whom
// it was made. allow gets that one, or nil, and may refuse.
func (s Marks) Put(ctx context.Context, project string, m *api.Mark, allow func(*api.Mark) error) error {
	return s.replace(ctx, project, m.Fingerprint, allow, func(tx *sql.Tx, _ *api.Mark) error { return putMarks(ctx, tx, project, m) })
}

// PutAll stores marks of a project, all or none.
func (s Marks) PutAll(ctx context.Context, project string, marks []*api.Mark) error {
	return s.Update(ctx, func(tx *sql.Tx) error { return putMarks(ctx, tx, project, marks...) })
}

func putMarks(ctx context.Context, tx *sql.Tx, project string, marks ...*api.Mark) error {
	for _, m := range marks {
		place := "{}"
		if m.Place.Code != "" {
			text, err := json.Marshal(m.Place)
			if err != nil {
				return err
			}
			place = string(text)
		}
		stored, err := scanMark(tx.QueryRowContext(ctx, `INSERT INTO mark (project, fingerprint, kind, reason, until, by, created, place, version) VALUES (?, ?, ?, ?, ?, ?, ?, ?, 1)
			ON CONFLICT (project, fingerprint) DO UPDATE SET kind = excluded.kind, reason = excluded.reason, until = excluded.until,
				changed = excluded.created, changed_by = excluded.by, place = iif(excluded.place = '{}', place, excluded.place), version = version + 1
			RETURNING `+markColumns, project, m.Fingerprint, m.As, m.Reason, optionalMillis(m.Until), m.By, millis(m.Created), place))
		if err != nil {
			return err
		}
		*m = *stored
	}
	return marksChanged(ctx, tx, project)
}

// marksChanged makes the known findings of all runs of a project count again.
func marksChanged(ctx context.Context, tx *sql.Tx, project string) error {
	_, err := tx.ExecContext(ctx, "UPDATE run SET known = -1 WHERE project = ?", project)
	return err
}

// Delete deletes a mark, or returns ErrNotFound. allow gets it and may refuse.
func (s Marks) Delete(ctx context.Context, project, fingerprint string, allow func(*api.Mark) error) error {
	return s.replace(ctx, project, fingerprint, allow, func(tx *sql.Tx, before *api.Mark) error {
		if before == nil {
			return ErrNotFound
		}
		_, err := deleteMarks(ctx, tx, project, fingerprint)
		return err
	})
}

// DeleteAll deletes marks, and returns how many there were.
func (s Marks) DeleteAll(ctx context.Context, project string, fingerprints []string) (n int, err error) {
	err = s.Update(ctx, func(tx *sql.Tx) (err error) {
		n, err = deleteMarks(ctx, tx, project, fingerprints...)
		return err
	})
	return n, err
}

func deleteMarks(ctx context.Context, tx *sql.Tx, project string, fingerprints ...string) (int, error) {
	list, err := json.Marshal(fingerprints)
	if err != nil {
		return 0, err
	}
	done, err := tx.ExecContext(ctx, "DELETE FROM mark WHERE project = ? AND fingerprint IN (SELECT value FROM json_each(?))", project, string(list))
	if err != nil {
		return 0, err
	}
	n, err := done.RowsAffected()
	if err != nil {
		return 0, err
	}
	return int(n), marksChanged(ctx, tx, project)
}

// replace changes the mark of a finding, which may be nil, in one transaction.
func (s Marks) replace(ctx context.Context, project, fingerprint string, allow func(*api.Mark) error, change func(*sql.Tx, *api.Mark) error) error {
	return s.Update(ctx, func(tx *sql.Tx) error {
		before, err := scanMark(tx.QueryRowContext(ctx, "SELECT "+markColumns+" FROM mark WHERE project = ? AND fingerprint = ?", project, fingerprint))
		if err != nil && !errors.Is(err, ErrNotFound) {
			return err
		}
		if err := allow(before); err != nil {
			return err
		}
		return change(tx, before)
	})
}

// All returns all marks of a project, also expired ones, by fingerprint.
func (s Marks) All(ctx context.Context, project string) ([]*api.Mark, error) {
	return rows.All(ctx, s.db, scanMark, "SELECT "+markColumns+" FROM mark WHERE project = ? ORDER BY fingerprint", project)
}
