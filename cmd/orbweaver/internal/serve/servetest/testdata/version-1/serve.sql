PRAGMA foreign_keys=OFF;
BEGIN TRANSACTION;
CREATE TABLE auth_users (
	name     TEXT PRIMARY KEY,
	role     TEXT NOT NULL,
	password TEXT NOT NULL,
	created  INTEGER NOT NULL
) STRICT;
CREATE TABLE auth_tokens (
	name    TEXT PRIMARY KEY,
	role    TEXT NOT NULL,
	hash    BLOB NOT NULL UNIQUE,
	expires INTEGER,
	created INTEGER NOT NULL
) STRICT;
CREATE TABLE auth_sessions (
	hash  BLOB PRIMARY KEY,
	user  TEXT REFERENCES auth_users (name) ON DELETE CASCADE,
	token TEXT REFERENCES auth_tokens (name) ON DELETE CASCADE,
	seen  INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE TABLE notify_states (
	project TEXT PRIMARY KEY,
	unsound INTEGER NOT NULL,
	last    TEXT NOT NULL
) STRICT;
CREATE TABLE notify_entries (
	id      INTEGER PRIMARY KEY AUTOINCREMENT,
	project TEXT NOT NULL,
	run     TEXT NOT NULL UNIQUE,
	kind    TEXT NOT NULL,
	created INTEGER NOT NULL,
	title   TEXT NOT NULL,
	text    TEXT NOT NULL,
	path    TEXT NOT NULL,
	event   TEXT -- JSON, until it is delivered
) STRICT;
CREATE TABLE notify_runs (
	run     TEXT PRIMARY KEY,
	project TEXT NOT NULL
) STRICT;
CREATE TABLE notify_deliveries (
	entry  INTEGER NOT NULL REFERENCES notify_entries (id) ON DELETE CASCADE,
	target TEXT NOT NULL,
	state  TEXT NOT NULL,
	error  TEXT NOT NULL,
	PRIMARY KEY (entry, target)
) STRICT;
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
INSERT INTO project VALUES('89ceeac7e644b572','Docs','["https://user:***@example.com/"]','{"header":["***"],"user":"***"}','[{"type":"webhook","url":"http://hooks.invalid/services/webhook-address?key=1","secret":"***","on":["new","fixed","unsound"]},{"type":"slack","url":"https://chat.invalid/services/slack-address","on":["new"]}]','@weekly',X'f8adaaaf94fcb2d26d929141ab54401309a9a9c5031364b3b1ab1d2ec4a09012b0bd09305b0b2b5eb400665123bd7c9bbac7fbe01423fb897097129ff994d40c1ebb7f221dd315bbbec867347db10691d6ea23b4a32564c5dee2965b496fb66d5b0c86a1ff4d75f55608acd127b55c02bb2c84ac24c3b7138958a31ba16aaced5c5c282065ebc5c2e95db9eaa334c9253f8e9c0e21f203ffaf73ca0af978e62294511533baa800a1bd4f692bce89ddfe3030135e0c9face32508e42454934cd760a97bdb7a2362350e604e588480022eecbca6917ccd6c2cbd460237aaa892b31445b7b8da3b1c7fd11d6b195c612c2ac03c2e74952452d1e7135d132dd4793a5d862d86441f9d338d53cb772c41538a8d7268a4176352b436cd537bdcc7d81613b403a7c3dc56c0eac6612012bb094f0f15872e41a52f65141f57a2ffb656e9efe1aa20e87864936fedb8d13dc9aeaeb9760bf95b5e3a0e265bd29405730be9efffa8dff2912c7ba07fbaf02192c045e8cd2e3727f8cdae7504252f2df8923d0c3e763b17d3ab9aa5092c0486',1795809837096,1795809837055);
INSERT INTO project VALUES('2d298e55baf5c58a','Plain','["https://example.org/"]','{}','[]','',X'94f9bb66b53c38df27421c96be4a606f8ad0fd467b058ae883c1f183ac65829ca3c0e70769f59841f3dbb8cb7ae04046d907d74c4cfd71bda7cdeb057018994954975c2f612b1e7ffb9d4396cef41f0d45f5ea9b33ea38a53f5dd2c1dd8ef767df09983aa5',1795809837497,1795809837497);
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
DELETE FROM sqlite_sequence;
CREATE INDEX auth_sessions_user ON auth_sessions (user);
CREATE INDEX auth_sessions_token ON auth_sessions (token);
CREATE INDEX notify_entries_pending ON notify_entries (id) WHERE event IS NOT NULL;
CREATE INDEX notify_entries_project ON notify_entries (project, id);
CREATE INDEX run_of_project ON run (project, number);
CREATE INDEX run_in_state ON run (state, place);
COMMIT;
PRAGMA user_version = 1;
PRAGMA application_id = 1332896339;
