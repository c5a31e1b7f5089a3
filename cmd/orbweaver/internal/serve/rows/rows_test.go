package rows_test

import (
	"context"
	"database/sql"
	"errors"
	"maps"
	"slices"
	"strings"
	"testing"

	_ "modernc.org/sqlite" // the driver "sqlite"

	"github.com/orbweaver/orbweaver/cmd/orbweaver/internal/serve/rows"
)

func TestRows(t *testing.T) {
	db, err := sql.Open("sqlite", ":memory:")
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	ctx := context.Background()
	const pairs = "SELECT column1, column2 FROM (VALUES ('a', 1), ('b', 2)) WHERE column2 > ?"

	if got, err := rows.Column[string](ctx, db, "SELECT column1 FROM ("+pairs+")", 0); err != nil || !slices.Equal(got, []string{"a", "b"}) {
		t.Errorf("column: got %v, %v, want [a b]", got, err)
	}
	if got, err := rows.Column[string](ctx, db, "SELECT column1 FROM ("+pairs+")", 9); err != nil || got == nil || len(got) > 0 {
		t.Errorf("column without rows: got %#v, %v, want an empty list that is not nil", got, err)
	}
	if got, err := rows.Map[string, int](ctx, db, pairs, 1); err != nil || !maps.Equal(got, map[string]int{"b": 2}) {
		t.Errorf("map: got %v, %v, want map[b:2]", got, err)
	}
	if got, err := rows.Column[int](ctx, db, "SELECT column1 FROM ("+pairs+")", 0); err == nil || got != nil {
		t.Errorf("a text read as a number: got %v and no error", got)
	}
	if _, err := rows.Column[int](ctx, db, "SELECT"); err == nil {
		t.Error("a query that is not SQL has no error")
	}
}

// A failed call ends the query, whose error it is, and gives the connection back.
func TestEachFails(t *testing.T) {
	db, err := sql.Open("sqlite", ":memory:")
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	db.SetMaxOpenConns(1)
	var seen []string
	stop := errors.New("stop")
	err = rows.Each(context.Background(), db, func(row rows.Row) error {
		var value string
		err := row.Scan(&value)
		if seen = append(seen, value); value == "b" {
			return stop
		}
		return err
	}, "SELECT column1 FROM (VALUES ('a'), ('b'), ('c'))")
	if !errors.Is(err, stop) || strings.Join(seen, "") != "ab" {
		t.Errorf("got %v after %v, want %v after [a b]", err, seen, stop)
	}
	if inUse := db.Stats().InUse; inUse != 0 {
		t.Errorf("%d connections are in use, want none", inUse)
	}
}
