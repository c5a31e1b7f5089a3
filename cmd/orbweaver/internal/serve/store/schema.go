package store

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"

	"github.com/orbweaver/orbweaver/cmd/orbweaver/internal/serve/api"
	"github.com/orbweaver/orbweaver/cmd/orbweaver/internal/serve/audit"
	"github.com/orbweaver/orbweaver/cmd/orbweaver/internal/serve/auth"
	"github.com/orbweaver/orbweaver/cmd/orbweaver/internal/serve/notify"
	"github.com/orbweaver/orbweaver/cmd/orbweaver/internal/serve/rows"
)

// applicationID marks a file as one of ours: "OrbS" in SQLite's header.
const applicationID = 0x4f726253

// migrations[i] brings the tables from version i to i+1. Entries are never changed once a
// release has them. Times are milliseconds since 1970 in UTC.
var migrations = []migration{
	{statements: auth.Schema + notify.Schema + tables},
	{change: hideAddresses},
	{vacuum: true},
	{statements: soundness, change: judgeRuns},
	{statements: versions},
	{statements: teamwork},
	{statements: auth.Profiles + access},
	{statements: tags},
	{statements: quiet + notify.Holding},
	{statements: auth.Digested},
	{statements: statusPages},
	{statements: audit.Schema},
	{statements: places},
	{statements: urlLists},
}

// tags are words by which people find projects, a JSON list.
const tags = `
ALTER TABLE project ADD COLUMN tags TEXT NOT NULL DEFAULT '[]';
`

// quiet is when no message about a project leaves, a JSON object or null.
const quiet = `
ALTER TABLE project ADD COLUMN quiet TEXT NOT NULL DEFAULT 'null';
`

// urlLists are the URLs that projects only check, one a line, beside the projects, which are often read.
const urlLists = `
ALTER TABLE project ADD COLUMN urls INTEGER NOT NULL DEFAULT 0; -- their number
CREATE TABLE url_list (
	project TEXT PRIMARY KEY REFERENCES project(id) ON DELETE CASCADE,
	urls    TEXT NOT NULL
) STRICT;
`

// versions are the columns that tell whether somebody has changed an object meanwhile.
const versions = `
ALTER TABLE project ADD COLUMN version INTEGER NOT NULL DEFAULT 1;
ALTER TABLE mark ADD COLUMN version INTEGER NOT NULL DEFAULT 1;
`

// access says who may see a project: a JSON object of names and roles, or null. A name that is
// removed loses its access, so that nobody else gets it by taking the name.
const access = `
ALTER TABLE project ADD COLUMN access TEXT NOT NULL DEFAULT 'null';
CREATE TRIGGER access_of_user AFTER DELETE ON auth_users BEGIN
	UPDATE project SET access = json_remove(access, '$."' || old.name || '"'), version = version + 1 WHERE json_type(access, '$."' || old.name || '"') IS NOT NULL;
END;
CREATE TRIGGER access_of_token AFTER DELETE ON auth_tokens BEGIN
	UPDATE project SET access = json_remove(access, '$."token:' || old.name || '"'), version = version + 1 WHERE json_type(access, '$."token:' || old.name || '"') IS NOT NULL;
END;
`

type migration struct {
	statements string
	change     func(*sql.Tx) error // nil for none
	// vacuum removes what former rows left in the file, before the step counts as done.
	vacuum bool
}

// hideAddresses removes the addresses of webhooks, which are secrets, from the rows that are shown.
// The encrypted value of each row has them, too.
func hideAddresses(tx *sql.Tx) error {
	shown, err := rows.Map[string, string](context.Background(), tx, "SELECT id, notify FROM project")
	if err != nil {
		return err
	}
	for id, text := range shown {
		var targets []api.Notify
		if err := json.Unmarshal([]byte(text), &targets); err != nil {
			return fmt.Errorf("read the notifications of project %s: %w", id, err)
		}
		for i := range targets {
			targets[i].URL = notify.HideURL(targets[i].URL)
		}
		changed, err := json.Marshal(targets)
		if err != nil {
			return err
		}
		if _, err := tx.Exec("UPDATE project SET notify = ? WHERE id = ?", string(changed), id); err != nil {
			return err
		}
	}
	return nil
}

const tables = `
CREATE TABLE project (
	id       TEXT PRIMARY KEY,
	name     TEXT NOT NULL,
	targets  TEXT NOT NULL, -- JSON, as posted
	options  TEXT NOT NULL, -- JSON, as posted
	notify   TEXT NOT NULL, -- JSON, as posted
	schedule TEXT NOT NULL,
	secrets  BLOB,          -- the secrets of targets, options and notify, encrypted
	handled  INTEGER NOT NULL, -- the time up to which the schedule has been followed
	created  INTEGER NOT NULL
) STRICT;

CREATE TABLE run (
	number         INTEGER PRIMARY KEY AUTOINCREMENT, -- never used again
	id             TEXT NOT NULL UNIQUE,
	project        TEXT NOT NULL REFERENCES project(id) ON DELETE CASCADE,
	state          TEXT NOT NULL,
	place          INTEGER NOT NULL, -- in the queue
	created        INTEGER NOT NULL,
	started        INTEGER,
	finished       INTEGER,
	interrupted_by TEXT,
	exit_status    INTEGER,
	error          TEXT NOT NULL DEFAULT '',
	progress       TEXT NOT NULL DEFAULT '{}',
	summary        TEXT,
	job            TEXT NOT NULL,  -- JSON: what to run
	secrets        BLOB,           -- its secrets, encrypted
	indexed        INTEGER NOT NULL DEFAULT 0 -- its findings are in their final form
) STRICT;
CREATE INDEX run_of_project ON run (project, number);
CREATE INDEX run_in_state ON run (state, place);

CREATE TABLE seen ( -- fingerprints that a project ever had
	project     TEXT NOT NULL REFERENCES project(id) ON DELETE CASCADE,
	fingerprint TEXT NOT NULL,
	first       INTEGER NOT NULL, -- start of the first run that had it
	PRIMARY KEY (project, fingerprint)
) STRICT, WITHOUT ROWID;

CREATE TABLE mark (
	project     TEXT NOT NULL REFERENCES project(id) ON DELETE CASCADE,
	fingerprint TEXT NOT NULL,
	kind        TEXT NOT NULL,
	reason      TEXT NOT NULL,
	until       INTEGER,
	by          TEXT NOT NULL,
	created     INTEGER NOT NULL,
	PRIMARY KEY (project, fingerprint)
) STRICT, WITHOUT ROWID;

CREATE TABLE link ( -- read-only addresses
	id      TEXT PRIMARY KEY,
	project TEXT NOT NULL REFERENCES project(id) ON DELETE CASCADE,
	purpose TEXT NOT NULL,
	hash    BLOB NOT NULL UNIQUE, -- SHA-256 of the token
	expires INTEGER,
	created INTEGER NOT NULL
) STRICT;
`
