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

const markColumns = "fingerprint, kind, reason, until, by, created"

func scanMark(row scanner) (*api.Mark, error) {
	m := &api.Mark{}
	var until sql.NullInt64
	var created int64
	err := row.Scan(&m.Fingerprint, &m.As, &m.Reason, &until, &m.By, &created)
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

// Put stores a mark of a project and replaces the one that its fingerprint has.
func (s Marks) Put(ctx context.Context, project string, m *api.Mark) error {
	_, err := s.db.ExecContext(ctx, "INSERT OR REPLACE INTO mark (project, "+markColumns+") VALUES (?, ?, ?, ?, ?, ?, ?)",
		project, m.Fingerprint, m.As, m.Reason, optionalMillis(m.Until), m.By, millis(m.Created))
	return err
}

// Delete deletes a mark, or returns ErrNotFound.
func (s Marks) Delete(ctx context.Context, project, fingerprint string) error {
	done, err := s.db.ExecContext(ctx, "DELETE FROM mark WHERE project = ? AND fingerprint = ?", project, fingerprint)
	if err != nil {
		return err
	}
	if n, err := done.RowsAffected(); err == nil && n == 0 {
		return ErrNotFound
	}
	return nil
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
