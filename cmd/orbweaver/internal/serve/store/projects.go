package store

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/orbweaver/orbweaver/cmd/orbweaver/internal/serve/api"
	"github.com/orbweaver/orbweaver/cmd/orbweaver/internal/serve/rows"
)

// ErrNotFound is the error for an id that does not exist.
var ErrNotFound = errors.New("not found")

// Project is the row of a project. Its JSON values are as posted, with "***" for secrets.
type Project struct {
	ID       string
	Name     string
	Targets  json.RawMessage
	Options  json.RawMessage
	Notify   json.RawMessage
	Schedule string
	Secrets  []byte    // encrypted
	Handled  time.Time // the time up to which the schedule has been followed
	Created  time.Time
	Access   json.RawMessage // names and roles, or null
	Tags     json.RawMessage // in lower case, sorted
	Quiet    json.RawMessage // an object, or null
	URLs     int             // the length of its list of URLs
	List     []string        // the list if it is to be stored, nil to keep what is stored
	Version  int64           // grows with each change; 0 if it is not stored
}

const projectColumns = "id, name, targets, options, notify, schedule, secrets, handled, created, access, tags, quiet, urls, version"

func scanProject(row rows.Row) (*Project, error) {
	p := &Project{}
	var targets, options, notify, access, tags, quiet string
	var handled, created int64
	err := row.Scan(&p.ID, &p.Name, &targets, &options, &notify, &p.Schedule, &p.Secrets, &handled, &created, &access, &tags, &quiet, &p.URLs, &p.Version)
	if errors.Is(err, sql.ErrNoRows) {
		return nil, ErrNotFound
	}
	if err != nil {
		return nil, fmt.Errorf("read a project: %w", err)
	}
	p.Targets, p.Options, p.Notify = json.RawMessage(targets), json.RawMessage(options), json.RawMessage(notify)
	p.Access, p.Tags, p.Quiet = json.RawMessage(access), json.RawMessage(tags), json.RawMessage(quiet)
	p.Handled, p.Created = fromMillis(handled), fromMillis(created)
	return p, nil
}

// Project returns a project, or ErrNotFound.
func (s *Store) Project(ctx context.Context, id string) (*Project, error) {
	return scanProject(s.db.QueryRowContext(ctx, "SELECT "+projectColumns+" FROM project WHERE id = ?", id))
}

// Scope are the projects that somebody may see; the zero value is all.
type Scope struct {
	Name    string // by which projects give access, "" for an administrator
	Project string // the only one, "" for no limit
}

const inScope = ` FROM project WHERE (?1 = '' OR access = 'null' OR json_type(access, '$."' || ?1 || '"') IS NOT NULL) AND (?2 = '' OR id = ?2)`

// Projects returns at most limit projects after the one with an id, oldest first, and the
// number of all that are in a scope.
func (s *Store) Projects(ctx context.Context, in Scope, after string, limit int) ([]*Project, int, error) {
	var total int
	if err := s.db.QueryRowContext(ctx, "SELECT count(*)"+inScope, in.Name, in.Project).Scan(&total); err != nil {
		return nil, 0, err
	}
	all, err := rows.All(ctx, s.db, scanProject, "SELECT "+projectColumns+inScope+`
		AND (?3 = '' OR (created, id) > ((SELECT created FROM project WHERE id = ?3), ?3)) ORDER BY created, id LIMIT ?4`, in.Name, in.Project, after, limit)
	return all, total, err
}

// ErrChanged is the error for an object that somebody has changed meanwhile.
var ErrChanged = errors.New("it was changed meanwhile")

// PutProject adds a project, or replaces the version of it that was read. It increases the version.
// The error is ErrChanged if another one is stored.
func (s *Store) PutProject(ctx context.Context, p *Project) error {
	return PutWhole(ctx, s, []*Whole{{Project: p}})
}

// Whole is a project with marks and views, which are added to those that are stored or replace them.
type Whole struct {
	Project *Project
	Marks   []*api.Mark
	Views   []*api.View
}

// PutWhole stores projects as PutProject does, with marks and views: all or none. What is wrong with one
// is a *WholeError.
func PutWhole(ctx context.Context, s *Store, all []*Whole) error {
	err := s.Update(ctx, func(tx *sql.Tx) error {
		for _, w := range all {
			if err := w.put(ctx, tx); err != nil {
				return &WholeError{w.Project.Name, err}
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	for _, w := range all {
		w.Project.Version++
	}
	return nil
}

// WholeError is the error for a project that could not be stored.
type WholeError struct {
	Name string
	Err  error
}

func (e *WholeError) Error() string { return fmt.Sprintf("store the project %q: %v", e.Name, e.Err) }
func (e *WholeError) Unwrap() error { return e.Err }

func (w *Whole) put(ctx context.Context, tx *sql.Tx) error {
	if err := putProject(ctx, tx, w.Project); err != nil {
		return err
	}
	if len(w.Marks) > 0 {
		if err := putMarks(ctx, tx, w.Project.ID, w.Marks...); err != nil {
			return fmt.Errorf("its marks: %w", err)
		}
	}
	for _, v := range w.Views {
		if err := putView(ctx, tx, w.Project.ID, v); err != nil {
			return fmt.Errorf("its view %q: %w", v.Name, err)
		}
	}
	return nil
}

func putProject(ctx context.Context, tx *sql.Tx, p *Project) error {
	done, err := tx.ExecContext(ctx, `INSERT INTO project (`+projectColumns+`) SELECT ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?14 + 1
		WHERE ?14 = 0 OR EXISTS (SELECT 1 FROM project WHERE id = ?1)
		ON CONFLICT (id) DO UPDATE SET name = excluded.name, targets = excluded.targets, options = excluded.options, notify = excluded.notify,
			schedule = excluded.schedule, secrets = excluded.secrets, handled = excluded.handled, access = excluded.access, tags = excluded.tags, quiet = excluded.quiet,
			urls = excluded.urls, version = excluded.version WHERE version = ?14`,
		p.ID, p.Name, string(p.Targets), string(p.Options), string(p.Notify), p.Schedule, p.Secrets, millis(p.Handled), millis(p.Created), string(p.Access), string(p.Tags), string(p.Quiet), p.URLs, p.Version)
	if err != nil {
		return err
	}
	if n, err := done.RowsAffected(); err != nil || n == 0 {
		return errors.Join(err, ErrChanged)
	}
	if p.List != nil {
		_, err = tx.ExecContext(ctx, "INSERT OR REPLACE INTO url_list (project, urls) VALUES (?, ?)", p.ID, strings.Join(p.List, "\n"))
	}
	return err
}

// URLs returns the list of URLs of a project.
func URLs(ctx context.Context, s *Store, project string) ([]string, error) {
	var text string
	err := s.db.QueryRowContext(ctx, "SELECT urls FROM url_list WHERE project = ?", project).Scan(&text)
	if errors.Is(err, sql.ErrNoRows) || err == nil && text == "" {
		return nil, nil
	}
	return strings.Split(text, "\n"), err
}

// SetHandled stores that a project's schedule has been followed up to a time.
func (s *Store) SetHandled(ctx context.Context, project string, at time.Time) error {
	_, err := s.db.ExecContext(ctx, "UPDATE project SET handled = ? WHERE id = ?", millis(at), project)
	return err
}

// Scheduled returns the projects with a schedule.
func (s *Store) Scheduled(ctx context.Context) ([]*Project, error) {
	return rows.All(ctx, s.db, scanProject, "SELECT "+projectColumns+" FROM project WHERE schedule <> '' ORDER BY created, id")
}

// ErrActive is the error for a project with a run that is queued, running or stopping.
var ErrActive = errors.New("a run of the project is queued or running")

// DeleteProject deletes a version of a project with all its rows, or returns ErrChanged. It returns
// the ids of its runs.
func (s *Store) DeleteProject(ctx context.Context, id string, version int64) (runs []string, err error) {
	err = s.Update(ctx, func(tx *sql.Tx) error {
		p, err := scanProject(tx.QueryRowContext(ctx, "SELECT "+projectColumns+" FROM project WHERE id = ?", id))
		if err != nil {
			return err
		}
		if p.Version != version {
			return ErrChanged
		}
		err = rows.Each(ctx, tx, func(row rows.Row) error {
			var run, state string
			err := row.Scan(&run, &state)
			if active(state) {
				return ErrActive
			}
			runs = append(runs, run)
			return err
		}, "SELECT id, state FROM run WHERE project = ?", id)
		if err != nil {
			return err
		}
		_, err = tx.ExecContext(ctx, "DELETE FROM project WHERE id = ?", id)
		return err
	})
	return runs, err
}
