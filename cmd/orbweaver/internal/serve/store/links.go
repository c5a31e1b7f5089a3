package store

import (
	"context"
	"database/sql"
	"errors"
	"time"

	"github.com/orbweaver/orbweaver/cmd/orbweaver/internal/serve/api"
	"github.com/orbweaver/orbweaver/cmd/orbweaver/internal/serve/rows"
)

// Links are the read-only addresses of projects.
type Links struct{ *Store }

// Add stores a read-only address of a project by the hash of its token.
func (s Links) Add(ctx context.Context, project string, l *api.Link, hash []byte) error {
	_, err := s.db.ExecContext(ctx, "INSERT INTO link (id, project, purpose, hash, expires, created) VALUES (?, ?, ?, ?, ?, ?)",
		l.ID, project, l.For, hash, optionalMillis(l.Expires), millis(l.Created))
	return err
}

// All returns the read-only addresses of a project, oldest first.
func (s Links) All(ctx context.Context, project string) ([]*api.Link, error) {
	return rows.All(ctx, s.db, func(row rows.Row) (*api.Link, error) {
		l := &api.Link{}
		var expires sql.NullInt64
		var created int64
		err := row.Scan(&l.ID, &l.For, &expires, &created)
		l.Expires, l.Created = optionalTime(expires), fromMillis(created)
		return l, err
	}, "SELECT id, purpose, expires, created FROM link WHERE project = ? ORDER BY created, id", project)
}

// Delete deletes a read-only address, or returns ErrNotFound.
func (s Links) Delete(ctx context.Context, project, id string) error {
	done, err := s.db.ExecContext(ctx, "DELETE FROM link WHERE project = ? AND id = ?", project, id)
	if err != nil {
		return err
	}
	if n, err := done.RowsAffected(); err == nil && n == 0 {
		return ErrNotFound
	}
	return nil
}

// Project returns the project of the token with a hash, if it is for a purpose and has not
// expired, or ErrNotFound.
func (s Links) Project(ctx context.Context, hash []byte, purpose string) (string, error) {
	var project string
	err := s.db.QueryRowContext(ctx, "SELECT project FROM link WHERE hash = ? AND purpose = ? AND (expires IS NULL OR expires > ?)",
		hash, purpose, millis(time.Now())).Scan(&project)
	if errors.Is(err, sql.ErrNoRows) {
		err = ErrNotFound
	}
	return project, err
}
