package runs

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/orbweaver/orbweaver/cmd/orbweaver/internal/serve/api"
	"github.com/orbweaver/orbweaver/cmd/orbweaver/internal/serve/store"
)

// waiting is an Engine whose crawls wait until somebody ends them.
type waiting struct{ Engine }

func (waiting) Crawl(ctx context.Context, r *Request) (*Result, error) {
	select {
	case <-ctx.Done():
		return nil, ctx.Err()
	case <-r.Stop:
		return &Result{Summary: []byte("{}")}, nil
	}
}

// TestHeldEnd makes a data directory that cannot be written while a run is executed.
func TestHeldEnd(t *testing.T) {
	dir := t.TempDir()
	db, err := store.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	db.DB().SetMaxOpenConns(1) // so that a pragma holds for all
	synctest.Test(t, func(t *testing.T) {
		ctx := t.Context()
		if err := db.PutProject(ctx, &store.Project{ID: "p", Name: "p"}); err != nil {
			t.Fatal(err)
		}
		var ended []*store.Run
		m := New(Config{Dir: dir, Store: db, Engine: waiting{}, MaxRuns: 1, Job: func(context.Context, *store.Run) (*Job, error) { return &Job{}, nil },
			Ended: func(_ context.Context, r *store.Run) { ended = append(ended, r) }, Log: t.Logf})
		if err := m.Start(ctx); err != nil {
			t.Fatal(err)
		}
		add := func(id string) {
			t.Helper()
			r := &store.Run{Job: []byte("{}")}
			r.ID, r.Project = id, "p"
			if err := m.Add(ctx, r); err != nil {
				t.Fatal(err)
			}
			synctest.Wait()
		}
		state := func(id string, want api.State) *store.Run {
			t.Helper()
			r, err := db.Run(ctx, id)
			if err != nil || r.State != want {
				t.Fatalf("run %s is %v, %v; want %s", id, r, err, want)
			}
			return r
		}
		add("r")
		state("r", api.Running)
		probe := filepath.Join(dir, "probe")
		if err := os.MkdirAll(filepath.Join(probe, "x"), 0o700); err != nil { // a file of that name cannot be written
			t.Fatal(err)
		}
		if _, err := db.DB().Exec("PRAGMA query_only = 1"); err != nil {
			t.Fatal(err)
		}
		time.Sleep(2 * lookEvery)
		r := state("r", api.Failed)
		if !strings.Contains(r.Error, dir) || !r.Unsound() || r.Finished == nil || len(ended) > 0 {
			t.Errorf("the run is %+v, and %d runs have ended", r.Run, len(ended))
		}
		if counts, err := db.CountRuns(ctx); err != nil || counts[api.Failed] != 1 || counts[api.Running] != 0 {
			t.Errorf("counted: %v, %v", counts, err)
		}
		if _, err := m.Stop(ctx, "r", "joe"); err == nil {
			t.Error("a run that has failed was stopped")
		}
		if _, err := db.DB().Exec("PRAGMA query_only = 0"); err != nil {
			t.Fatal(err)
		}
		if err := os.RemoveAll(probe); err != nil {
			t.Fatal(err)
		}
		add("s")
		state("s", api.Running)
		if state("r", api.Failed); len(ended) != 1 || ended[0].ID != "r" {
			t.Errorf("%d runs have ended", len(ended))
		}
		if err := m.Shutdown(ctx); err != nil {
			t.Error(err)
		}
		state("s", api.Interrupted)
	})
}
