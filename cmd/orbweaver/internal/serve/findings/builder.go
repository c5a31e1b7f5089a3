package findings

import (
	"bytes"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/klauspost/compress/s2"

	"github.com/orbweaver/orbweaver/cmd/orbweaver/internal/serve/rows"
	"github.com/orbweaver/orbweaver/crawler/check"
	"github.com/orbweaver/orbweaver/crawler/result"
	"github.com/orbweaver/orbweaver/report"
	"github.com/orbweaver/orbweaver/urinorm"
)

// Builder fills a file with the results of a run. It is a report.PageWriter: pages come
// first, then results in any order. Its methods must be called one at a time.
type Builder struct {
	config Config
	file   string
	db     *sql.DB
	tx     *sql.Tx
	insert map[string]*sql.Stmt

	pages   map[string]*pageRow
	targets int64
	items   int
	buffer  bytes.Buffer
	json    report.Writer // writes to buffer
	text    []byte        // compressed
	before  *sql.Stmt     // finds a fingerprint in the run before
}

// Config is what a builder must know besides the results.
type Config struct {
	Project string
	Started time.Time // of the run
	// Before is the file of the project's sound run before this one, "" for none.
	Before string
	// New are fingerprints, and issues, that count as new although the run before had them:
	// those whose mark has expired since.
	New map[string]bool
	// FirstSeen returns when fingerprints were first seen, and See records them.
	FirstSeen func(fingerprints []string) (map[string]time.Time, error)
	See       func(fingerprints []string) error
}

// pageRow is a row of page, which is written at the end.
type pageRow struct {
	id                int64
	title             string
	status, depth     int
	in, out, findings int
	size, elapsed     int64
	read, known       bool  // it is a document of the run; its own target was seen
	lastBroken        int64 // the last broken target that the page was counted for
	lastItem          int   // the last item that the page was counted for
	contentType       string
}

// Create makes a new file, next to the one that it replaces when the builder ends.
func Create(file string, c Config) (*Builder, error) {
	b := &Builder{config: c, file: file, pages: map[string]*pageRow{}, insert: map[string]*sql.Stmt{}}
	if err := b.open(); err != nil {
		b.Discard()
		return nil, fmt.Errorf("create %s: %w", file, err)
	}
	return b, nil
}

// building is the name of the file until it is complete.
func (b *Builder) building() string { return b.file + ".new" }

func (b *Builder) open() error {
	if err := os.MkdirAll(filepath.Dir(b.file), 0o700); err != nil {
		return err
	}
	if err := os.Remove(b.building()); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	var err error
	// The file is of no use before it is complete, so it needs no journal.
	if b.db, err = rows.Open(b.building(), 1, "_pragma=journal_mode(off)", "_pragma=synchronous(off)", "_pragma=cache_size(-16000)", "_pragma=busy_timeout(10000)"); err != nil {
		return err
	}
	if _, err := b.db.Exec(schema + issueSchema + writtenSchema); err != nil {
		return err
	}
	if b.config.Before != "" {
		before, err := Open(b.config.Before) // so that it has issues
		if err != nil {
			return fmt.Errorf("read the run before: %w", err)
		}
		before.Close()
		if _, err := b.db.Exec("ATTACH ? AS before", b.config.Before); err != nil {
			return fmt.Errorf("read the run before: %w", err)
		}
	}
	format, err := report.ByName("ndjson")
	if err != nil {
		return err
	}
	b.json = format.New(&b.buffer, report.Options{Show: report.ShowAll})
	if err := b.json.Begin(&report.Head{}); err != nil {
		return err
	}
	return b.begin()
}

func (b *Builder) begin() (err error) {
	if b.tx, err = b.db.Begin(); err != nil {
		return err
	}
	for name, text := range map[string]string{
		"target":  "INSERT INTO target (id, url, verdict, code, result) VALUES (?, ?, ?, ?, ?)",
		"ref":     "INSERT OR IGNORE INTO ref (page, target, n, line, col, element, text) VALUES (?, ?, ?, ?, ?, ?, ?)",
		"page":    `INSERT OR REPLACE INTO page (id, url, title, status, depth, links_in, links_out, size, elapsed, findings, was_read, content_type) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
		"written": "INSERT INTO temp.written (fingerprint, page, raw) VALUES (?, ?, ?)",
		"item": `INSERT INTO item (fingerprint, target, listed, url, verdict, code, message, scope, host, status, places, change, page, pages) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, nullif(?, ''), ?)
			ON CONFLICT (fingerprint) DO UPDATE SET places = places + excluded.places, page = coalesce(page, excluded.page), pages = pages + excluded.pages`,
	} {
		if b.insert[name], err = b.tx.Prepare(text); err != nil {
			return err
		}
	}
	if b.config.Before != "" {
		if b.before, err = b.tx.Prepare(fmt.Sprintf("SELECT 1 FROM before.item WHERE fingerprint = ? AND listed = %d", listed)); err != nil {
			return err
		}
	}
	return nil
}

// Begin implements report.Writer.
func (b *Builder) Begin(*report.Head) error { return nil }

func (b *Builder) page(url string) *pageRow {
	p := b.pages[url]
	if p == nil {
		p = &pageRow{id: int64(len(b.pages) + 1), size: -1}
		b.pages[url] = p
	}
	return p
}

// Page implements report.PageWriter.
func (b *Builder) Page(p *result.Page) error {
	row := b.page(p.URL)
	row.title, row.depth, row.read = p.Title, p.Depth, true
	return nil
}

// Result implements report.Writer.
func (b *Builder) Result(r *result.Result) error {
	b.targets++
	id := b.targets
	b.buffer.Reset()
	if err := b.json.Result(r); err != nil {
		return err
	}
	b.text = s2.Encode(b.text[:cap(b.text)], b.buffer.Bytes())
	if b.buffer.Cap() > 4<<20 { // of a target that very many pages refer to
		b.buffer, b.text = bytes.Buffer{}, nil
	}
	if _, err := b.insert["target"].Exec(id, r.URL, r.Verdict.String(), string(r.Code), b.text); err != nil {
		return err
	}
	if err := b.references(id, r); err != nil {
		return err
	}
	for f := range Of(b.config.Project, r) {
		if err := b.add(id, f, r.References); err != nil {
			return err
		}
	}
	return nil
}

// maxText is the length to which the text of a reference is cut in lists, in bytes.
const maxText = 200

// references keeps where a target is referred to, and counts for the pages.
func (b *Builder) references(id int64, r *result.Result) error {
	at, _, _ := strings.Cut(r.URL, "#")
	target := b.pages[at]
	if r.Kind == result.KindTarget {
		b.describe(target, r)
		if target == nil && len(r.Redirects) > 0 { // the page is known by the address at which it was found
			end, _, _ := strings.Cut(r.FinalURL, "#")
			b.describe(b.pages[end], r)
		}
	}
	for n := range r.References {
		ref := &r.References[n]
		from := b.page(ref.Page)
		if r.Kind == result.KindTarget {
			from.out++
			if target != nil && from.read {
				target.in++
			}
			if r.Verdict == check.Broken && from.lastBroken != id {
				from.lastBroken = id
				from.findings++
			}
		}
		text := ref.Text
		if len(text) > maxText {
			text = strings.ToValidUTF8(text[:maxText], "") + "…"
		}
		if _, err := b.insert["ref"].Exec(from.id, id, n, ref.Line, ref.Column, ref.Element, text); err != nil {
			return err
		}
	}
	return nil
}

// describe keeps the answer to the request for a page, which may be nil.
func (b *Builder) describe(page *pageRow, r *result.Result) {
	if page == nil || !page.read || page.known {
		return
	}
	page.known = true
	page.status, page.size, page.elapsed = r.Status, r.Size, r.Elapsed.Milliseconds()
	media, _, _ := strings.Cut(r.ContentType, ";")
	page.contentType = strings.ToLower(strings.TrimSpace(media))
}

// hostOf returns the host of a printed URL, "" for a local file.
func hostOf(printed string) string {
	u, _, err := urinorm.ParseWeb(printed)
	if err != nil {
		return ""
	}
	return u.Host()
}

func (b *Builder) add(target int64, f Item, refs []result.Reference) error {
	change := ""
	if f.Listed {
		change = "new"
		if b.before != nil && !b.config.New[f.Fingerprint] {
			var one int
			switch err := b.before.QueryRow(f.Fingerprint).Scan(&one); {
			case err == nil:
				change = "still"
			case !errors.Is(err, sql.ErrNoRows):
				return fmt.Errorf("read the run before: %w", err)
			}
		}
	}
	kind := others
	if f.Listed {
		kind = listed
	}
	first, pages, err := b.referrers(&f, refs)
	if err != nil {
		return err
	}
	_, err = b.insert["item"].Exec(f.Fingerprint, target, kind, f.URL, f.Verdict, f.Code, f.Message, f.Scope, f.Host, f.Status, f.Places, change, first, pages)
	return err
}

// referrers returns the first page that refers to an item, and the number of all, and keeps how they
// do for what is grouped in the end.
func (b *Builder) referrers(f *Item, refs []result.Reference) (first string, pages int, err error) {
	b.items++
	for n := range refs {
		ref := &refs[n]
		if !isPage(ref.Page) || f.Verdict == check.VerdictWarning.String() && !ref.Concerns(check.Code(f.Code)) {
			continue
		}
		from := b.page(ref.Page)
		if from.lastItem != b.items {
			from.lastItem = b.items
			pages++
		}
		if first == "" {
			first = ref.Page
		}
		if !f.Listed {
			continue
		}
		if _, err := b.insert["written"].Exec(f.Fingerprint, from.id, rawOf(ref)); err != nil {
			return "", 0, err
		}
	}
	return first, pages, nil
}

// End implements report.Writer: it compares with the run before, and puts the file in place.
func (b *Builder) End(*result.Summary) error {
	if err := b.end(); err != nil {
		b.Discard()
		return fmt.Errorf("index the run in %s: %w", b.file, err)
	}
	return nil
}

func (b *Builder) end() error {
	if err := b.putPages(); err != nil {
		return err
	}
	if b.config.Before != "" {
		for _, text := range []string{
			`INSERT OR IGNORE INTO item (fingerprint, target, listed, url, verdict, code, message, scope, host, status, places, change, first_seen, page, pages, issue)
				SELECT fingerprint, -abs(target), 2, url, verdict, code, message, scope, host, status, places, 'fixed', first_seen, page, pages, issue FROM before.item
				WHERE listed = 1 AND fingerprint NOT IN (SELECT fingerprint FROM main.item WHERE listed = 1)`,
			`INSERT OR IGNORE INTO target (id, url, verdict, code, result)
				SELECT -t.id, t.url, t.verdict, t.code, t.result FROM before.target t WHERE t.id IN (SELECT -target FROM main.item WHERE listed = 2)`,
		} {
			if _, err := b.tx.Exec(text); err != nil {
				return err
			}
		}
	}
	if err := b.recallFirst("item", "fingerprint"); err != nil {
		return err
	}
	if _, err := b.tx.Exec(indexes); err != nil {
		return err
	}
	if err := groupIssues(b.tx); err != nil {
		return err
	}
	if b.config.Before != "" {
		if _, err := b.tx.Exec(compareIssues); err != nil {
			return err
		}
		for id := range b.config.New { // those of findings were known when they were added
			if _, err := b.tx.Exec("UPDATE item SET change = 'new' WHERE listed = 1 AND issue = ?", id); err != nil {
				return err
			}
		}
	}
	if err := b.recallFirst("issue", "id"); err != nil {
		return err
	}
	if err := b.tx.Commit(); err != nil {
		return err
	}
	b.tx = nil
	if err := b.db.Close(); err != nil {
		return err
	}
	b.db = nil
	if err := syncFile(b.building()); err != nil {
		return err
	}
	return os.Rename(b.building(), b.file)
}

func (b *Builder) putPages() error {
	for url, p := range b.pages {
		if _, err := b.insert["page"].Exec(p.id, url, p.title, p.status, p.depth, p.in, p.out, p.size, p.elapsed, p.findings, p.read, p.contentType); err != nil {
			return err
		}
	}
	return nil
}

// recallFirst sets since when the rows of a table are known: items, or issues, which may be older than
// their findings.
func (b *Builder) recallFirst(table, id string) error {
	const chunk = 5000
	last := ""
	for {
		part, err := rows.Column[string](context.Background(), b.tx, "SELECT "+id+" FROM "+table+" WHERE "+id+" > ? AND listed = 1 ORDER BY 1 LIMIT ?", last, chunk)
		if err != nil {
			return err
		}
		if len(part) == 0 {
			return nil
		}
		last = part[len(part)-1]
		if err := b.config.See(part); err != nil {
			return err
		}
		seen, err := b.config.FirstSeen(part)
		if err != nil {
			return err
		}
		for _, fingerprint := range part {
			if _, err := b.tx.Exec("UPDATE "+table+" SET first_seen = min(coalesce(first_seen, ?1), ?1) WHERE "+id+" = ?2", seen[fingerprint].UnixMilli(), fingerprint); err != nil {
				return err
			}
		}
	}
}

func syncFile(name string) error {
	f, err := os.OpenFile(name, os.O_RDWR, 0)
	if err != nil {
		return err
	}
	return errors.Join(f.Sync(), f.Close())
}

// Discard removes a file that is not complete.
func (b *Builder) Discard() {
	if b.tx != nil {
		_ = b.tx.Rollback()
		b.tx = nil
	}
	if b.db != nil {
		_ = b.db.Close()
		b.db = nil
		_ = os.Remove(b.building())
	}
}

// Remove removes the file of a run.
func Remove(file string) error {
	var errs []error
	for _, name := range []string{file, file + ".new", file + "-journal", file + "-wal", file + "-shm"} {
		if err := os.Remove(name); err != nil && !errors.Is(err, fs.ErrNotExist) {
			errs = append(errs, err)
		}
	}
	return errors.Join(errs...)
}
