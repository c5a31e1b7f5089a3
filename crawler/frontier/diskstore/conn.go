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

// conn is one connection to a database file. It does without database/sql: there is
// nothing to pool, and no goroutine is to be left.
type conn struct {
	c     driver.Conn
	stmts map[string]driver.Stmt
	args  []driver.NamedValue
}

// vfs names the layer under SQLite that files are read and written through; the
// empty string is the system's. Tests put their own in its place.
var vfs string

// dial opens a connection to a file that exists.
func dial(file string) (*conn, error) {
	abs, err := filepath.Abs(file)
	if err != nil {
		return nil, err
	}
	c, err := (&sqlite.Driver{}).Open(dataSource(filepath.ToSlash(abs)))
	if err != nil {
		return nil, err
	}
	return &conn{c: c, stmts: map[string]driver.Stmt{}}, nil
}

// dataSource is SQLite's name for a file, by its absolute path with slashes.
func dataSource(slashed string) string {
	if slashed[0] != '/' {
		slashed = "/" + slashed // a drive letter
	}
	query := url.Values{"mode": {"rw"}, "_error_rc": {"1"}}
	if vfs != "" {
		query.Set("vfs", vfs)
	}
	// The host is empty, but its slashes are there: else that of //host/share would be
	// taken for it.
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

// bind adds an argument of the next statement: an int64, a string, a []byte or nil.
func (c *conn) bind(v driver.Value) {
	c.args = append(c.args, driver.NamedValue{Ordinal: len(c.args) + 1, Value: v})
}

// run runs a statement with the arguments that were bound.
func (c *conn) run(sql string) error {
	s, err := c.prepared(sql)
	if err == nil {
		_, err = s.(driver.StmtExecContext).ExecContext(context.Background(), c.args)
	}
	c.args = c.args[:0]
	return err
}

// query starts to read rows, with the arguments that were bound.
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

// number reads the one number that a query gives.
func (c *conn) number(sql string) (n int64, err error) {
	err = c.each(sql, func(cur *cursor) error {
		n, err = cur.int(0)
		return err
	})
	return n, err
}

// cursor reads the rows of a query one after the other.
type cursor struct {
	rows driver.Rows
	row  []driver.Value
}

// next goes to the next row; false at the end.
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

// int reads a column that holds a number.
func (c *cursor) int(column int) (int64, error) {
	if n, ok := c.row[column].(int64); ok {
		return n, nil
	}
	return 0, damaged("column %s holds no number", c.rows.Columns()[column])
}

// small reads a column that holds a number of a few bits.
func (c *cursor) small(column int, most int64) (int64, error) {
	n, err := c.int(column)
	if err == nil && (n < 0 || n > most) {
		return 0, damaged("column %s holds %d", c.rows.Columns()[column], n)
	}
	return n, err
}

// null reports whether a column holds nothing.
func (c *cursor) null(column int) bool { return c.row[column] == nil }

// bytes reads a column that holds bytes, or nothing. They are the caller's.
func (c *cursor) bytes(column int) ([]byte, error) {
	switch v := c.row[column].(type) {
	case []byte:
		return v, nil
	case nil:
		return nil, nil
	}
	return nil, damaged("column %s holds no bytes", c.rows.Columns()[column])
}

// text reads a column that holds text.
func (c *cursor) text(column int) (string, error) {
	if s, ok := c.row[column].(string); ok {
		return s, nil
	}
	return "", damaged("column %s holds no text", c.rows.Columns()[column])
}

// ErrDamaged is what a file that is no state, or no longer a whole one, is refused with.
var ErrDamaged = errors.New("the file is damaged")

func damaged(format string, args ...any) error {
	return fmt.Errorf("%w: %s", ErrDamaged, fmt.Sprintf(format, args...))
}

// explain puts ErrDamaged on SQLite's own findings of damage.
func explain(err error) error {
	var e *sqlite.Error
	if errors.As(err, &e) {
		switch e.Code() & 0xff {
		case sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB:
			return fmt.Errorf("%w: %w", ErrDamaged, err)
		}
	}
	return err
}
