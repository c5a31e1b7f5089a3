package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/orbweaver/orbweaver/crawler/check"
)

// Limits of the history.
const (
	// keepFixed is how long a fixed target is kept.
	keepFixed = 90 * 24 * time.Hour
	// keepBroken is how long a broken target is kept if no run checks it again.
	keepBroken = 365 * 24 * time.Hour
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
	// StateNew is broken, but not in enough runs in a row to be dead.
	StateNew State = "new"
	// StateDead is broken in many runs in a row.
	StateDead State = "dead"
	// Flaky was broken again after it was fixed, and is not dead.
	StateFlaky State = "flaky"
	// StateFixed is no longer broken.
	StateFixed State = "fixed"
)

// State returns the state of the target, which is dead after deadAfter runs in a row that
// found it broken.
func (p *History) State(deadAfter int) State {
	switch {
	case p.Runs > 0 && p.Runs >= deadAfter:
		return StateDead
	case p.Returns > 0:
		return StateFlaky
	case p.Runs == 0:
		return StateFixed
	}
	return StateNew
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
	histories, log, err := c.histories()
	if err != nil {
		c.fail(err)
		return nil, 0, fmt.Errorf("read the history in %s: %w", c.file, explain(err))
	}
	return maps.Clone(histories), log.runs, nil
}

// runLog is the value of "history" in the table meta.
type runLog struct {
	runs, rows int
	sum        int64 // of the checksums of the rows
	last       int64 // the last run
}

// String returns the stored form.
func (l runLog) String() string {
	text := fmt.Sprintf("%d %d %d %d ", l.runs, l.rows, l.sum, l.last)
	return text + strconv.FormatInt(sum32([]byte(text)), 10)
}

// parseRunLog is the inverse of String.
func parseRunLog(text string) (l runLog, err error) {
	var sum int64
	if _, err := fmt.Sscan(text, &l.runs, &l.rows, &l.sum, &l.last, &sum); err != nil || l.String() != text {
		return runLog{}, errDamaged
	}
	return l, nil
}

// histories reads the history in one transaction: another process may add a run meanwhile.
func (c *Cache) histories() (histories map[string]History, log runLog, err error) {
	tx, err := c.db.BeginTx(context.Background(), &sql.TxOptions{ReadOnly: true})
	if err != nil {
		return nil, log, err
	}
	defer tx.Rollback()
	return c.past.read(tx)
}

// past is the history as it was read last.
type past struct {
	histories map[string]History // nil if it was not read
	log       runLog
}

// read reads the history and compares its checksums, unless it is the one that was read last. The
// caller must not change it.
func (r *past) read(tx *sql.Tx) (map[string]History, runLog, error) {
	var text string
	err := tx.QueryRow("SELECT value FROM meta WHERE name = 'history'").Scan(&text)
	if err != nil {
		return nil, runLog{}, asDamage(err)
	}
	want, err := parseRunLog(text)
	if err != nil {
		return nil, runLog{}, err
	}
	if r.histories != nil && r.log == want {
		return r.histories, want, nil
	}
	histories, found := map[string]History{}, runLog{runs: want.runs, last: want.last}
	err = eachHistory(tx, func(p *History, sum int64) error {
		if sum != p.sum() {
			return errDamaged
		}
		histories[p.URL] = *p
		found.rows++
		found.sum += sum
		return nil
	})
	if err == nil && found != want {
		err = errDamaged
	}
	if err == nil {
		r.histories, r.log = histories, want
	}
	return histories, want, err
}

// eachHistory calls fn with the history of each target, and the stored checksum.
func eachHistory(tx *sql.Tx, fn func(p *History, sum int64) error) error {
	rows, err := tx.Query("SELECT url, code, first, last, since, ok, runs, broken, told, returns, sum FROM history")
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		var p History
		var first, last, since, ok, sum int64
		if err := rows.Scan(&p.URL, &p.Code, &first, &last, &since, &ok, &p.Runs, &p.Broken, &p.Checked, &p.Returns, &sum); err != nil {
			return asDamage(err)
		}
		p.First, p.Last, p.Since, p.OK = fromUnix(first), fromUnix(last), fromUnix(since), fromUnix(ok)
		if err := fn(&p, sum); err != nil {
			return err
		}
	}
	return rows.Err()
}

// sum returns the checksum of the row of a history.
func (p *History) sum() int64 {
	b := make([]byte, 0, 256)
	b = strconv.AppendQuote(b, p.URL)
	b = strconv.AppendQuote(append(b, ' '), string(p.Code))
	for _, n := range [...]int64{toUnix(p.First), toUnix(p.Last), toUnix(p.Since), toUnix(p.OK), int64(p.Runs), int64(p.Broken), int64(p.Checked), int64(p.Returns)} {
		b = strconv.AppendInt(append(b, ' '), n, 10)
	}
	return sum32(b)
}

// toUnix is the inverse of fromUnix.
func toUnix(t time.Time) int64 {
	if t.IsZero() {
		return 0
	}
	return t.Unix()
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
// run is as Record.Run; if it is not 0, the same run is added once only. What is pending is written in
// the same transaction.
func (c *Cache) AddRun(run int64, at time.Time, complete bool, broken, fixed []Result) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	err := c.failed
	if err == nil {
		err = c.transaction(func(tx *sql.Tx) error {
			if err := c.write(tx); err != nil {
				return err
			}
			return c.past.addRun(tx, run, at, complete, broken, fixed)
		})
	}
	if err != nil {
		return fmt.Errorf("write the history to %s: %w", c.file, explain(err))
	}
	clear(c.dirty)
	c.bytes = 0
	return nil
}

func (r *past) addRun(tx *sql.Tx, run int64, at time.Time, complete bool, broken, fixed []Result) error {
	known, log, err := r.read(tx)
	if err != nil || run != 0 && run == log.last {
		return err
	}
	histories := maps.Clone(known)
	at = fromUnix(at.Unix())
	changed := map[string]History{}
	for _, t := range broken {
		p, known := histories[t.URL]
		if !known {
			p = History{URL: t.URL, First: at}
		}
		if p.Runs == 0 {
			p.Since = at
			if known {
				p.Returns++
			}
		}
		p.Code, p.Last = t.Code, at
		p.Broken, p.Checked, p.Runs = p.Broken+1, p.Checked+1, p.Runs+1
		histories[t.URL], changed[t.URL] = p, p
	}
	if complete {
		for _, t := range fixed {
			if p, known := histories[t.URL]; known {
				p.OK, p.Checked, p.Runs = at, p.Checked+1, 0
				histories[t.URL], changed[t.URL] = p, p
			}
		}
	}
	log.runs, log.last, log.rows, log.sum = log.runs+1, run, 0, 0
	for url, p := range histories {
		if p.Runs == 0 && p.OK.Before(at.Add(-keepFixed)) || p.Last.Before(at.Add(-keepBroken)) {
			if _, err := tx.Exec("DELETE FROM history WHERE url = ?", url); err != nil {
				return err
			}
			delete(changed, url)
			continue
		}
		log.rows++
		log.sum += p.sum()
	}
	return writeHistories(tx, slices.Collect(maps.Values(changed)), log)
}

// historiesAtOnce is the number of rows that one statement writes: each execution of a statement
// costs as much as a few rows.
const historiesAtOnce = 16

// insertHistories returns the statement that writes a number of rows of the history.
func insertHistories(rows int) string {
	const row = "(?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
	return "INSERT OR REPLACE INTO history (url, code, first, last, since, ok, runs, broken, told, returns, sum) VALUES " + row + strings.Repeat(", "+row, rows-1)
}

// writeHistories writes rows of the history, in the order of the table, and the log.
func writeHistories(tx *sql.Tx, histories []History, log runLog) error {
	put, err := tx.Prepare(insertHistories(historiesAtOnce))
	if err != nil {
		return err
	}
	defer put.Close()
	slices.SortFunc(histories, func(a, b History) int { return strings.Compare(a.URL, b.URL) })
	for part := range slices.Chunk(histories, historiesAtOnce) {
		var values []any
		for i := range part {
			p := &part[i]
			values = append(values, p.URL, string(p.Code), toUnix(p.First), toUnix(p.Last), toUnix(p.Since), toUnix(p.OK), p.Runs, p.Broken, p.Checked, p.Returns, p.sum())
		}
		if len(part) == historiesAtOnce {
			_, err = put.Exec(values...)
		} else {
			_, err = tx.Exec(insertHistories(len(part)), values...)
		}
		if err != nil {
			return err
		}
	}
	_, err = tx.Exec("INSERT OR REPLACE INTO meta VALUES ('history', ?)", log.String())
	return err
}

// sealHistory adds checksums to a history without them.
func sealHistory(tx *sql.Tx) error {
	var log runLog
	if err := tx.QueryRow("SELECT value FROM meta WHERE name = 'runs'").Scan(&log.runs); err != nil && !errors.Is(err, sql.ErrNoRows) {
		return asDamage(err)
	}
	var histories []History
	err := eachHistory(tx, func(p *History, _ int64) error {
		histories = append(histories, *p)
		log.rows++
		log.sum += p.sum()
		return nil
	})
	if err != nil {
		return err
	}
	if _, err := tx.Exec("DELETE FROM meta WHERE name = 'runs'"); err != nil {
		return err
	}
	return writeHistories(tx, histories, log)
}
