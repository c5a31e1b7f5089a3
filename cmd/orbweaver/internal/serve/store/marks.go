package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	"github.com/orbweaver/orbweaver/cmd/orbweaver/internal/serve/api"
)

// Marks are the marks of projects.
type Marks struct{ *Store }

const markColumns = "fingerprint, kind, reason, until, by, created, version"

func scanMark(row scanner) (*api.Mark, error) {
	m := &api.Mark{}
	var until sql.NullInt64
	var created int64
	err := row.Scan(&m.Fingerprint, &m.As, &m.Reason, &until, &m.By, &created, &m.Version)
	if errors.Is(err, sql.ErrNoRows) {
		return nil, ErrNotFound
	}
	if err != nil {
		return nil, fmt.Errorf("read a mark: %w", err)
	}
	m.Until, m.Created = optionalTime(until), fromMillis(created)
	return m, nil
}

// Get returns the mark of a finding, or ErrNotFound.
func (s Marks) Get(ctx context.Context, project, fingerprint string) (*api.Mark, error) {
	return scanMark(s.db.QueryRowContext(ctx, "SELECT "+markColumns+" FROM mark WHERE project = ? AND fingerprint = ?", project, fingerprint))
}

// Put stores a mark of a project and replaces the one that its fingerprint has. It sets the version.
// allow gets that one, or nil, and may refuse.
func (s Marks) Put(ctx context.Context, project string, m *api.Mark, allow func(*api.Mark) error) error {
	return s.replace(ctx, project, m.Fingerprint, allow, func(tx *sql.Tx, before *api.Mark) error {
		if m.Version = 1; before != nil {
			m.Version += before.Version
		}
		_, err := tx.ExecContext(ctx, "INSERT OR REPLACE INTO mark (project, "+markColumns+") VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
			project, m.Fingerprint, m.As, m.Reason, optionalMillis(m.Until), m.By, millis(m.Created), m.Version)
		return err
	})
}

// Delete deletes a mark, or returns ErrNotFound. allow gets it and may refuse.
func (s Marks) Delete(ctx context.Context, project, fingerprint string, allow func(*api.Mark) error) error {
	return s.replace(ctx, project, fingerprint, allow, func(tx *sql.Tx, before *api.Mark) error {
		if before == nil {
			return ErrNotFound
		}
		_, err := tx.ExecContext(ctx, "DELETE FROM mark WHERE project = ? AND fingerprint = ?", project, fingerprint)
		return err
	})
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
	rows, err := s.db.QueryContext(ctx, "SELECT "+markColumns+" FROM mark WHERE project = ? ORDER BY fingerprint", project)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var all []*api.Mark
	for rows.Next() {
		m, err := scanMark(rows)
		if err != nil {
			return nil, err
		}
		all = append(all, m)
	}
	return all, rows.Err()
}
