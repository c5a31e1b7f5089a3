package audit

import (
	"context"
	"database/sql"
	"encoding/csv"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	_ "modernc.org/sqlite"
)

func newLog(t *testing.T) *Log {
	db, err := sql.Open("sqlite", filepath.Join(t.TempDir(), "a.db"))
	if err == nil {
		_, err = db.Exec(Schema)
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	return &Log{DB: db, Failed: func(err error) { t.Error(err) }}
}

// Entries are kept for 400 days.
func TestKeep(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := newLog(t)
		for range 3 {
			l.Note(context.Background(), "run.start", "p", "r", nil)
			time.Sleep(399 * 24 * time.Hour)
		}
		if n, err := l.Count(context.Background(), &Query{}); n != 2 || err != nil {
			t.Errorf("%d entries, %v, want those of the last 400 days", n, err)
		}
	})
}

func TestCSV(t *testing.T) {
	l := newLog(t)
	ctx := With(t.Context(), Actor{"=cmd|' /C calc'!A0", "password", "192.0.2.1"})
	l.Note(ctx, "project.add", "p1", "@SUM(1)", Changes{"name": {nil, "a, \"b\""}})
	l.Note(With(ctx, Actor{Who: "\t=1\u202e\u200b"}), "sign-in-failed", "", "\u202e=x", nil)
	l.Note(With(ctx, Command), "user.remove", "", "-1"+strings.Repeat("ü", 1000), nil)
	var b strings.Builder
	if err := l.WriteCSV(ctx, &b, &Query{}); err != nil || !strings.Contains(b.String(), "\r\n") {
		t.Fatal(err)
	}
	rows, err := csv.NewReader(strings.NewReader(b.String())).ReadAll()
	if err != nil || len(rows) != 4 {
		t.Fatalf("%v %v", rows, err)
	}
	if got := fmt.Sprint(rows[3][2:]); got != `['=cmd|' /C calc'!A0 password 192.0.2.1 project.add p1 '@SUM(1) {"name":[null,"a, \"b\""]}]` {
		t.Errorf("a row is %s", got)
	}
	if got := rows[2]; got[2] != "'\t=1\\u{202e}\\u{200b}" || got[7] != "\\u{202e}=x" {
		t.Errorf("a row is %q", got)
	}
	if got := rows[1]; got[2] != "command" || !strings.HasPrefix(got[7], "'-1ü") || len(got[7]) > maxSubject+1 {
		t.Errorf("a row is %q", got)
	}
}

func TestDiff(t *testing.T) {
	type object struct {
		A int      `json:"a"`
		B []string `json:"b"`
		C string   `json:"c"`
	}
	changes, err := Diff(&object{1, nil, "x"}, &object{2, []string{"y"}, "z"}, "a", "b")
	if err != nil || fmt.Sprintf("%s", changes) != `map[a:[1 2] b:[null ["y"]]]` {
		t.Errorf("%s %v", changes, err)
	}
	if changes, err = Diff(nil, &object{A: 1}, "a", "d"); err != nil || len(changes) != 1 {
		t.Errorf("%s %v", changes, err)
	}
}
