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
	// KeepFixed is how long a target is remembered that has been mended, and
	// KeepBroken how long one of which no run has told since it was broken.
	KeepFixed  = 90 * 24 * time.Hour
	KeepBroken = 365 * 24 * time.Hour
)

// Past is what is remembered of a target that was broken.
type Past struct {
	URL  string // as printed
	Code check.Code
	// First and Last are when it was first and last found broken, Since when the
	// present row of runs began that found it broken, and OK when it was last found
	// mended; zero for never.
	First, Last, Since, OK time.Time
	// Runs is how many runs in a row found it broken, up to the last that told of it;
	// 0 when that one found it mended.
	Runs int
	// Broken is how many runs found it broken, of so many that Told of it since First.
	Broken, Told int
	// Returns is how often it was broken again after it had been mended.
	Returns int
}

// State is what a target's past comes to.
type State string

const (
	// New is broken now, in fewer runs in a row than would call it dead.
	New State = "new"
	// Dead is broken in many runs in a row.
	Dead State = "dead"
	// Flaky has been broken again after it had been mended, and is not dead.
	Flaky State = "flaky"
	// Fixed is mended.
	Fixed State = "fixed"
)

// State tells dead links from flaky ones; so many runs in a row make a dead one.
func (p *Past) State(deadAfter int) State {
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

// Told is what a run tells of a target.
type Told struct {
	URL  string
	Code check.Code // of a broken one
}

// Pasts returns the history by URL, and how many runs it holds.
func (c *Cache) Pasts() (map[string]Past, int, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.failed != nil {
		return nil, 0, fmt.Errorf("read the history in %s: %w", c.file, clearly(c.failed))
	}
	pasts, runs, err := c.readPasts()
	if err != nil {
		c.fail(err)
		return nil, 0, fmt.Errorf("read the history in %s: %w", c.file, clearly(err))
	}
	return pasts, runs, nil
}

func (c *Cache) readPasts() (map[string]Past, int, error) {
	pasts, runs := map[string]Past{}, 0
	if err := c.db.QueryRow("SELECT value FROM meta WHERE name = 'runs'").Scan(&runs); err != nil && !errors.Is(err, sql.ErrNoRows) {
		return nil, 0, err
	}
	rows, err := c.db.Query("SELECT url, code, first, last, since, ok, runs, broken, told, returns FROM history")
	if err != nil {
		return nil, 0, err
	}
	defer rows.Close()
	for rows.Next() {
		var p Past
		var first, last, since, ok int64
		if err := rows.Scan(&p.URL, &p.Code, &first, &last, &since, &ok, &p.Runs, &p.Broken, &p.Told, &p.Returns); err != nil {
			return nil, 0, err
		}
		p.First, p.Last, p.Since, p.OK = fromUnix(first), fromUnix(last), fromUnix(since), fromUnix(ok)
		pasts[p.URL] = p
	}
	return pasts, runs, rows.Err()
}

// fromUnix is a moment to the second; 0 is none.
func fromUnix(seconds int64) time.Time {
	if seconds == 0 {
		return time.Time{}
	}
	return time.Unix(seconds, 0).UTC()
}

// Remember adds a run to the history: what it found broken, and what it found to be
// mended. A run that was not complete has mended nothing. Of what it does not tell,
// nothing is known: it changes nothing.
func (c *Cache) Remember(at time.Time, complete bool, broken, ok []Told) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	err := c.failed
	if err == nil {
		err = c.transaction(func(tx *sql.Tx) error { return remember(tx, at.Unix(), complete, broken, ok) })
	}
	if err != nil {
		return fmt.Errorf("write the history to %s: %w", c.file, clearly(err))
	}
	return nil
}

func remember(tx *sql.Tx, now int64, complete bool, broken, ok []Told) error {
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
		for _, t := range ok {
			if _, err := tx.Exec("UPDATE history SET ok = ?2, told = told + 1, runs = 0 WHERE url = ?1", t.URL, now); err != nil {
				return err
			}
		}
	}
	_, err = tx.Exec("DELETE FROM history WHERE runs = 0 AND ok < ?1 OR last < ?2", now-int64(KeepFixed/time.Second), now-int64(KeepBroken/time.Second))
	return err
}
