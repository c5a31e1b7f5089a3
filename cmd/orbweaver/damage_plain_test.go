//go:build !race

package main

import (
	"bytes"
	"context"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/orbweaver/orbweaver/crawler/crawlertest"
)

// TestDamagedState flips single bits of the files in state directories. A command then gives
// the report of the undamaged directory, or says that the file is damaged, with its name and
// what to do.
func TestDamagedState(t *testing.T) {
	pages := crawlertest.Generate(11, 40, 4)
	var left atomic.Int64 // requests until the command is interrupted
	interrupted := make(chan struct{})
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if left.Add(-1) == 0 {
			close(interrupted)
			<-r.Context().Done()
		}
		pages.ServeHTTP(w, r)
	}))
	t.Cleanup(server.Close)
	run := func(args ...string) (code int, stdout, stderr string) {
		t.Helper()
		var out, errs bytes.Buffer
		root := newRoot()
		root.SetOut(&out)
		root.SetErr(&errs)
		root.SetIn(strings.NewReader(""))
		root.SetArgs(args)
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		if left.Load() > 0 {
			go func() {
				<-interrupted
				cancel()
			}()
		}
		code = exitCode(root.ExecuteContext(ctx), &errs)
		return code, out.String(), errs.String()
	}
	check := func(dir string) []string {
		return []string{"check", server.URL + "/", "--no-config", "--concurrency", "1", "--show", "all", "-f", "json", "--state", dir}
	}
	finished, unfinished := filepath.Join(t.TempDir(), "finished"), filepath.Join(t.TempDir(), "unfinished")
	_, want, _ := run(check(finished)...)
	left.Store(20)
	if code, _, stderr := run(check(unfinished)...); !strings.Contains(stderr, "the crawl so far is kept") {
		t.Fatal(code, stderr)
	}
	next := filepath.Join(t.TempDir(), "next")
	copyState(t, finished, next)
	_, second, _ := run(check(next)...)

	report := func(dir string) []string { return []string{"report", dir, "--show", "all", "-f", "json"} }
	resume := func(dir string) []string { return []string{"resume", "--state", dir} }
	history := func(dir string) []string { return []string{"history", "--state", dir, "-f", "json"} }
	_, reported, _ := run(report(finished)...)
	_, listed, _ := run(history(finished)...)
	rng := rand.New(rand.NewPCG(5, 1))
	for _, c := range []struct {
		from, file string
		args       func(dir string) []string
		want       string
	}{
		{finished, stateFile, report, reported},
		{unfinished, stateFile, resume, want},
		{finished, cacheFile, history, listed},
		{finished, cacheFile, check, second},
		{unfinished, cacheFile, resume, want},
	} {
		intact := filepath.Join(c.from, c.file)
		good, err := os.ReadFile(intact)
		if err != nil {
			t.Fatal(err)
		}
		for range crawlertest.Count(5, 1000) {
			bit := rng.IntN(8 * len(good))
			dir := filepath.Join(t.TempDir(), "state")
			copyState(t, c.from, dir)
			flipped := slices.Clone(good)
			flipped[bit/8] ^= 1 << (bit % 8)
			if err := os.WriteFile(filepath.Join(dir, c.file), flipped, 0o600); err != nil {
				t.Fatal(err)
			}
			code, stdout, stderr := run(c.args(dir)...)
			told := strings.Contains(stderr, "damaged") && strings.Contains(stderr, c.file)
			advised := strings.Contains(stderr, "delete") || strings.Contains(stderr, "renamed") || strings.Contains(stderr, "renames") || strings.Contains(stderr, "set aside")
			switch {
			case (code == exitUsage || code == 3) && told && advised:
			case code > 1 || told && !advised:
				t.Errorf("%v after bit %d of %s: status %d\n%s", c.args(c.from), bit, c.file, code, stderr)
			case told && c.file == cacheFile && sameFindings(t, stdout, want): // without the cache
			case !sameFindings(t, stdout, c.want):
				t.Errorf("%v after bit %d of %s: another report, and status %d\n%s", c.args(c.from), bit, c.file, code, stderr)
			}
		}
	}
}
