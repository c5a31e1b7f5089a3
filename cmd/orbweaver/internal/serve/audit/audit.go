// Package audit keeps who did what on a server.
//
// Whoever answers a request puts an [Actor] into its context; what does something calls [Log.Note],
// which takes the actor from there. Without one it was the server itself. Entries are never changed, and
// removed when they are older than [Keep].
package audit

import (
	"bytes"
	"context"
	"database/sql"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"github.com/orbweaver/orbweaver/cmd/orbweaver/internal/serve/rows"
	"github.com/orbweaver/orbweaver/report"
)

// Schema creates the table of a Log. Times are milliseconds since 1970.
const Schema = `
CREATE TABLE audit (
	id      INTEGER PRIMARY KEY AUTOINCREMENT,
	time    INTEGER NOT NULL,
	who     TEXT NOT NULL,
	via     TEXT NOT NULL,
	address TEXT NOT NULL,
	action  TEXT NOT NULL,
	project TEXT NOT NULL, -- "" for none
	subject TEXT NOT NULL,
	changes TEXT NOT NULL  -- JSON
) STRICT;
CREATE INDEX audit_time ON audit (time);
`

// Keep is how long entries are kept.
const Keep = 400 * 24 * time.Hour

// Actions are what entries tell of.
var Actions = []string{"sign-in", "sign-in-failed", "sign-out", "user.add", "user.change", "user.remove", "token.add", "token.remove", "project.add", "project.change", "project.remove",
	"run.start", "run.stop", "run.resume", "mark.set", "mark.remove", "issue.assign", "issue.comment", "link.add", "link.remove", "view.add", "view.remove", "status.add", "status.remove", "notify.test", "import", "backup"}

// Actor is who does something.
type Actor struct {
	Who     string // a name, "token:NAME", "command" or "server"
	Via     string // how the person signed in, "" for the others
	Address string // of the client
}

// Command is the actor of commands that work on the data directory.
var Command = Actor{Who: "command"}

type actorKey struct{}

// With returns a context in which an actor does things.
func With(ctx context.Context, a Actor) context.Context { return context.WithValue(ctx, actorKey{}, a) }

// Changes are the old and the new values of members. Secrets are "***".
type Changes map[string][2]any

// Diff returns the members in which two objects differ, of those that are named. Either may be nil.
func Diff(before, after any, names ...string) (Changes, error) {
	var both [2]map[string]json.RawMessage
	for i, object := range []any{before, after} {
		text, err := json.Marshal(object)
		if err == nil {
			err = json.Unmarshal(text, &both[i])
		}
		if err != nil {
			return nil, err
		}
	}
	changes := Changes{}
	for _, name := range names {
		var values [2]json.RawMessage
		for i := range both {
			if values[i] = both[i][name]; values[i] == nil {
				values[i] = json.RawMessage("null")
			}
		}
		if !bytes.Equal(values[0], values[1]) {
			changes[name] = [2]any{values[0], values[1]}
		}
	}
	return changes, nil
}

// Entry is something that was done.
type Entry struct {
	ID      string          `json:"id"`
	Time    time.Time       `json:"time"`
	Who     string          `json:"who"`
	Via     string          `json:"via"`
	Address string          `json:"address"`
	Action  string          `json:"action"`
	Project *string         `json:"project"` // its id, nil for none
	Subject string          `json:"subject"` // what it was done to
	Changes json.RawMessage `json:"changes"` // Changes
}

// Log keeps entries in a database with the table of [Schema]. It is safe for concurrent use.
type Log struct {
	DB *sql.DB
	// Failed is told of entries that could not be written.
	Failed func(error)
}

// maxSubject is how much of a subject and of a name is kept, in bytes: who cannot sign in may send anything.
const maxSubject = 500

// Note adds an entry about what the actor of the context did. project and subject may be empty.
func (l *Log) Note(ctx context.Context, action, project, subject string, changes Changes) {
	a, ok := ctx.Value(actorKey{}).(Actor)
	if !ok {
		a = Actor{Who: "server"}
	}
	if err := l.add(context.WithoutCancel(ctx), a, action, project, subject, changes); err != nil {
		l.Failed(fmt.Errorf("audit log: %s of %s by %s was not written: %w", action, subject, a.Who, err))
	}
}

func (l *Log) add(ctx context.Context, a Actor, action, project, subject string, changes Changes) error {
	if changes == nil {
		changes = Changes{}
	}
	text, err := json.Marshal(changes)
	if err != nil {
		return err
	}
	clip := func(s string) string { return strings.ToValidUTF8(s[:min(len(s), maxSubject)], "") }
	now := time.Now()
	_, err = l.DB.ExecContext(ctx, `INSERT INTO audit (time, who, via, address, action, project, subject, changes) VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
		now.UnixMilli(), clip(a.Who), a.Via, a.Address, action, project, clip(subject), string(text))
	if err == nil {
		_, err = l.DB.ExecContext(ctx, `DELETE FROM audit WHERE time < ?`, now.Add(-Keep).UnixMilli())
	}
	return err
}

// Query selects entries. Empty fields select all; fields are combined with and.
type Query struct {
	Who, Action, Project string
	From, To             time.Time // From is included
	After                string    // the id of the last entry of the part before
	Limit                int       // 0 for all
}

// ErrCursor is the error for a cursor that is not the id of an entry.
var ErrCursor = errors.New("it is not the cursor of this list")

func (q *Query) where() (condition string, args []any) {
	condition = "true"
	add := func(term string, value any) {
		condition += " AND " + term
		args = append(args, value)
	}
	for _, one := range []struct{ column, value string }{{"who", q.Who}, {"action", q.Action}, {"project", q.Project}} {
		if one.value != "" {
			add(one.column+" = ?", one.value)
		}
	}
	if !q.From.IsZero() {
		add("time >= ?", q.From.UnixMilli())
	}
	if !q.To.IsZero() {
		add("time < ?", q.To.UnixMilli())
	}
	return condition, args
}

// Count counts the entries that match, whatever the cursor.
func (l *Log) Count(ctx context.Context, q *Query) (n int, err error) {
	where, args := q.where()
	err = l.DB.QueryRowContext(ctx, "SELECT count(*) FROM audit WHERE "+where, args...).Scan(&n)
	return n, err
}

// Each calls fn with each entry that matches, the newest first, until it returns an error.
func (l *Log) Each(ctx context.Context, q *Query, fn func(*Entry) error) error {
	where, args := q.where()
	if q.After != "" {
		id, err := strconv.ParseInt(q.After, 10, 64)
		if err != nil || id <= 0 {
			return ErrCursor
		}
		where += " AND id < ?"
		args = append(args, id)
	}
	limit := q.Limit
	if limit == 0 {
		limit = -1
	}
	return rows.Each(ctx, l.DB, func(row rows.Row) error {
		e := &Entry{}
		var id, at int64
		var project, changes string
		if err := row.Scan(&id, &at, &e.Who, &e.Via, &e.Address, &e.Action, &project, &e.Subject, &changes); err != nil {
			return err
		}
		e.ID, e.Time, e.Changes = strconv.FormatInt(id, 10), time.UnixMilli(at).UTC(), json.RawMessage(changes)
		if project != "" {
			e.Project = &project
		}
		return fn(e)
	}, "SELECT id, time, who, via, address, action, project, subject, changes FROM audit WHERE "+where+" ORDER BY id DESC LIMIT ?", append(args, limit)...)
}

// WriteCSV writes the entries that match as CSV (RFC 4180), unseen characters as in \u{202e}.
func (l *Log) WriteCSV(ctx context.Context, w io.Writer, q *Query) error {
	out := csv.NewWriter(w)
	out.UseCRLF = true
	if err := out.Write([]string{"id", "time", "who", "via", "address", "action", "project", "subject", "changes"}); err != nil {
		return err
	}
	err := l.Each(ctx, q, func(e *Entry) error {
		project := ""
		if e.Project != nil {
			project = *e.Project
		}
		record := []string{e.ID, e.Time.Format(time.RFC3339Nano), e.Who, e.Via, e.Address, e.Action, project, e.Subject, string(e.Changes)}
		for i, field := range record {
			record[i] = report.Visible(field)
			if field != "" && strings.ContainsRune("=+-@\t\r", rune(field[0])) { // spreadsheets take it for a formula
				record[i] = "'" + record[i]
			}
		}
		return out.Write(record)
	})
	out.Flush()
	return errors.Join(err, out.Error())
}
