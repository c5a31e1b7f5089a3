package cache

import (
	"database/sql"
	"errors"
	"fmt"
	"time"

	"github.com/orbweaver/orbweaver/crawler/check"
)

// Limits of the history.
const (
	// KeepFixed is how long a fixed target is kept.
	KeepFixed = 90 * 24 * time.Hour
	// KeepBroken is how long a broken target is kept if no run checks it again.
	KeepBroken = 365 * 24 * time.Hour
)

// History is the history of a target that was broken.
type History struct {
	URL  string // as printed
	Code check.Code
	// First and Last are when it was first and last found broken. Since is the first of
	// the last runs in a row that found it broken. OK is when it was last found fixed; the
	// zero time means never.
	First, Last, Since, OK time.Time
	// Runs is the number of runs in a row that found it broken, up to the last run that
	// checked it. It is 0 if that run found it fixed.
	Runs int
	// Broken and Checked are the numbers of runs since First that found it broken, and
	// that checked it.
	Broken, Checked int
	// Returns is how often it was broken again after it was fixed.
	Returns int
}

// State summarizes the history of a target.
type State string

const (
	// New is broken, but not in enough runs in a row to be dead.
	New State = "new"
	// Dead is broken in many runs in a row.
	Dead State = "dead"
	// Flaky was broken again after it was fixed, and is not dead.
	Flaky State = "flaky"
	// Fixed is no longer broken.
	Fixed State = "fixed"
)

// State returns the state of the target, which is dead after deadAfter runs in a row that
// found it broken.
func (p *History) State(deadAfter int) State {
	switch {
	case p.Runs > 0 && p.Runs >= deadAfter:
		return Dead
	case p.Returns > 0:
		return Flaky
	case p.Runs == 0:
		return Fixed
	}
	return New
}

// Result is what a run found about a target.
type Result struct {
	URL  string     // as printed
	Code check.Code // of a broken target
}

// Histories returns the histories of all targets by URL, and the number of runs.
func (c *Cache) Histories() (map[string]History, int, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.failed != nil {
		return nil, 0, fmt.Errorf("read the history in %s: %w", c.file, explain(c.failed))
	}
	histories, runs, err := c.readHistories()
	if err != nil {
		c.fail(err)
		return nil, 0, fmt.Errorf("read the history in %s: %w", c.file, explain(err))
	}
	return histories, runs, nil
}

func (c *Cache) readHistories() (map[string]History, int, error) {
	histories, runs := map[string]History{}, 0
	if err := c.db.QueryRow("SELECT value FROM meta WHERE name = 'runs'").Scan(&runs); err != nil && !errors.Is(err, sql.ErrNoRows) {
		return nil, 0, err
	}
	rows, err := c.db.Query("SELECT url, code, first, last, since, ok, runs, broken, told, returns FROM history")
	if err != nil {
		return nil, 0, err
	}
	defer rows.Close()
	for rows.Next() {
		var p History
		var first, last, since, ok int64
		if err := rows.Scan(&p.URL, &p.Code, &first, &last, &since, &ok, &p.Runs, &p.Broken, &p.Checked, &p.Returns); err != nil {
			return nil, 0, err
		}
		p.First, p.Last, p.Since, p.OK = fromUnix(first), fromUnix(last), fromUnix(since), fromUnix(ok)
		histories[p.URL] = p
	}
	return histories, runs, rows.Err()
}

// fromUnix returns the time of seconds since 1970, and the zero time for 0.
func fromUnix(seconds int64) time.Time {
	if seconds == 0 {
		return time.Time{}
	}
	return time.Unix(seconds, 0).UTC()
}

// AddRun adds a run to the history, with the targets that it found broken and those that it
// found fixed. The latter count only if the run was complete. Other targets do not change.
func (c *Cache) AddRun(at time.Time, complete bool, broken, fixed []Result) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	err := c.failed
	if err == nil {
		err = c.transaction(func(tx *sql.Tx) error { return addRun(tx, at.Unix(), complete, broken, fixed) })
	}
	if err != nil {
		return fmt.Errorf("write the history to %s: %w", c.file, explain(err))
	}
	return nil
}

func addRun(tx *sql.Tx, now int64, complete bool, broken, fixed []Result) error {
	if _, err := tx.Exec("INSERT INTO meta VALUES ('runs', 1) ON CONFLICT (name) DO UPDATE SET value = value + 1"); err != nil {
		return err
	}
	found, err := tx.Prepare(`INSERT INTO history (url, code, first, last, since, ok, runs, broken, told, returns) VALUES (?1, ?2, ?3, ?3, ?3, 0, 1, 1, 1, 0)
		ON CONFLICT (url) DO UPDATE SET code = excluded.code, last = excluded.last, broken = broken + 1, told = told + 1, runs = runs + 1,
		since = CASE runs WHEN 0 THEN excluded.since ELSE since END, returns = returns + (runs = 0)`)
	if err != nil {
		return err
	}
	defer found.Close()
	for _, t := range broken {
		if _, err := found.Exec(t.URL, string(t.Code), now); err != nil {
			return err
		}
	}
	if complete {
		for _, t := range fixed {
			if _, err := tx.Exec("UPDATE history SET ok = ?2, told = told + 1, runs = 0 WHERE url = ?1", t.URL, now); err != nil {
				return err
			}
		}
	}
	_, err = tx.Exec("DELETE FROM history WHERE runs = 0 AND ok < ?1 OR last < ?2", now-int64(KeepFixed/time.Second), now-int64(KeepBroken/time.Second))
	return err
}
