package report

import (
	"bufio"
	"context"
	"database/sql/driver"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"modernc.org/sqlite"

	"github.com/orbweaver/orbweaver/crawler/check"
	"github.com/orbweaver/orbweaver/crawler/result"
)

var sqliteFormat = Format{
	Name:       "sqlite",
	Extensions: []string{".sqlite", ".sqlite3", ".db"},
	Use:        "SQL queries; has views for common questions",
	References: true,
	Binary:     true,
	Pages:      true,
	New:        func(w io.Writer, o Options) Writer { return &sqliteWriter{w: w, show: o.Show.orDefault()} },
}

//go:embed sqlite.sql
var sqliteSchema string

// sqliteIndexes are created after all rows are inserted, which is faster.
const sqliteIndexes = `
CREATE INDEX results_url ON result_rows (url);
CREATE INDEX results_verdict ON result_rows (verdict, code);
CREATE INDEX results_final ON result_rows (final);
CREATE UNIQUE INDEX page_names_name ON page_names (name);
CREATE INDEX ref_rows_page ON ref_rows (page);
CREATE INDEX warnings_result ON warnings (result);
CREATE INDEX findings_url ON findings (url);
CREATE INDEX findings_code ON findings (code, rule);
CREATE UNIQUE INDEX pages_url ON pages (url);
CREATE UNIQUE INDEX documents_url ON documents (url);
CREATE INDEX edge_urls_document ON edge_urls (document);
CREATE INDEX edge_rows_url ON edge_rows (url);
`

// sqliteWriter writes a database. A database cannot be written from beginning to end, so
// it is built in a temporary file, in one transaction, and then copied to the output.
type sqliteWriter struct {
	w     io.Writer
	show  Show
	head  *Head
	file  string
	db    driver.Conn     // not a pool of package sql, whose arguments take several times as long
	seen  map[string]bool // URLs of pages
	count struct{ results, pages int64 }

	results, findings, refs, refNotes, redirects, warnings, suggestions, pages, edges, codes *sqliteTable

	pageNames, documents, edgeURLs, edgeTexts sqliteNumbers[string]
	spellings                                 sqliteNumbers[spelling] // of the references of one result
}

// spelling is how a link is written.
type spelling struct{ element, attribute, raw, text string }

func (s *sqliteWriter) Begin(h *Head) error {
	s.head = h
	return s.orCleanUp(s.open)
}

// orCleanUp removes the temporary file if a step fails, since no other method is called
// after an error.
func (s *sqliteWriter) orCleanUp(step func() error) error {
	err := step()
	if err != nil {
		s.close()
		return fmt.Errorf("write sqlite: %w", err)
	}
	return nil
}

func (s *sqliteWriter) close() {
	if s.db != nil {
		s.db.Close()
		s.db = nil
	}
	if s.file != "" {
		os.Remove(s.file)
	}
}

func (s *sqliteWriter) open() error {
	dir := ""
	if f, ok := s.w.(*file); ok && !f.direct {
		dir = filepath.Dir(f.target) // the report needs room on this file system anyway
	}
	temp, err := os.CreateTemp(dir, ".orbweaver-*.sqlite")
	if err != nil {
		return err
	}
	s.file, err = filepath.Abs(temp.Name())
	if err := errors.Join(err, temp.Close()); err != nil {
		return err
	}
	if s.db, err = (&sqlite.Driver{}).Open(temporaryDatabase(filepath.ToSlash(s.file))); err != nil {
		return err
	}
	for _, sql := range []string{sqliteSchema, "BEGIN"} {
		if err := s.exec(sql); err != nil {
			return err
		}
	}
	table := func(name string, columns int) *sqliteTable {
		return &sqliteTable{db: s.db, name: name, columns: columns}
	}
	s.results, s.findings, s.refs, s.refNotes = table("result_rows", 19), table("findings", 17), table("ref_rows", 6), table("ref_notes", 9)
	s.redirects, s.warnings, s.suggestions = table("redirects", 4), table("warnings", 6), table("suggestions", 4)
	s.pages, s.edges, s.codes = table("pages", 8), table("edge_rows", 4), table("codes", 8)
	s.pageNames.table, s.spellings.table = table("page_names", 2), table("spellings", 5)
	s.documents.table, s.edgeURLs.table, s.edgeTexts.table = table("documents", 2), table("edge_urls", 3), table("edge_texts", 2)
	s.seen = map[string]bool{}
	return nil
}

// exec runs statements without arguments.
func (s *sqliteWriter) exec(sql string) error {
	_, err := s.db.(driver.ExecerContext).ExecContext(context.Background(), sql, nil)
	return err
}

// temporaryDatabase returns SQLite's name for a file, given its absolute path with
// slashes. No other process sees the file, and it is removed if it is incomplete, so
// journals and synchronous writes are off.
func temporaryDatabase(slashed string) string {
	if !strings.HasPrefix(slashed, "/") {
		slashed = "/" + slashed // a drive letter would be read as a host
	}
	name := url.URL{Scheme: "file", Path: slashed, RawQuery: "_pragma=journal_mode(off)&_pragma=synchronous(off)&_pragma=locking_mode(exclusive)"}
	return name.String()
}

func (s *sqliteWriter) Page(p *result.Page) error {
	return s.orCleanUp(func() error {
		if s.seen[p.URL] {
			return nil
		}
		s.seen[p.URL] = true
		s.count.pages++
		id := s.count.pages
		var modified any
		if !p.Modified.IsZero() {
			modified = p.Modified.UTC().Format(time.RFC3339)
		}
		if err := s.pages.add(id, p.URL, p.Title, int64(p.Depth), modified, p.Format, p.NoIndex, orNull(p.Canonical)); err != nil {
			return err
		}
		for i := range p.Links {
			if err := s.edge(id, i+1, &p.Links[i]); err != nil {
				return err
			}
		}
		return nil
	})
}

// edge inserts a link of a page.
func (s *sqliteWriter) edge(page int64, number int, e *result.Edge) error {
	url, isNew := s.edgeURLs.of(e.URL)
	if isNew {
		document, fragment, has := strings.Cut(e.URL, "#")
		at, err := s.documents.stored(document, document)
		if err != nil {
			return err
		}
		var part any
		if has {
			part = fragment
		}
		if err := s.edgeURLs.table.add(url, at, part); err != nil {
			return err
		}
	}
	text, err := s.edgeTexts.stored(e.Text, e.Text)
	if err != nil {
		return err
	}
	return s.edges.add(page, int64(number), url, text)
}

func (s *sqliteWriter) Result(r *result.Result) error {
	return s.orCleanUp(func() error { return s.result(r) })
}

// finding inserts a finding of a content check.
func (s *sqliteWriter) finding(r *result.Result) error {
	ref := &r.References[0]
	var line, column any
	if ref.Line > 0 {
		line, column = int64(ref.Line), int64(ref.Column)
	}
	return s.findings.add(nil, r.URL, r.Verdict.String(), string(r.Code), orNull(r.Rule), r.Message, orNull(r.Proposal), scope(r.Internal), hostOf(r.URL),
		line, column, ref.Element, ref.Attribute, ref.Raw, ref.Text, len(r.Known) > 0, orNull(string(r.Level)))
}

func (s *sqliteWriter) result(r *result.Result) error {
	if r.Kind == result.KindPage {
		return s.finding(r)
	}
	s.count.results++
	id := s.count.results
	var size any
	if r.Size >= 0 {
		size = r.Size
	}
	var since any
	if r.BrokenRuns > 0 {
		since = r.BrokenSince.UTC().Format(time.RFC3339)
	}
	var final any
	if r.FinalURL != "" {
		at, err := s.documents.stored(r.FinalURL, r.FinalURL)
		if err != nil {
			return err
		}
		final = at
	}
	err := s.results.add(id, r.URL, r.Verdict.String(), string(r.Code), r.Message, scope(r.Internal), hostOf(r.URL),
		int64(r.Status), int64(r.Attempts), r.Elapsed.Milliseconds(), final, r.ContentType, size,
		r.Cached, orNull(joinCodes(r.Known)), countOrNull(r.BrokenRuns), since, countOrNull(r.FailsAfter), orNull(r.RemappedFrom))
	if err != nil {
		return err
	}
	s.spellings.forget()
	for i := range r.References {
		if err := s.reference(id, i+1, &r.References[i]); err != nil {
			return err
		}
	}
	for i, hop := range r.Redirects {
		if err := s.redirects.add(id, int64(i+1), hop.URL, int64(hop.Status)); err != nil {
			return err
		}
	}
	for _, w := range r.Warnings {
		var page any
		if check.OfPage(w.Code) {
			page = ownPage(r.URL)
		}
		if err := s.warnings.add(nil, id, string(w.Code), w.Message, orNull(w.Proposal), page); err != nil {
			return err
		}
	}
	for i, suggestion := range r.Suggestions {
		if err := s.suggestions.add(id, int64(i+1), suggestion.URL, suggestion.Why); err != nil {
			return err
		}
	}
	return nil
}

func (s *sqliteWriter) reference(target int64, number int, ref *result.Reference) error {
	var line, column any
	if ref.Line > 0 {
		line, column = int64(ref.Line), int64(ref.Column)
	}
	page, err := s.pageNames.stored(ref.Page, ref.Page)
	if err != nil {
		return err
	}
	written, isNew := s.spellings.of(spelling{ref.Element, ref.Attribute, ref.Raw, ref.Text})
	if isNew {
		if err := s.spellings.table.add(written, ref.Element, ref.Attribute, ref.Raw, ref.Text); err != nil {
			return err
		}
	}
	if err := s.refs.add(target, int64(number), page, line, column, written); err != nil {
		return err
	}
	if !ref.Known && ref.Unaffected == "" && ref.Source == nil && ref.RemappedFrom == "" {
		return nil
	}
	var source result.Place
	if ref.Source != nil {
		source = *ref.Source
	}
	return s.refNotes.add(target, int64(number), ref.Known, orNull(ref.Unaffected),
		orNull(source.File), countOrNull(source.Line), countOrNull(source.Column), orNull(source.Raw), orNull(ref.RemappedFrom))
}

func orNull(s string) any {
	if s == "" {
		return nil
	}
	return s
}

func countOrNull(n int) any {
	if n == 0 {
		return nil
	}
	return int64(n)
}

func (s *sqliteWriter) End(sum *result.Summary) error {
	err := s.orCleanUp(func() error {
		steps := []func() error{
			func() error { return s.run(sum) },
			func() error { return s.writeCodes(sum) },
			s.results.flush, s.findings.flush, s.refs.flush, s.refNotes.flush, s.redirects.flush, s.warnings.flush, s.suggestions.flush, s.pages.flush, s.edges.flush, s.codes.flush,
			s.pageNames.table.flush, s.spellings.table.flush, s.documents.table.flush, s.edgeURLs.table.flush, s.edgeTexts.table.flush,
			func() error { return s.exec(sqliteIndexes + "COMMIT; PRAGMA analysis_limit = 1000; ANALYZE") },
			s.db.Close,
			s.copy,
		}
		for _, step := range steps {
			if err := step(); err != nil {
				return err
			}
		}
		return nil
	})
	if err == nil {
		s.close()
	}
	return err
}

func (s *sqliteWriter) run(sum *result.Summary) error {
	started, targets := s.head.of(sum)
	names, err := json.Marshal(append([]string{}, targets...))
	if err != nil {
		return err
	}
	run := sqliteTable{db: s.db, name: "run", columns: 22}
	var counts [4]any // null if no content was checked
	if f := sum.Findings; f != nil {
		counts = [4]any{int64(f.Broken), int64(f.Unverified), int64(f.Warning), int64(f.Info)}
	}
	if err := run.add(schemaID, s.head.Tool.Name, s.head.Tool.Version, started.UTC().Format(time.RFC3339), sum.Elapsed.Milliseconds(),
		sum.Soundness.Complete(), sum.Soundness.StoppedBy, string(names), int64(sum.Pages), int64(sum.Results), int64(sum.References), int64(sum.Requests),
		int64(sum.OK), int64(sum.Broken), int64(sum.Unverified), int64(sum.Skipped), int64(sum.Warnings),
		orNull(s.head.Tool.Clamd), counts[0], counts[1], counts[2], counts[3]); err != nil {
		return err
	}
	return run.flush()
}

// writeCodes inserts all codes, including those that plugins declared, and unknown codes
// that occur in the run.
func (s *sqliteWriter) writeCodes(sum *result.Summary) error {
	met := map[check.Code]int{}
	maps.Copy(met, sum.ByCode)
	for _, entry := range check.All() {
		if !check.IsFamily(entry.Code) {
			met[entry.Code] += 0
		}
	}
	if met[check.CodeOK] == 0 {
		met[check.CodeOK] = sum.OK // by_code does not include it
	}
	declared := newCatalog(s.head)
	for code := range declared {
		met[code] += 0
	}
	for _, code := range slices.Sorted(maps.Keys(met)) {
		entry, known := declared.lookup(code)
		if !known {
			entry.Severity = check.SeverityInfo
		}
		if err := s.codes.add(string(code), entry.Title, entry.Severity.String(), entry.Explanation, entry.Advice, entry.Example, int64(met[code]), orNull(entry.Group)); err != nil {
			return err
		}
	}
	return nil
}

func (s *sqliteWriter) copy() error {
	in, err := os.Open(s.file)
	if err != nil {
		return err
	}
	defer in.Close()
	out := bufio.NewWriterSize(s.w, 1<<20)
	if _, err := io.Copy(out, in); err != nil {
		return err
	}
	return out.Flush()
}

// sqliteNumbers numbers what is stored once, from 1.
type sqliteNumbers[T comparable] struct {
	table *sqliteTable
	known map[T]int64
	last  int64
}

func (n *sqliteNumbers[T]) of(value T) (number int64, isNew bool) {
	if at, ok := n.known[value]; ok {
		return at, false
	}
	if n.known == nil {
		n.known = map[T]int64{}
	}
	n.last++
	n.known[value] = n.last
	return n.last, true
}

// stored returns the number of a value, and inserts its columns if it is new.
func (n *sqliteNumbers[T]) stored(value T, columns ...any) (int64, error) {
	number, isNew := n.of(value)
	if !isNew {
		return number, nil
	}
	return number, n.table.add(append([]any{number}, columns...)...)
}

// forget frees the memory for the values so far.
func (n *sqliteNumbers[T]) forget() {
	const few = 256 // to clear a large map takes long, even if it has become empty
	if len(n.known) > few {
		n.known = nil
	}
	clear(n.known)
}

// sqliteTable inserts rows in batches.
type sqliteTable struct {
	db      driver.Conn
	name    string
	columns int
	values  []driver.NamedValue
	insert  driver.Stmt // inserts sqliteBatch rows
}

// sqliteBatch is the number of rows of one insertion. The driver looks for each value among all of
// the insertion, so that larger batches are slower.
const sqliteBatch = 8

// add inserts a row. It escapes unseen characters in strings, for users who query in a
// terminal.
func (t *sqliteTable) add(values ...any) error {
	for _, v := range values {
		if s, ok := v.(string); ok {
			v = printableText(s)
		}
		t.values = append(t.values, driver.NamedValue{Ordinal: len(t.values) + 1, Value: v})
	}
	if len(t.values) < sqliteBatch*t.columns {
		return nil
	}
	if t.insert == nil {
		var err error
		if t.insert, err = t.db.Prepare(t.statement(sqliteBatch)); err != nil {
			return err
		}
	}
	return t.run(t.insert)
}

func (t *sqliteTable) statement(rows int) string {
	row := "(" + strings.Repeat("?,", t.columns-1) + "?)"
	return "INSERT INTO " + t.name + " VALUES " + strings.Repeat(row+",", rows-1) + row
}

// run runs a statement with the collected values.
func (t *sqliteTable) run(insert driver.Stmt) error {
	_, err := insert.(driver.StmtExecContext).ExecContext(context.Background(), t.values)
	t.values = t.values[:0]
	return err
}

// flush inserts the remaining rows.
func (t *sqliteTable) flush() error {
	if t.insert != nil {
		defer t.insert.Close()
	}
	if len(t.values) == 0 {
		return nil
	}
	rest, err := t.db.Prepare(t.statement(len(t.values) / t.columns))
	if err != nil {
		return err
	}
	return errors.Join(t.run(rest), rest.Close())
}
