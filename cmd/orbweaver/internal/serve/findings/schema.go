package findings

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
)

// Values of item.listed.
const (
	others   = 0 // ok, skipped and information
	listed   = 1 // broken, unverified and warnings: findings
	departed = 2 // findings of the run before that this run does not have
)

const schema = `
CREATE TABLE page (
	id        INTEGER PRIMARY KEY,
	url       TEXT NOT NULL UNIQUE,
	title     TEXT NOT NULL DEFAULT '',
	status    INTEGER NOT NULL DEFAULT 0,
	depth     INTEGER NOT NULL DEFAULT 0,
	links_in  INTEGER NOT NULL DEFAULT 0,
	links_out INTEGER NOT NULL DEFAULT 0,
	size      INTEGER NOT NULL DEFAULT -1,
	elapsed   INTEGER NOT NULL DEFAULT 0,
	findings  INTEGER NOT NULL DEFAULT 0,
	was_read  INTEGER NOT NULL DEFAULT 0, -- else it only refers to something, such as "command line"
	content_type TEXT NOT NULL DEFAULT '' -- without parameters
);
CREATE TABLE target (
	id      INTEGER PRIMARY KEY, -- negative: of the run before
	url     TEXT NOT NULL,
	verdict TEXT NOT NULL,
	code    TEXT NOT NULL,
	result  BLOB NOT NULL        -- the result as in the JSON report, compressed
);
CREATE TABLE item (
	fingerprint TEXT PRIMARY KEY,
	target      INTEGER NOT NULL,
	listed      INTEGER NOT NULL,
	url         TEXT NOT NULL,
	verdict     TEXT NOT NULL,
	code        TEXT NOT NULL,
	message     TEXT NOT NULL,
	scope       TEXT NOT NULL,
	host        TEXT NOT NULL,
	status      INTEGER NOT NULL,
	places      INTEGER NOT NULL,
	change      TEXT NOT NULL,
	first_seen  INTEGER, -- milliseconds since 1970
	page        TEXT,    -- the first page that refers to it, if one does
	pages       INTEGER NOT NULL DEFAULT 0,
	issue       TEXT NOT NULL DEFAULT '' -- of findings
) WITHOUT ROWID;
CREATE TABLE ref (
	page    INTEGER NOT NULL,
	target  INTEGER NOT NULL,
	n       INTEGER NOT NULL,
	line    INTEGER NOT NULL,
	col     INTEGER NOT NULL,
	element TEXT NOT NULL,
	text    TEXT NOT NULL,
	PRIMARY KEY (page, target, n)
) WITHOUT ROWID;
`

// Indexes are made after the rows, which is faster. Issues have none: a look at all of them takes 15 ms at
// 50,000 findings.
const indexes = `
CREATE INDEX IF NOT EXISTS item_by_url ON item (listed, url, code);
CREATE INDEX IF NOT EXISTS item_by_code ON item (listed, code, url);
CREATE INDEX IF NOT EXISTS item_by_places ON item (listed, places DESC, url, code);
CREATE INDEX IF NOT EXISTS item_counts ON item (listed, code, verdict, places);
CREATE INDEX IF NOT EXISTS item_by_target ON item (listed, target, verdict);
CREATE INDEX IF NOT EXISTS item_by_issue ON item (listed, issue, url, code);
CREATE INDEX IF NOT EXISTS item_by_host ON item (listed, host, verdict, places);
CREATE INDEX IF NOT EXISTS ref_by_target ON ref (target, page);
CREATE INDEX IF NOT EXISTS target_by_url ON target (url);
`

// Fingerprint identifies a finding of a project in every run.
func Fingerprint(project, target, code string) string {
	h := sha256.New()
	for _, s := range []string{project, target, code} {
		fmt.Fprintf(h, "%d:%s", len(s), s)
	}
	return hex.EncodeToString(h.Sum(nil)[:16])
}
