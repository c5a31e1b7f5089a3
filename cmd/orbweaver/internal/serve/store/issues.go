package store

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"time"

	"github.com/orbweaver/orbweaver/cmd/orbweaver/internal/serve/api"
	"github.com/orbweaver/orbweaver/cmd/orbweaver/internal/serve/rows"
)

// teamwork are the tables for what people say of issues, and the columns for what counts them.
const teamwork = `
ALTER TABLE run ADD COLUMN kind TEXT NOT NULL DEFAULT 'full'; -- or failing
ALTER TABLE run ADD COLUMN issues TEXT;                       -- JSON: how many there are; of a run that is over
ALTER TABLE run ADD COLUMN known INTEGER NOT NULL DEFAULT -1; -- broken findings under a mark, -1 if they are to be counted
ALTER TABLE run ADD COLUMN known_until INTEGER;               -- until when that is right, as the next mark expires then
ALTER TABLE mark ADD COLUMN changed INTEGER;
ALTER TABLE mark ADD COLUMN changed_by TEXT;
CREATE TABLE issue_owner (
	project TEXT NOT NULL REFERENCES project(id) ON DELETE CASCADE,
	issue   TEXT NOT NULL,
	owner   TEXT NOT NULL,
	PRIMARY KEY (project, issue)
) STRICT, WITHOUT ROWID;
CREATE TABLE comment (
	id      TEXT PRIMARY KEY,
	project TEXT NOT NULL REFERENCES project(id) ON DELETE CASCADE,
	issue   TEXT NOT NULL,
	by      TEXT NOT NULL,
	created INTEGER NOT NULL,
	text    TEXT NOT NULL
) STRICT;
CREATE INDEX comment_of_issue ON comment (project, issue, created);
CREATE TABLE view (
	id      TEXT PRIMARY KEY,
	project TEXT NOT NULL REFERENCES project(id) ON DELETE CASCADE,
	name    TEXT NOT NULL,
	query   TEXT NOT NULL,
	UNIQUE (project, name)
) STRICT;
`

// Counts are the counts of a run that is over.
type Counts struct {
	Issues api.Issues
	Known  int        // broken findings under a mark
	Until  *time.Time // when one of the marks expires
}

// count counts a run again and stores the counts, if that is possible.
func count(ctx context.Context, s *Store, r *Run) error {
	if s.Recount == nil {
		return nil
	}
	c, err := s.Recount(ctx, r)
	if err != nil {
		return err
	}
	text, err := json.Marshal(c.Issues)
	if err != nil {
		return err
	}
	r.Issues, r.Known = &c.Issues, &c.Known
	// On a full disk, the next reader counts again.
	_, _ = s.db.ExecContext(ctx, "UPDATE run SET issues = ?, known = ?, known_until = ? WHERE id = ? AND state = ?", string(text), c.Known, optionalMillis(c.Until), r.ID, string(r.State))
	return nil
}

// Issues are what people say of the issues of projects.
type Issues struct{ *Store }

// Owners returns the owners of a project's issues.
func (s Issues) Owners(ctx context.Context, project string) (map[string]string, error) {
	return rows.Map[string, string](ctx, s.db, "SELECT issue, owner FROM issue_owner WHERE project = ?", project)
}

// Owning returns the ids of the projects in which somebody owns issues.
func (s Issues) Owning(ctx context.Context, owner string) ([]string, error) {
	return rows.Column[string](ctx, s.db, "SELECT DISTINCT project FROM issue_owner WHERE owner = ? ORDER BY 1", owner)
}

// SetOwner gives issues an owner; "" takes it away.
func (s Issues) SetOwner(ctx context.Context, project, owner string, issues ...string) error {
	return s.Update(ctx, func(tx *sql.Tx) error {
		for _, issue := range issues {
			_, err := tx.ExecContext(ctx, "DELETE FROM issue_owner WHERE project = ? AND issue = ?", project, issue)
			if err == nil && owner != "" {
				_, err = tx.ExecContext(ctx, "INSERT INTO issue_owner (project, issue, owner) VALUES (?, ?, ?)", project, issue, owner)
			}
			if err != nil {
				return err
			}
		}
		return nil
	})
}

// Comments returns the comments on an issue, oldest first.
func (s Issues) Comments(ctx context.Context, project, issue string) ([]*api.Comment, error) {
	return rows.All(ctx, s.db, func(row rows.Row) (*api.Comment, error) {
		c := &api.Comment{}
		var created int64
		err := row.Scan(&c.ID, &c.By, &created, &c.Text)
		c.Created = fromMillis(created)
		return c, err
	}, "SELECT id, by, created, text FROM comment WHERE project = ? AND issue = ? ORDER BY created, rowid", project, issue)
}

// CountComments counts the comments by issue.
func (s Issues) CountComments(ctx context.Context, project string) (map[string]int, error) {
	return rows.Map[string, int](ctx, s.db, "SELECT issue, count(*) FROM comment WHERE project = ? GROUP BY issue", project)
}

// AddComment adds a comment.
func (s Issues) AddComment(ctx context.Context, project, issue string, c *api.Comment) error {
	_, err := s.db.ExecContext(ctx, "INSERT INTO comment (id, project, issue, by, created, text) VALUES (?, ?, ?, ?, ?, ?)", c.ID, project, issue, c.By, millis(c.Created), c.Text)
	return err
}

// DeleteComment deletes a comment.
func (s Issues) DeleteComment(ctx context.Context, project, id string) error {
	_, err := s.db.ExecContext(ctx, "DELETE FROM comment WHERE project = ? AND id = ?", project, id)
	return err
}

// Views are the saved queries of projects.
type Views struct{ *Store }

// All returns the views of a project, by name.
func (s Views) All(ctx context.Context, project string) ([]*api.View, error) {
	return rows.All(ctx, s.db, func(row rows.Row) (*api.View, error) {
		v := &api.View{}
		return v, row.Scan(&v.ID, &v.Name, &v.Query)
	}, "SELECT id, name, query FROM view WHERE project = ? ORDER BY name, id", project)
}

// Add adds a view, unless the project has one of the name.
func (s Views) Add(ctx context.Context, project string, v *api.View) (added bool, err error) {
	done, err := s.db.ExecContext(ctx, "INSERT INTO view (id, project, name, query) VALUES (?, ?, ?, ?) ON CONFLICT (project, name) DO NOTHING", v.ID, project, v.Name, v.Query)
	if err != nil {
		return false, err
	}
	n, err := done.RowsAffected()
	return n > 0, err
}

// putView adds a view, or changes the query of the one with the name.
func putView(ctx context.Context, tx *sql.Tx, project string, v *api.View) error {
	_, err := tx.ExecContext(ctx, "INSERT INTO view (id, project, name, query) VALUES (?, ?, ?, ?) ON CONFLICT (project, name) DO UPDATE SET query = excluded.query", v.ID, project, v.Name, v.Query)
	return err
}

// Delete deletes a view and returns its name, or ErrNotFound.
func (s Views) Delete(ctx context.Context, project, id string) (name string, err error) {
	err = s.db.QueryRowContext(ctx, "DELETE FROM view WHERE project = ? AND id = ? RETURNING name", project, id).Scan(&name)
	if errors.Is(err, sql.ErrNoRows) {
		err = ErrNotFound
	}
	return name, err
}
