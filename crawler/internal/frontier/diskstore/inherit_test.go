package diskstore

import (
	"context"
	"errors"
	"io"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"github.com/orbweaver/orbweaver/crawler/crawlertest"
	"github.com/orbweaver/orbweaver/crawler/internal/frontier"
)

// generations runs crawls one after the other, each of which begins as a copy of the one before if
// that is possible.
type generations struct {
	testing.TB
	dir    string
	width  frontier.Width
	copies int
}

func (g *generations) file(name string) string { return filepath.Join(g.dir, name) }

func (g *generations) must(err error) {
	if g.Helper(); err != nil {
		g.Fatal(err)
	}
}

// create makes the file of the next crawl.
func (g *generations) create() *Store {
	g.Helper()
	if exists(g.file("crawl")) {
		g.must(Move(g.file("crawl"), g.file("previous")))
	}
	var key [16]byte
	values := map[string][]byte{"name": []byte("value")}
	s, err := CreateFrom(g.file("previous"), g.file("crawl"), g.width, key, values)
	switch {
	case err == nil:
		g.copies++
	case errors.Is(err, ErrUnfit), errors.Is(err, os.ErrNotExist):
		s, err = CreateWithKey(g.file("crawl"), g.width, key, values)
	}
	g.must(err)
	return s
}

// run runs a crawl that is stopped after some steps and resumed, until it is over, and returns its
// result as another process reads it.
func (g *generations) run(p *script, steps int) map[string]string {
	g.Helper()
	s := g.create()
	if before, err := OpenPages(g.file("previous")); err == nil {
		defer before.Close()
		p.earlier = before
	}
	for over := false; !over; {
		p.steps = steps
		var err error
		over, err = p.run(s, nil)
		g.must(err)
		g.must(s.Close())
		s, err = Open(g.file("crawl"))
		g.must(err)
	}
	value, err := s.Value("name")
	if g.must(err); string(value) != "value" {
		g.Errorf("the value is %q", value)
	}
	g.checkView(s)
	g.must(s.SetValue("other", []byte("of this crawl alone")))
	g.must(s.Close())
	read, err := OpenReadOnly(g.file("crawl"))
	g.must(err)
	defer read.Close()
	return p.result(g, read)
}

// checkView compares the view urls with what the store says.
func (g *generations) checkView(s *Store) {
	g.Helper()
	want := map[frontier.ID]bool{}
	g.must(s.Scan(context.Background(), frontier.PartOutcome, func(r *frontier.Record) error {
		want[r.ID] = r.Settled
		return nil
	}))
	got := map[frontier.ID]bool{}
	g.must(s.reader.conn.each("SELECT id, settled FROM urls", func(cur *cursor) error {
		id, err := cur.small(0, 1<<32-1)
		settled, err1 := cur.int(1)
		got[frontier.ID(id)] = settled == 1
		return errors.Join(err, err1)
	}))
	if !maps.Equal(got, want) {
		g.Errorf("the view has %v, want %v", got, want)
	}
}

// Crawls of other sizes and with other jobs, each of which begins as a copy of the one before, hold
// what one holds that does not, wherever they are stopped. No more than a third of a copy is dead.
func TestCreateFrom(t *testing.T) {
	useFaulty(t) // does not flush, which is faster
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	random := rand.New(rand.NewPCG(seed, 0))
	for _, width := range widths {
		g := &generations{TB: t, dir: t.TempDir(), width: width}
		crawls := crawlertest.Count(20, 60)
		for n := range crawls {
			p := script{size: []int{scriptSize, 24, 34}[random.IntN(3)], edition: []string{"", "", " b"}[random.IntN(3)]}
			if random.IntN(9) == 0 || n/3 == 3 { // after two of these, hardly anything is worth a copy
				p.size = 4
			}
			steps := []int{-1, 1 + random.IntN(40)}[random.IntN(2)]
			want := script{size: p.size, edition: p.edition, steps: -1}
			fresh := createOf(t, width)
			if over, err := want.run(fresh, nil); err != nil || !over {
				t.Fatal(over, err)
			}
			if diff := diff(g.run(&p, steps), want.result(t, fresh)); diff != "" {
				t.Fatalf("crawl %d of width %d, of size %d, in steps of %d:\n%s", n, width, p.size, steps, diff)
			}
			g.must(fresh.Close())
		}
		if g.copies < crawls/6 || g.copies == crawls-1 {
			t.Errorf("%d of %d crawls began as a copy", g.copies, crawls-1)
		}
	}
}

// A crawl that finds all as it was writes none of the rows again.
func TestCopyWritesOnlyChanges(t *testing.T) {
	g := &generations{TB: t, dir: t.TempDir(), width: frontier.Narrow}
	first := g.run(&script{size: scriptSize}, -1)
	again := &script{size: scriptSize}
	s := g.create()
	before, err := OpenPages(g.file("previous"))
	g.must(err)
	defer before.Close()
	again.earlier, again.steps = before, -1
	events := 0
	over, err := again.run(s, func() {
		s.Mu.Lock()
		defer s.Mu.Unlock()
		for _, b := range []*batch{s.journal.pending, s.journal.unused} {
			for i := range b.events {
				e := &b.events[i]
				_, _, wave, _ := s.Ledger.Status(e.id)
				visitedTwice := wave != frontier.Pages // some leaves are
				if e.record != nothing && (e.table == pagesTable && !visitedTwice || e.table == targetsTable) {
					events++
				}
			}
		}
	})
	if g.must(err); !over {
		t.Fatal("it is not over")
	}
	if diff := diff(again.result(t, s), first); diff != "" {
		t.Error(diff)
	}
	for id := frontier.ID(1); int(id) <= s.Ledger.Known(); id++ {
		r, err := s.Get(context.Background(), id, frontier.AllParts)
		if g.must(err); len(r.Job) == 0 {
			t.Errorf("target %d has no job", id)
		}
	}
	g.must(s.Close())
	if events > 0 {
		t.Errorf("%d rows of pages or targets were written again", events)
	}
}

// A damaged row of a page that the crawl before has left is replaced, and no result changes.
func TestCopyOfDamagedPage(t *testing.T) {
	g := &generations{TB: t, dir: t.TempDir(), width: frontier.Narrow}
	want := g.run(&script{size: scriptSize}, -1)
	c, err := connect(g.file("crawl"))
	g.must(err)
	g.must(c.exec("UPDATE pages SET record = CAST('damaged' AS BLOB) WHERE id = 3; UPDATE pages SET links = CAST('other' AS BLOB) WHERE id = 2"))
	g.must(c.close())
	if diff := diff(g.run(&script{size: scriptSize}, 7), want); diff != "" || g.copies != 1 {
		t.Errorf("%d copies\n%s", g.copies, diff)
	}
}

// A crawl that takes over all that it has not visited itself holds what the crawl before held.
func TestTakeRest(t *testing.T) {
	useFaulty(t) // does not flush, which is faster
	for _, width := range widths {
		for _, visited := range []int{0, 1, 5} {
			g := &generations{TB: t, dir: t.TempDir(), width: width}
			g.run(&script{size: scriptSize}, -1)
			p := &script{size: 24, width: width} // leaves some targets dormant
			want := g.run(p, -1)
			p.earlier = nil // it is closed
			s := g.create()
			before, err := OpenPages(g.file("previous"))
			g.must(err)
			if !s.IsCopyOf(before) {
				t.Fatalf("width %d: the crawl did not begin as a copy", width)
			}
			g.must(before.Close())
			g.visit(s, p, visited)
			g.must(s.TakeRest(nil))
			g.must(s.Close())
			s, err = Open(g.file("crawl"))
			g.must(err)
			g.checkView(s)
			got := p.result(t, s)
			g.must(s.Close())
			delete(got, "tallies") // the caller has them
			delete(want, "tallies")
			if diff := diff(got, want); diff != "" {
				t.Errorf("width %d, %d targets visited:\n%s", width, visited, diff)
			}
		}
	}
}

// visit visits the first leaves of a script, with the needs that they had in the crawl before.
func (g *generations) visit(s *Store, p *script, visited int) {
	g.Helper()
	before, err := OpenReadOnly(g.file("previous"))
	g.must(err)
	defer before.Close()
	var items []frontier.Item
	for n := p.size / 2; len(items) < visited; n++ {
		it := p.item(n)
		_, _, it.Wave, it.Need = before.Ledger.Status(before.Ledger.Find(it.Fingerprint))
		items = append(items, it)
	}
	_, err = s.Add(context.Background(), items)
	g.must(err)
	for {
		leases, _, err := s.Claim(context.Background(), 1, 0)
		if err == io.EOF {
			return
		}
		g.must(err)
		g.must(p.step(s, leases[0]))
	}
}
