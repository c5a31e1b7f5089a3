package diskstore

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"maps"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/orbweaver/orbweaver/crawler/crawlertest"
	"github.com/orbweaver/orbweaver/crawler/internal/frontier"
)

// script is a crawl with the same result in any order of its steps, and however often it is
// resumed. Target n of size links to 2n+1 and 2n+2, and to a leaf with a further need; the
// upper half are leaves. Some targets are deferred at their first visit. Some are entered
// as settled before they are entered for a visit.
type script struct {
	size  int
	steps int // steps before the script stops; -1 for all
	width frontier.Width

	edition string // part of each job
	earlier *Pages // of the crawl before; nil for none
}

func (p *script) item(n int) frontier.Item {
	it := frontier.Item{Fingerprint: printOf(uint64(n)+1, p.width), Host: fmt.Appendf(nil, "host-%d", n%5), Wave: frontier.Leaves,
		Need: frontier.NeedLinked, Job: fmt.Appendf(nil, "job %d%s", n, p.edition)}
	if n < p.size/2 {
		it.Wave, it.Need = frontier.Pages, frontier.NeedLinks|frontier.NeedContent
	}
	return it
}

// run makes steps until the crawl is over or the steps are used up, and reports whether
// the crawl is over. It calls done after each step.
func (p *script) run(s *Store, done func()) (over bool, err error) {
	ctx := context.Background()
	p.width = s.Width()
	if _, err := s.Add(ctx, []frontier.Item{p.item(0)}); err != nil {
		return false, err
	}
	for ; p.steps != 0; p.steps-- {
		leases, next, err := s.Claim(ctx, 1, 0)
		if err == io.EOF {
			return true, nil
		}
		if err != nil {
			return false, err
		}
		if len(leases) == 0 {
			return false, fmt.Errorf("no target can be visited before %v", next)
		}
		if err := p.step(s, leases[0]); err != nil {
			return false, err
		}
		if done != nil {
			done()
		}
	}
	return false, nil
}

func (p *script) step(s *Store, l frontier.Lease) error {
	ctx := context.Background()
	var n int
	if _, err := fmt.Sscanf(string(l.Job), "job %d", &n); err != nil {
		return fmt.Errorf("target %d has the job %q: %w", l.ID, l.Job, err)
	}
	if n%7 == 3 && len(l.Note) == 0 {
		return s.Release(ctx, l, frontier.Deferral{Wave: l.Wave, NotBefore: time.Unix(1, 0), Note: fmt.Appendf(nil, "note %d", n),
			Tally: []frontier.Tally{{Name: "put back", By: 1}}})
	}
	if want := fmt.Sprintf("note %d", n); n%7 == 3 && string(l.Note) != want {
		return fmt.Errorf("target %d has the note %q, want %q", l.ID, l.Note, want)
	}
	if err := s.SetPace(ctx, l.Host, frontier.Pace{Concurrency: 3, NotBefore: time.Unix(int64(n), 0)}); err != nil {
		return err
	}
	done := frontier.Done{Outcome: fmt.Appendf(nil, "outcome %d %d", n, l.Need), Links: []byte(strings.Repeat("link ", n%50))}
	if n < p.size/2 {
		done.Page = fmt.Appendf(nil, "page %d", n)
		done.Tally = []frontier.Tally{{Name: "pages", By: 1}, {Name: "bytes", By: int64(n)}}
		for _, child := range []int{2*n + 1, 2*n + 2, p.size/2 + n/2} {
			if child < p.size {
				it := p.item(child)
				if child == p.size/2+n/2 {
					it.Need |= frontier.NeedContent
				}
				done.Found = append(done.Found, it)
			}
		}
		aside := p.item(p.size + n/2)
		if n%2 == 0 || n%6 == 5 { // entered as settled first, by some never for a visit
			aside.Outcome = []byte("left out")
		}
		done.Found = append(done.Found, aside)
	}
	if p.earlier != nil {
		done.Earlier = p.earlier.Page(p.item(n).Fingerprint)
	}
	_, err := s.Complete(ctx, l, done)
	return err
}

// result describes what a store holds, in a form that does not depend on the order of steps.
func (p *script) result(t testing.TB, s *Store) map[string]string {
	t.Helper()
	end, err := contents(s)
	if err != nil {
		t.Fatal(err)
	}
	return end
}

// contents describes what a store holds.
func contents(s *Store) (map[string]string, error) {
	ctx := context.Background()
	jobs := map[frontier.ID]string{}
	if err := s.Scan(ctx, frontier.PartJob, func(r *frontier.Record) error { jobs[r.ID] = string(r.Job); return nil }); err != nil {
		return nil, err
	}
	end := map[string]string{}
	err := s.Scan(ctx, frontier.AllParts, func(r *frontier.Record) error {
		var found []string
		for _, id := range r.Found {
			found = append(found, jobs[id])
		}
		end[string(r.Job)] = fmt.Sprintf("settled %v need %b outcome %q found %v links %d page %q note %q", r.Settled, r.Need, r.Outcome, found, len(r.Links), r.Page, r.Note)
		return nil
	})
	if err != nil {
		return nil, err
	}
	tallies, err := s.Tallies(ctx)
	if err != nil {
		return nil, err
	}
	end["tallies"] = fmt.Sprint(tallies)
	c, err := s.Count(ctx)
	end["count"] = fmt.Sprintf("%+v", c)
	return end, err
}

func diff(got, want map[string]string) string {
	var b strings.Builder
	for _, k := range slices.Sorted(maps.Keys(want)) {
		if got[k] != want[k] {
			fmt.Fprintf(&b, "%s: %s\n   want %s\n", k, got[k], want[k])
		}
	}
	for _, k := range slices.Sorted(maps.Keys(got)) {
		if _, ok := want[k]; !ok {
			fmt.Fprintf(&b, "%s: %s\n   want none\n", k, got[k])
		}
	}
	return b.String()
}

// checkpointOften makes SQLite copy the write-ahead log back every few pages, so that small
// tests cover that.
func checkpointOften(t testing.TB) {
	before := checkpointPages
	checkpointPages = 12
	t.Cleanup(func() { checkpointPages = before })
}

const scriptSize = 30

// wholeResult returns the result of a script without interruption.
func wholeResult(t testing.TB, size int) map[string]string {
	t.Helper()
	s := create(t)
	defer s.Close()
	p := &script{size: size, steps: -1}
	if over, err := p.run(s, nil); err != nil || !over {
		t.Fatal(over, err)
	}
	return p.result(t, s)
}

// TestResume tests that a crawl that is stopped after any number of steps is resumed.
func TestResume(t *testing.T) {
	want := wholeResult(t, scriptSize)
	useFaulty(t) // does not flush, which is faster
	for stop := range 40 {
		file := filepath.Join(t.TempDir(), "crawl.sqlite")
		s, err := Create(file, widths[stop%len(widths)], nil)
		if err != nil {
			t.Fatal(err)
		}
		p := &script{size: scriptSize, steps: stop}
		for over := false; !over; {
			if over, err = p.run(s, nil); err != nil {
				t.Fatal(err)
			}
			if err := s.Close(); err != nil {
				t.Fatal(err)
			}
			if s, err = Open(file); err != nil {
				t.Fatal(err)
			}
			p.steps = stop + 3
		}
		if diff := diff(p.result(t, s), want); diff != "" {
			t.Errorf("stopped after %d steps, and every %d:\n%s", stop, stop+3, diff)
		}
		s.Close()
	}
}

// TestEveryWriteFails makes each write fail in turn: in one way, or in the long form in all. The
// error must name the operation and the file, and the crawl must have the same result after it
// is resumed.
func TestEveryWriteFails(t *testing.T) {
	const size = 10
	want := wholeResult(t, size)
	checkpointOften(t)
	disk := useFaulty(t)
	ways := []struct {
		name  string
		how   fault
		lasts bool
	}{
		{"full", noSpace, true},
		{"error", ioError, false},
		{"short", short, true},
	}
	apart := crawlertest.Count(len(ways), 1)
	for i, c := range ways {
		t.Run(c.name, func(t *testing.T) {
			failures := 0
			for at := 1 + i; ; at += apart {
				file := filepath.Join(t.TempDir(), "crawl.sqlite")
				disk.fail(at, c.how, c.lasts)
				p := &script{size: size, steps: -1}
				s, err := Create(file, widths[at%len(widths)], nil)
				over := false
				if err == nil {
					over, err = p.run(s, nil)
					err = errors.Join(err, s.Close())
				} else if _, stat := os.Stat(file); stat == nil {
					t.Fatalf("write %d: a state file is left after Create failed", at)
				}
				failed := disk.count >= at
				disk.reset()
				if err != nil {
					failures++
					if text := err.Error(); !strings.Contains(text, file) || !strings.Contains(text, "state") {
						t.Fatalf("write %d: the error does not name the state: %v", at, err)
					}
				} else if !over {
					t.Fatalf("write %d: the crawl is not over, and there is no error", at)
				}
				if s, err = Open(file); errors.Is(err, os.ErrNotExist) {
					s, err = Create(file, widths[at%len(widths)], nil)
				}
				if err != nil {
					t.Fatalf("write %d: %v", at, err)
				}
				if over, err := p.run(s, nil); err != nil || !over {
					t.Fatalf("write %d: over %v, %v", at, over, err)
				}
				if diff := diff(p.result(t, s), want); diff != "" {
					t.Fatalf("write %d:\n%s", at, diff)
				}
				s.Close()
				if !failed {
					break // there were fewer changes
				}
			}
			if failures < 50/apart {
				t.Errorf("only %d writes failed", failures)
			}
		})
	}
}

// TestPowerCut cuts the power at any instant. Changes up to the last flush are on the disk,
// and some of the later ones, in any order and some of them incomplete. The state must
// open without the loss of a step before the last flush, and the crawl must have the same
// result after it is resumed.
func TestPowerCut(t *testing.T) {
	powerCut(t, frontier.Narrow, crawlertest.Count(9, 3), crawlertest.Count(33, 100))
}

// TestWidePowerCut is TestPowerCut with wide fingerprints.
func TestWidePowerCut(t *testing.T) { powerCut(t, frontier.Wide, 15, 20) }

// powerCut cuts the power after at least one in apart changes, and fails if that is less
// often than least.
func powerCut(t *testing.T, w frontier.Width, apart, least int) {
	want := wholeResult(t, scriptSize)
	checkpointOften(t)
	disk := useFaulty(t)
	file := filepath.Join(t.TempDir(), "crawl.sqlite")
	s, err := Create(file, w, nil)
	if err != nil {
		t.Fatal(err)
	}
	begin := map[string][]byte{}
	for _, name := range []string{file, file + "-wal"} {
		if data, err := os.ReadFile(name); err == nil {
			begin[name] = data
		}
	}
	// For each step, the number of changes so far and of settled targets.
	type mark struct {
		change  int
		settled int
	}
	var marks []mark
	disk.reset()
	disk.record = true
	p := &script{size: scriptSize, steps: -1}
	if over, err := p.run(s, func() {
		c, _ := s.Count(context.Background())
		marks = append(marks, mark{len(disk.log), c.Settled})
	}); err != nil || !over {
		t.Fatal(over, err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	changes := disk.log
	disk.reset()

	// safe returns the number of targets that were settled before the last flush.
	safe := func(n int) int {
		last := 0
		for i, c := range changes[:n] {
			if c.kind == flushed && strings.HasSuffix(c.file, "-wal") {
				last = i
			}
		}
		settled := 0
		for _, m := range marks {
			if m.change <= last {
				settled = m.settled
			}
		}
		return settled
	}
	rng := rand.New(rand.NewPCG(5, 6))
	cuts := 0
	for n := 0; n <= len(changes); n += 1 + rng.IntN(apart) {
		cuts++
		writeFiles(t, file, after(changes, n, begin, rng.IntN))
		s, err := Open(file)
		if err != nil {
			t.Fatalf("the power fails after change %d of %d: %v", n, len(changes), err)
		}
		c, err := s.Count(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		if least := safe(n); c.Settled < least {
			t.Errorf("the power fails after change %d: %d targets are settled, want the %d of the last flush", n, c.Settled, least)
		}
		p.steps = -1
		if over, err := p.run(s, nil); err != nil || !over {
			t.Fatalf("the power fails after change %d: over %v, %v", n, over, err)
		}
		if diff := diff(p.result(t, s), want); diff != "" {
			t.Fatalf("the power fails after change %d:\n%s", n, diff)
		}
		s.Close()
	}
	if cuts < least {
		t.Errorf("only %d cuts in %d changes", cuts, len(changes))
	}
}

// createVariable and killVariable are environment variables for createUntilKilled: the file,
// and the change of a file at which the process kills itself.
const (
	createVariable = "ORBWEAVER_TEST_CREATE"
	killVariable   = "ORBWEAVER_TEST_KILL_AT"
)

// createUntilKilled creates a state and makes a few steps.
func createUntilKilled(file string) {
	at, err := strconv.Atoi(os.Getenv(killVariable))
	if err == nil {
		layer.register(log.New(os.Stderr, "", 0))
		vfs, layer.killAt = "faulty", at
		var s *Store
		if s, err = Create(file, frontier.Narrow, map[string][]byte{"command": []byte("what began it")}); err == nil {
			_, err = (&script{size: scriptSize, steps: 3}).run(s, nil)
			err = errors.Join(err, s.Close())
		}
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// killSelf ends the process as kill -9 does.
func killSelf() {
	if p, err := os.FindProcess(os.Getpid()); err == nil {
		p.Kill()
	}
	select {} // until it is killed
}

// TestKilledInCreate kills a process at each third change of a file while it creates a state, or in
// the long form at each. The next process finds no file, or one with all that Create was given.
func TestKilledInCreate(t *testing.T) {
	want := wholeResult(t, scriptSize)
	useFaulty(t) // does not flush, which is faster
	missing, usable, apart := 0, 0, crawlertest.Count(3, 1)
	for at := 1; ; at += apart {
		file := filepath.Join(t.TempDir(), "crawl.sqlite")
		var complaints strings.Builder
		cmd := exec.Command(os.Args[0])
		cmd.Env = append(os.Environ(), createVariable+"="+file, fmt.Sprintf("%s=%d", killVariable, at))
		cmd.Stderr = &complaints
		if err := cmd.Run(); err != nil && cmd.ProcessState.Exited() && os.PathSeparator == '/' {
			t.Fatalf("change %d: %v\n%s", at, err, &complaints)
		} else if err == nil {
			break // there were fewer changes
		}
		s, err := Open(file)
		if errors.Is(err, os.ErrNotExist) {
			missing++
			s, err = Create(file, frontier.Narrow, map[string][]byte{"command": []byte("what began it")})
		} else {
			usable++
		}
		if err != nil {
			t.Fatalf("killed at change %d: %v", at, err)
		}
		if command, err := s.Value("command"); err != nil || string(command) != "what began it" {
			t.Errorf("killed at change %d: the command is %q, %v", at, command, err)
		}
		p := &script{size: scriptSize, steps: -1}
		if over, err := p.run(s, nil); err != nil || !over {
			t.Fatalf("killed at change %d: over %v, %v", at, over, err)
		}
		if diff := diff(p.result(t, s), want); diff != "" {
			t.Errorf("killed at change %d:\n%s", at, diff)
		}
		s.Close()
		if left, _ := filepath.Glob(file + ".new*"); len(left) > 0 {
			t.Errorf("killed at change %d: %q are left", at, left)
		}
	}
	if missing < 10/apart || usable < 10/apart {
		t.Errorf("%d times there was no file, and %d times a usable one", missing, usable)
	}
}
