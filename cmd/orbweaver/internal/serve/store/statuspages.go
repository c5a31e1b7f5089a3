package store

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/orbweaver/orbweaver/cmd/orbweaver/internal/serve/api"
	"github.com/orbweaver/orbweaver/cmd/orbweaver/internal/serve/rows"
)

// statusPages are pages for people without accounts that tell how several projects are.
const statusPages = `
CREATE TABLE status_page (
	id       TEXT PRIMARY KEY,
	title    TEXT NOT NULL,
	projects TEXT NOT NULL, -- a JSON list of ids, or null
	tag      TEXT,          -- or all projects with it
	hash     BLOB NOT NULL UNIQUE, -- SHA-256 of the token
	expires  INTEGER,
	created  INTEGER NOT NULL
) STRICT;
`

const statusColumns = "id, title, projects, tag, expires, created"

// StatusPages are the status pages.
type StatusPages struct{ *Store }

func scanStatusPage(row rows.Row) (*api.StatusPage, error) {
	p := &api.StatusPage{}
	var projects string
	var tag sql.NullString
	var expires sql.NullInt64
	var created int64
	err := row.Scan(&p.ID, &p.Title, &projects, &tag, &expires, &created)
	if errors.Is(err, sql.ErrNoRows) {
		return nil, ErrNotFound
	}
	if err == nil {
		err = json.Unmarshal([]byte(projects), &p.Projects)
	}
	if err != nil {
		return nil, fmt.Errorf("read a status page: %w", err)
	}
	if tag.Valid {
		p.Tag = &tag.String
	}
	p.Expires, p.Created = optionalTime(expires), fromMillis(created)
	return p, nil
}

// Add stores a page by the hash of its token.
func (s StatusPages) Add(ctx context.Context, p *api.StatusPage, hash []byte) error {
	projects, err := json.Marshal(p.Projects)
	if err != nil {
		return err
	}
	_, err = s.db.ExecContext(ctx, "INSERT INTO status_page ("+statusColumns+", hash) VALUES (?, ?, ?, ?, ?, ?, ?)",
		p.ID, p.Title, string(projects), p.Tag, optionalMillis(p.Expires), millis(p.Created), hash)
	return err
}

// All returns the pages, oldest first.
func (s StatusPages) All(ctx context.Context) ([]*api.StatusPage, error) {
	return rows.All(ctx, s.db, scanStatusPage, "SELECT "+statusColumns+" FROM status_page ORDER BY created, id")
}

// Page returns the page of the token with a hash, unless it has expired, or ErrNotFound.
func (s StatusPages) Page(ctx context.Context, hash []byte) (*api.StatusPage, error) {
	return scanStatusPage(s.db.QueryRowContext(ctx, "SELECT "+statusColumns+" FROM status_page WHERE hash = ? AND (expires IS NULL OR expires > ?)", hash, millis(time.Now())))
}

// Get returns the page with an id, or ErrNotFound.
func (s StatusPages) Get(ctx context.Context, id string) (*api.StatusPage, error) {
	return scanStatusPage(s.db.QueryRowContext(ctx, "SELECT "+statusColumns+" FROM status_page WHERE id = ?", id))
}

// Delete deletes the page with an id.
func (s StatusPages) Delete(ctx context.Context, id string) error {
	_, err := s.db.ExecContext(ctx, "DELETE FROM status_page WHERE id = ?", id)
	return err
}
