package diskstore

import (
	"context"
	"database/sql/driver"
	"errors"
	"fmt"
	"io"
	"net/url"
	"path/filepath"

	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"
)

// conn is a connection to a database file. It does not use database/sql, which would pool
// connections and start goroutines.
type conn struct {
	c     driver.Conn
	stmts map[string]driver.Stmt
	args  []driver.NamedValue
}

// vfs is the name of the SQLite VFS that reads and writes files. The empty string is the
// default. Tests set their own.
var vfs string

// connect opens a connection to an existing file.
func connect(file string) (*conn, error) { return connectAs(file, "") }

// connectUnchanging opens a connection to an existing file that no process writes. SQLite then
// needs no files next to it.
func connectUnchanging(file string) (*conn, error) { return connectAs(file, "&immutable=1") }

// connectAs opens a connection to an existing file with further parameters of SQLite's URI.
func connectAs(file, parameters string) (*conn, error) {
	abs, err := filepath.Abs(file)
	if err != nil {
		return nil, err
	}
	c, err := (&sqlite.Driver{}).Open(dataSource(filepath.ToSlash(abs)) + parameters)
	if err != nil {
		return nil, err
	}
	opened := &conn{c: c, stmts: map[string]driver.Stmt{}}
	// Even the first statement waits for another connection, which may be closing the file.
	if err := opened.exec(waitPragma); err != nil {
		return nil, errors.Join(err, opened.close())
	}
	return opened, nil
}

// waitPragma makes a connection wait up to 30 seconds for the locks of others.
const waitPragma = "PRAGMA busy_timeout=30000"

// dataSource returns SQLite's URI for a file, from its absolute path with slashes.
func dataSource(slashed string) string {
	if slashed[0] != '/' {
		slashed = "/" + slashed // the path begins with a drive letter
	}
	query := url.Values{"mode": {"rw"}, "_error_rc": {"1"}}
	if vfs != "" {
		query.Set("vfs", vfs)
	}
	// The host is empty, but its slashes are written. Otherwise SQLite would take the
	// host of //host/share for it.
	name := url.URL{Scheme: "file", Path: slashed, RawQuery: query.Encode()}
	return name.String()
}

func (c *conn) close() error {
	var errs []error
	for _, s := range c.stmts {
		errs = append(errs, s.Close())
	}
	return errors.Join(append(errs, c.c.Close())...)
}

// exec runs statements that take no arguments and return nothing.
func (c *conn) exec(sql string) error {
	_, err := c.c.(driver.ExecerContext).ExecContext(context.Background(), sql, nil)
	return err
}

// prepared returns a prepared statement, which is made on first use.
func (c *conn) prepared(sql string) (driver.Stmt, error) {
	if s := c.stmts[sql]; s != nil {
		return s, nil
	}
	s, err := c.c.Prepare(sql)
	if err != nil {
		return nil, err
	}
	c.stmts[sql] = s
	return s, nil
}

// bind adds an argument for the next statement: an int64, a string, a []byte or nil.
func (c *conn) bind(v driver.Value) {
	c.args = append(c.args, driver.NamedValue{Ordinal: len(c.args) + 1, Value: v})
}

// run runs a statement with the bound arguments.
func (c *conn) run(sql string) error {
	s, err := c.prepared(sql)
	if err == nil {
		_, err = s.(driver.StmtExecContext).ExecContext(context.Background(), c.args)
	}
	c.args = c.args[:0]
	return err
}

// query starts a query with the bound arguments.
func (c *conn) query(sql string) (*cursor, error) {
	s, err := c.prepared(sql)
	if err != nil {
		return nil, err
	}
	rows, err := s.(driver.StmtQueryContext).QueryContext(context.Background(), c.args)
	c.args = c.args[:0]
	if err != nil {
		return nil, err
	}
	return &cursor{rows: rows, row: make([]driver.Value, len(rows.Columns()))}, nil
}

// each calls fn for every row of a query.
func (c *conn) each(sql string, fn func(*cursor) error) error {
	cur, err := c.query(sql)
	if err != nil {
		return err
	}
	for {
		more, err := cur.next()
		if err == nil && more {
			err = fn(cur)
		}
		if err != nil || !more {
			return errors.Join(err, cur.close())
		}
	}
}

// number returns the number that is the result of a query.
func (c *conn) number(sql string) (n int64, err error) {
	err = c.each(sql, func(cur *cursor) error {
		n, err = cur.int(0)
		return err
	})
	return n, err
}

// cursor reads the rows of a query.
type cursor struct {
	rows driver.Rows
	row  []driver.Value
}

// next moves to the next row, and returns false at the end.
func (c *cursor) next() (bool, error) {
	switch err := c.rows.Next(c.row); err {
	case nil:
		return true, nil
	case io.EOF:
		return false, nil
	default:
		return false, err
	}
}

func (c *cursor) close() error { return c.rows.Close() }

// int returns a column that is a number.
func (c *cursor) int(column int) (int64, error) {
	if n, ok := c.row[column].(int64); ok {
		return n, nil
	}
	return 0, damaged("column %s is not a number", c.rows.Columns()[column])
}

// small returns a column that is a number from 0 to most.
func (c *cursor) small(column int, most int64) (int64, error) {
	n, err := c.int(column)
	if err == nil && (n < 0 || n > most) {
		return 0, damaged("column %s is %d", c.rows.Columns()[column], n)
	}
	return n, err
}

// null reports whether a column is null.
func (c *cursor) null(column int) bool { return c.row[column] == nil }

// bytes returns a column that is a blob or null. The bytes belong to the caller.
func (c *cursor) bytes(column int) ([]byte, error) {
	switch v := c.row[column].(type) {
	case []byte:
		return v, nil
	case nil:
		return nil, nil
	}
	return nil, damaged("column %s is not a blob", c.rows.Columns()[column])
}

// record returns a column that is a sealed record, without its checksum.
func (c *cursor) record(column int, t table, key uint64) ([]byte, error) {
	b, err := c.bytes(column)
	if err != nil {
		return nil, err
	}
	return t.content(key, b)
}

// text returns a column that is text.
func (c *cursor) text(column int) (string, error) {
	if s, ok := c.row[column].(string); ok {
		return s, nil
	}
	return "", damaged("column %s is not text", c.rows.Columns()[column])
}

// ErrDamaged is the error for a file that is not a state, or that is damaged.
var ErrDamaged = errors.New("the file is damaged")

func damaged(format string, args ...any) error {
	return fmt.Errorf("%w: %s", ErrDamaged, fmt.Sprintf(format, args...))
}

// errNotWritable is the error for a file that SQLite needs to write.
var errNotWritable = errors.New("the file or its directory cannot be written")

// explain wraps SQLite's errors for damaged files in ErrDamaged, and those for missing
// permissions in errNotWritable. SQLITE_ERROR means that a table or a column is missing, and
// SQLITE_CONSTRAINT that there is a row that should not exist.
func explain(err error) error {
	var e *sqlite.Error
	if !errors.As(err, &e) || errors.Is(err, ErrDamaged) {
		return err
	}
	switch e.Code() & 0xff {
	case sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_ERROR, sqlite3.SQLITE_CONSTRAINT, sqlite3.SQLITE_FORMAT, sqlite3.SQLITE_TOOBIG:
		return fmt.Errorf("%w: %w", ErrDamaged, err)
	case sqlite3.SQLITE_READONLY, sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_PERM:
		return fmt.Errorf("%w: %w", errNotWritable, err)
	}
	return err
}
