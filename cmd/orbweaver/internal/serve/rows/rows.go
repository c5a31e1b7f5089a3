// Package rows opens SQLite files, and reads the rows of queries into values.
package rows

import (
	"context"
	"database/sql"
	"net/url"
	"path/filepath"
	"strings"

	_ "modernc.org/sqlite" // the driver "sqlite"
)

// Open opens an SQLite file with parameters of its URI, for at most some connections; 0 is no limit.
func Open(file string, connections int, parameters ...string) (*sql.DB, error) {
	abs, err := filepath.Abs(file)
	if err != nil {
		return nil, err
	}
	slashed := "/" + strings.TrimPrefix(filepath.ToSlash(abs), "/") // it may begin with a drive letter
	u := url.URL{Scheme: "file", Path: slashed, RawQuery: strings.Join(parameters, "&")}
	db, err := sql.Open("sqlite", u.String())
	if err == nil {
		db.SetMaxOpenConns(connections)
	}
	return db, err
}

// Row is one row: an *sql.Row or the current one of *sql.Rows.
type Row interface{ Scan(...any) error }

// DB answers queries: a database, a connection or a transaction.
type DB interface {
	QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error)
}

// Each calls fn for each row of a query until it fails.
func Each(ctx context.Context, db DB, fn func(Row) error, query string, args ...any) error {
	all, err := db.QueryContext(ctx, query, args...)
	if err != nil {
		return err
	}
	defer all.Close()
	for all.Next() {
		if err := fn(all); err != nil {
			return err
		}
	}
	return all.Err()
}

// All returns what scan makes of each row of a query. Without rows, the list is empty and not nil.
func All[T any](ctx context.Context, db DB, scan func(Row) (T, error), query string, args ...any) ([]T, error) {
	list := []T{}
	err := Each(ctx, db, func(row Row) error {
		one, err := scan(row)
		list = append(list, one)
		return err
	}, query, args...)
	if err != nil {
		return nil, err
	}
	return list, nil
}

// Column returns the values of a query with one column.
func Column[T any](ctx context.Context, db DB, query string, args ...any) ([]T, error) {
	return All(ctx, db, func(row Row) (value T, err error) {
		err = row.Scan(&value)
		return value, err
	}, query, args...)
}

// Map returns the rows of a query with two columns, of which the first is the key.
func Map[K comparable, V any](ctx context.Context, db DB, query string, args ...any) (map[K]V, error) {
	values := map[K]V{}
	err := Each(ctx, db, func(row Row) error {
		var key K
		var value V
		err := row.Scan(&key, &value)
		values[key] = value
		return err
	}, query, args...)
	if err != nil {
		return nil, err
	}
	return values, nil
}
