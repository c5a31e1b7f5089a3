package diskstore

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/orbweaver/orbweaver/crawler/frontier"
)

// play is a crawl that comes to the same end in whatever order it is made, and
// however often it is begun anew. Target n of size leads to 2n+1 and 2n+2 and to one
// behind itself of which it wants more; the upper half are leaves. Some are put back
// at their first visit, some are entered as settled before anybody wants a visit.
type play struct {
	size  int
	steps int // to make before it stops; -1 for all
	width frontier.Width
}

func (p *play) item(n int) frontier.Item {
	it := frontier.Item{Fingerprint: printOf(uint64(n)+1, p.width), Host: fmt.Appendf(nil, "host-%d", n%5), Wave: frontier.Leaves,
		Need: frontier.NeedLinked, Job: fmt.Appendf(nil, "job %d", n)}
	if n < p.size/2 {
		it.Wave, it.Need = frontier.Pages, frontier.NeedLinks|frontier.NeedContent
	}
	return it
}

// perform makes steps until the play is over, and reports whether it is. acknowledged
// is called behind each that the store has taken.
func (p *play) perform(s *Store, acknowledged func()) (over bool, err error) {
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
			time.Sleep(time.Until(next))
			continue
		}
		if err := p.step(s, leases[0]); err != nil {
			return false, err
		}
		if acknowledged != nil {
			acknowledged()
		}
	}
	return false, nil
}

func (p *play) step(s *Store, l frontier.Lease) error {
	ctx := context.Background()
	var n int
	if _, err := fmt.Sscanf(string(l.Job), "job %d", &n); err != nil {
		return fmt.Errorf("target %d has the job %q: %w", l.ID, l.Job, err)
	}
	if n%7 == 3 && len(l.Note) == 0 {
		return s.Release(ctx, l, frontier.Deferral{Wave: l.Wave, NotBefore: time.Now(), Note: fmt.Appendf(nil, "note %d", n),
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
		if n%2 == 0 || n%6 == 5 { // the first is not to visit it; some of the second are
			aside.Outcome = []byte("left out")
		}
		done.Found = append(done.Found, aside)
	}
	_, err := s.Complete(ctx, l, done)
	return err
}

// end is what a store knows in the end, whatever the order in which it came to be.
func (p *play) end(t testing.TB, s *Store) map[string]string {
	t.Helper()
	ctx := context.Background()
	jobs := map[frontier.ID]string{}
	if err := s.Scan(ctx, frontier.PartJob, func(r *frontier.Record) error { jobs[r.ID] = string(r.Job); return nil }); err != nil {
		t.Fatal(err)
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
		t.Fatal(err)
	}
	tallies, err := s.Tallies(ctx)
	if err != nil {
		t.Fatal(err)
	}
	end["tallies"] = fmt.Sprint(tallies)
	c, err := s.Count(ctx)
	if err != nil {
		t.Fatal(err)
	}
	end["count"] = fmt.Sprintf("%+v", c)
	return end
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

// checkpointOften lets the write-ahead log be copied back every few pages, so that
// small tests meet that too.
func checkpointOften(t testing.TB) {
	before := checkpointPages
	checkpointPages = 12
	t.Cleanup(func() { checkpointPages = before })
}

const playSize = 30

// whole performs a play without disturbance.
func whole(t testing.TB, size int) map[string]string {
	t.Helper()
	s := create(t)
	defer s.Close()
	p := &play{size: size, steps: -1}
	if over, err := p.perform(s, nil); err != nil || !over {
		t.Fatal(over, err)
	}
	return p.end(t, s)
}

// A crawl that is stopped after any number of steps goes on from there.
func TestGoesOn(t *testing.T) {
	want := whole(t, playSize)
	useFaulty(t) // it flushes nothing
	for stop := range 40 {
		file := filepath.Join(t.TempDir(), "crawl.sqlite")
		s, err := Create(file, widths[stop%len(widths)])
		if err != nil {
			t.Fatal(err)
		}
		p := &play{size: playSize, steps: stop}
		for over := false; !over; {
			if over, err = p.perform(s, nil); err != nil {
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
		if diff := diff(p.end(t, s), want); diff != "" {
			t.Errorf("stopped after %d steps, and every %d:\n%s", stop, stop+3, diff)
		}
		s.Close()
	}
}

// Every write fails in turn: the error names what was done and the file, and once
// there is room again the crawl goes on and comes to the same end.
func TestEveryWriteFails(t *testing.T) {
	const size = 10
	want := whole(t, size)
	checkpointOften(t)
	disk := useFaulty(t)
	for name, c := range map[string]struct {
		how   fault
		lasts bool
	}{
		"full":  {noSpace, true},
		"error": {ioError, false},
		"short": {short, true},
	} {
		t.Run(name, func(t *testing.T) {
			failures := 0
			for at := 1; ; at++ {
				file := filepath.Join(t.TempDir(), "crawl.sqlite")
				disk.fail(at, c.how, c.lasts)
				p := &play{size: size, steps: -1}
				s, err := Create(file, widths[at%len(widths)])
				over := false
				if err == nil {
					over, err = p.perform(s, nil)
					err = errors.Join(err, s.Close())
				} else if _, stat := os.Stat(file); stat == nil {
					t.Fatalf("write %d: a state that could not be made is left behind", at)
				}
				met := disk.count >= at
				disk.heal()
				if err != nil {
					failures++
					if text := err.Error(); !strings.Contains(text, file) || !strings.Contains(text, "state") {
						t.Fatalf("write %d: the error does not say what failed: %v", at, err)
					}
				} else if !over {
					t.Fatalf("write %d: not over, and no error", at)
				}
				if s, err = Open(file); errors.Is(err, os.ErrNotExist) {
					s, err = Create(file, widths[at%len(widths)])
				}
				if err != nil {
					t.Fatalf("write %d: %v", at, err)
				}
				if over, err := p.perform(s, nil); err != nil || !over {
					t.Fatalf("write %d: over %v, %v", at, over, err)
				}
				if diff := diff(p.end(t, s), want); diff != "" {
					t.Fatalf("write %d:\n%s", at, diff)
				}
				s.Close()
				if !met {
					break // there were not so many
				}
			}
			if failures < 50 {
				t.Errorf("only %d writes failed", failures)
			}
		})
	}
}

// The power fails at any instant: what was flushed is there, of the rest some of the
// writes in any order, some of them torn. The state opens, has lost whole steps at
// most, none of those before the last flush, and the crawl goes on to the same end.
func TestPowerCut(t *testing.T)     { powerCut(t, frontier.Narrow, 3, 100) }
func TestWidePowerCut(t *testing.T) { powerCut(t, frontier.Wide, 15, 20) }

// powerCut cuts the power behind one in so many changes at most, so often at least.
func powerCut(t *testing.T, w frontier.Width, apart, least int) {
	want := whole(t, playSize)
	checkpointOften(t)
	disk := useFaulty(t)
	file := filepath.Join(t.TempDir(), "crawl.sqlite")
	s, err := Create(file, w)
	if err != nil {
		t.Fatal(err)
	}
	begin := map[string][]byte{}
	for _, name := range []string{file, file + "-wal"} {
		if data, err := os.ReadFile(name); err == nil {
			begin[name] = data
		}
	}
	// What the store holds behind each step, and when the step was taken.
	type mark struct {
		change  int
		settled int
	}
	var marks []mark
	disk.heal()
	disk.record = true
	p := &play{size: playSize, steps: -1}
	if over, err := p.perform(s, func() {
		c, _ := s.Count(context.Background())
		marks = append(marks, mark{len(disk.log), c.Settled})
	}); err != nil || !over {
		t.Fatal(over, err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	changes := disk.log
	disk.heal()

	// A step that was taken before the log was last flushed is safe.
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
			t.Fatalf("the power fails behind change %d of %d: %v", n, len(changes), err)
		}
		c, err := s.Count(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		if least := safe(n); c.Settled < least {
			t.Errorf("the power fails behind change %d: %d targets are settled, and %d were before the last flush", n, c.Settled, least)
		}
		p.steps = -1
		if over, err := p.perform(s, nil); err != nil || !over {
			t.Fatalf("the power fails behind change %d: over %v, %v", n, over, err)
		}
		if diff := diff(p.end(t, s), want); diff != "" {
			t.Fatalf("the power fails behind change %d:\n%s", n, diff)
		}
		s.Close()
	}
	if cuts < least {
		t.Errorf("only %d cuts in %d changes", cuts, len(changes))
	}
}
