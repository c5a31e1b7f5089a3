package findings

import (
	"cmp"
	"context"
	"crypto/sha256"
	"database/sql"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/orbweaver/orbweaver/cmd/orbweaver/internal/serve/rows"
	"github.com/orbweaver/orbweaver/crawler/check"
	"github.com/orbweaver/orbweaver/crawler/result"
)

// An issue is what one repair settles: the findings of one document, or those of one reference that many
// pages have, such as a link of a template. See the kinds.
const (
	// KindDocument are the findings with the same verdict and code whose targets are equal without
	// the fragment. The subject is that URL.
	KindDocument = "document"
	// KindLink are the findings with the same verdict and code to which the same reference as written
	// leads, if it is on at least many pages and leads to at least many targets. The subject is
	// the reference.
	KindLink = "link"
)

// many is the number of pages and of targets from which on a reference is an issue of its own.
const many = 10

// issueSchema are the tables of issues. Files of earlier versions get them when they are opened.
const issueSchema = `
CREATE TABLE issue (
	id         TEXT PRIMARY KEY,
	listed     INTEGER NOT NULL, -- as of items
	kind       TEXT NOT NULL,
	subject    TEXT NOT NULL,
	verdict    TEXT NOT NULL,
	code       TEXT NOT NULL,
	message    TEXT NOT NULL,
	findings   INTEGER NOT NULL DEFAULT 0,
	pages      INTEGER NOT NULL DEFAULT 0,
	places     INTEGER NOT NULL DEFAULT 0,
	change     TEXT NOT NULL DEFAULT 'new',
	delta      INTEGER NOT NULL DEFAULT 0,
	first_seen INTEGER -- milliseconds since 1970
) WITHOUT ROWID;
CREATE TABLE issue_page (
	issue  TEXT NOT NULL,
	page   INTEGER NOT NULL,
	places INTEGER NOT NULL,
	PRIMARY KEY (issue, page)
) WITHOUT ROWID;
`

// writtenSchema is the table with the places of the findings that are grouped.
const writtenSchema = `
CREATE TEMP TABLE written (fingerprint TEXT NOT NULL, page INTEGER NOT NULL, raw TEXT NOT NULL);
`

// IssueID returns the id of an issue, which is the same in all runs and projects.
func IssueID(kind, verdict, code, subject string) string {
	h := sha256.New()
	for _, s := range []string{"issue", kind, verdict, code, subject} {
		fmt.Fprintf(h, "%d:%s", len(s), s)
	}
	return hex.EncodeToString(h.Sum(nil)[:16])
}

// isPage reports whether the page of a reference is one that people can open.
func isPage(page string) bool { return page != result.CommandLine && page != "-" }

// leadsAnywhere reports whether a reference as written may lead to several targets: it is relative.
func leadsAnywhere(raw string) bool {
	before, _, found := strings.Cut(raw, ":")
	return !found || strings.ContainsAny(before, "/?#")
}

// groupIssues makes the issues of a file from its items and from written.
func groupIssues(tx *sql.Tx) error {
	if err := groupLinks(tx); err != nil {
		return err
	}
	if err := groupDocuments(tx); err != nil {
		return err
	}
	_, err := tx.Exec(`
INSERT INTO issue_page SELECT i.issue, w.page, count(*) FROM temp.written w CROSS JOIN item i ON i.fingerprint = w.fingerprint GROUP BY 1, 2;
UPDATE issue SET
	(findings, places, first_seen) = (SELECT count(*), sum(i.places), min(i.first_seen) FROM item i WHERE i.listed = 1 AND i.issue = issue.id),
	pages = (SELECT count(*) FROM issue_page p WHERE p.issue = issue.id),
	message = coalesce((SELECT min(i.message) FROM item i WHERE i.listed = 1 AND i.issue = issue.id HAVING count(DISTINCT i.message) = 1), message);
UPDATE issue SET delta = findings;
DROP TABLE temp.written;`)
	return err
}

// addIssue adds an issue unless it exists.
func addIssue(tx *sql.Tx, kind, verdict, code, subject string) (id string, err error) {
	message := code
	if e, ok := check.Lookup(check.Code(code)); ok {
		message = e.Title
	}
	id = IssueID(kind, verdict, code, subject)
	_, err = tx.Exec("INSERT OR IGNORE INTO issue (id, listed, kind, subject, verdict, code, message) VALUES (?, 1, ?, ?, ?, ?, ?)", id, kind, subject, verdict, code, message)
	return id, err
}

// groupLinks makes the issues of references. A finding to which several such references lead belongs to
// the one that leads to the most targets.
func groupLinks(tx *sql.Tx) error {
	if _, err := tx.Exec("CREATE INDEX temp.written_by_raw ON written (raw, fingerprint)"); err != nil {
		return err
	}
	found, err := rows.All(context.Background(), tx, func(row rows.Row) (f [3]string, err error) {
		err = row.Scan(&f[0], &f[1], &f[2])
		return f, err
	}, `SELECT i.verdict, i.code, w.raw FROM temp.written w CROSS JOIN item i ON i.fingerprint = w.fingerprint WHERE w.raw <> ''
		GROUP BY 1, 2, 3 HAVING count(DISTINCT w.page) >= ?1 AND count(DISTINCT i.target) >= ?1 ORDER BY count(DISTINCT i.target) DESC, 3, 1, 2`, many)
	if err != nil {
		return err
	}
	for _, f := range found {
		id := IssueID(KindLink, f[0], f[1], f[2])
		done, err := tx.Exec("UPDATE item SET issue = ? WHERE listed = 1 AND issue = '' AND verdict = ? AND code = ? AND fingerprint IN (SELECT fingerprint FROM temp.written WHERE raw = ?)", id, f[0], f[1], f[2])
		if err != nil {
			return err
		}
		if n, err := done.RowsAffected(); err != nil || n == 0 { // all belong to other ones
			continue
		}
		if _, err := addIssue(tx, KindLink, f[0], f[1], f[2]); err != nil {
			return err
		}
	}
	return nil
}

// groupDocuments makes the issues of documents, of all findings that have none.
func groupDocuments(tx *sql.Tx) error {
	found, err := rows.All(context.Background(), tx, func(row rows.Row) (f [4]string, err error) {
		err = row.Scan(&f[0], &f[1], &f[2], &f[3])
		return f, err
	}, "SELECT fingerprint, url, verdict, code FROM item WHERE listed = 1 AND issue = ''")
	if err != nil {
		return err
	}
	for _, f := range found {
		document, _, _ := strings.Cut(f[1], "#")
		id, err := addIssue(tx, KindDocument, f[2], f[3], document)
		if err != nil {
			return err
		}
		if _, err := tx.Exec("UPDATE item SET issue = ? WHERE fingerprint = ?", id, f[0]); err != nil {
			return err
		}
	}
	return nil
}

// compareIssues sets what changed in the issues since the run before, whose file is attached.
const compareIssues = `
UPDATE main.issue SET (change, delta) = (SELECT 'still', main.issue.findings - b.findings FROM before.issue b WHERE b.id = main.issue.id AND b.listed = 1)
	WHERE id IN (SELECT id FROM before.issue WHERE listed = 1);
INSERT OR IGNORE INTO main.issue (id, listed, kind, subject, verdict, code, message, findings, pages, places, change, delta, first_seen)
	SELECT id, 2, kind, subject, verdict, code, message, findings, pages, places, 'fixed', -findings, first_seen FROM before.issue WHERE listed = 1;`

// upgrade adds what a file of an earlier version lacks.
func upgrade(file string) error {
	db, err := rows.Open(file, 1, "_pragma=busy_timeout(10000)", "_pragma=cache_size(-16000)")
	if err != nil {
		return err
	}
	defer db.Close()
	tx, err := db.Begin()
	if err != nil {
		return err
	}
	defer tx.Rollback() // after a commit, it does nothing
	var there int
	if err := tx.QueryRow("SELECT count(*) FROM sqlite_schema WHERE name = 'issue'").Scan(&there); err != nil {
		return err
	}
	if there > 0 { // somebody was faster
		return nil
	}
	_, err = tx.Exec(`ALTER TABLE item ADD COLUMN page TEXT; ALTER TABLE item ADD COLUMN pages INTEGER NOT NULL DEFAULT 0; ALTER TABLE item ADD COLUMN issue TEXT NOT NULL DEFAULT '';
		ALTER TABLE page ADD COLUMN content_type TEXT NOT NULL DEFAULT '';` + issueSchema + writtenSchema)
	if err != nil {
		return err
	}
	if err := rewrite(tx); err != nil {
		return err
	}
	if err := groupIssues(tx); err != nil {
		return err
	}
	if _, err := tx.Exec(indexes); err != nil {
		return err
	}
	return tx.Commit()
}

// rewrite fills written, and the pages of items, from the results that a file has.
func rewrite(tx *sql.Tx) error {
	last := ""
	for {
		var packed []byte
		err := tx.QueryRow("SELECT i.fingerprint, t.result FROM item i JOIN target t ON t.id = i.target WHERE i.listed = 1 AND i.fingerprint > ? ORDER BY i.fingerprint LIMIT 1", last).Scan(&last, &packed)
		if errors.Is(err, sql.ErrNoRows) {
			return nil
		}
		if err != nil {
			return err
		}
		text, err := unpack(packed)
		if err != nil {
			return err
		}
		var r struct{ References []result.Reference }
		if err := json.Unmarshal(text, &r); err != nil {
			return fmt.Errorf("read a result: %w", err)
		}
		first, pages := "", map[string]bool{}
		for i := range r.References {
			ref := &r.References[i]
			if !isPage(ref.Page) {
				continue
			}
			first, pages[ref.Page] = cmp.Or(first, ref.Page), true
			if _, err := tx.Exec("INSERT INTO temp.written SELECT ?, id, ? FROM page WHERE url = ?", last, rawOf(ref), ref.Page); err != nil {
				return err
			}
		}
		if _, err := tx.Exec("UPDATE item SET page = nullif(?, ''), pages = ? WHERE fingerprint = ?", first, len(pages), last); err != nil {
			return err
		}
	}
}

// rawOf returns a reference as written, or "" if it cannot lead to several targets.
func rawOf(ref *result.Reference) string {
	if !leadsAnywhere(ref.Raw) {
		return ""
	}
	return ref.Raw
}
