package trap

import (
	"strings"
	"testing"
)

// walkGrowth reads a site breadth first, as the engine does, until it is cut or has been
// read, but at most giveUp pages. links returns the pages that a page links to.
func walkGrowth(giveUp int, links func(page uint64) []uint64) (read, found int, cut bool) {
	var g Growth
	ids := map[uint64]uint32{0: 1}
	queue := []uint64{0}
	var pages []uint32
	for len(queue) > 0 && read < giveUp && !cut {
		page := queue[0]
		queue = queue[1:]
		read++
		pages = pages[:0]
		onPage := map[uint64]bool{}
		for _, to := range links(page) {
			if onPage[to] {
				continue
			}
			onPage[to] = true
			if ids[to] == 0 {
				ids[to] = uint32(len(ids) + 1)
				queue = append(queue, to)
			}
			pages = append(pages, ids[to])
		}
		cut = g.Read("site.example", pages, nil)
	}
	return read, len(ids), cut
}

// random returns n pages that depend on a page.
func random(page uint64, n int) []uint64 {
	to := make([]uint64, n)
	for i := range to {
		to[i] = mix(mix(page+1) + uint64(i))
	}
	return to
}

func TestGrowthCutsMadeUpSites(t *testing.T) {
	for name, site := range map[string]struct {
		most  int // pages
		links func(uint64) []uint64
	}{
		"one link":                   {20_100, func(p uint64) []uint64 { return random(p, 1) }},
		"three links":                {20_100, func(p uint64) []uint64 { return random(p, 3) }},
		"a hundred links":            {2_100, func(p uint64) []uint64 { return random(p, 100) }},
		"20,000 links":               {60, func(p uint64) []uint64 { return random(p, 20_000) }},
		"200,000 links":              {4, func(p uint64) []uint64 { return random(p, 200_000) }},
		"ten links and a menu":       {41_000, func(p uint64) []uint64 { return append(random(p, 10), 0, 1, 2, 3, 4, 5, 6, 7) }},
		"ten links and one of 1,000": {41_000, func(p uint64) []uint64 { return append(random(p, 10), p%1000) }},
		"a real site of 30,000 pages first": {140_000, func(p uint64) []uint64 {
			if p < 30_000 {
				return []uint64{(2*p + 1) % 30_000, (2*p + 2) % 30_000, mix(p) % 30_000, 1 << 40}
			}
			return random(p, 10)
		}},
		"every other page is a dead end": {41_000, func(p uint64) []uint64 {
			if p != 0 && mix(p)%2 == 0 {
				return nil
			}
			return random(p, 10)
		}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			read, found, cut := walkGrowth(200_000, site.links)
			if !cut || read > site.most {
				t.Errorf("cut: %v, after %d pages, want at most %d", cut, read, site.most)
			}
			t.Logf("%d pages read, %d found", read, found)
		})
	}
}

// TestGrowthLeavesRealSites checks that large sites are never cut, whatever their pages
// are named.
func TestGrowthLeavesRealSites(t *testing.T) {
	for name, links := range map[string]func(uint64) []uint64{
		// A tree with random links across it (crawlertest.Generate), of a million pages.
		"generated": func(p uint64) []uint64 {
			var to []uint64
			for i := range uint64(10) {
				if child := p*10 + i + 1; child < 1_000_000 {
					to = append(to, child)
				}
				to = append(to, mix(p<<8+i)%1_000_000)
			}
			return to
		},
		// Each page links to others of its wiki, most of which few pages link to.
		"wiki": func(p uint64) []uint64 {
			var to []uint64
			for i := range uint64(15) {
				to = append(to, min(mix(p<<8+i)%300_000, mix(p<<9+i)%300_000))
			}
			return to
		},
		// A package links to its dependencies, most of them popular, and lists lead to
		// all packages.
		"packages": func(p uint64) []uint64 {
			if p < 10_000 { // lists
				to := []uint64{p + 1}
				for i := range uint64(30) {
					to = append(to, 10_001+p*30+i)
				}
				return to
			}
			return []uint64{0, 10_001 + mix(p)%2_000, 10_001 + mix(p+1)%300_000}
		},
		// Messages link to the one before and the next.
		"archive": func(p uint64) []uint64 { return []uint64{0, max(p, 1) - 1, min(p+1, 300_000)} },
		// Directories link to the one above.
		"directories": func(p uint64) []uint64 {
			to := []uint64{0}
			if p > 0 {
				to = []uint64{(p - 1) / 8}
			}
			for i := range uint64(8) {
				if child := p*8 + i + 1; child < 300_000 {
					to = append(to, child)
				}
			}
			return to
		},
		// Thirty indexes of 20,000 pages that lead nowhere.
		"indexes": func(p uint64) []uint64 {
			var to []uint64
			switch {
			case p == 0:
				for i := range uint64(30) {
					to = append(to, i+1)
				}
			case p <= 30:
				for i := range uint64(30) { // the bar of letters
					to = append(to, i+1)
				}
				for i := range uint64(20_000) {
					to = append(to, p*20_000+i)
				}
			}
			return to
		},
		// Lists of items that link only to the start page.
		"lists": func(p uint64) []uint64 {
			if p >= 15_000 {
				return []uint64{0}
			}
			to := []uint64{0, min(p+1, 14_999)}
			for i := range uint64(20) {
				to = append(to, 15_000+p*20+i)
			}
			return to
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			read, found, cut := walkGrowth(300_000, links)
			if cut || read < 30_000 {
				t.Errorf("cut: %v, after %d pages, with %d found", cut, read, found)
			}
		})
	}
}

// A server that has one page for whatever it is asked for is cut. Its real pages come first, and half
// of the made-up addresses are in directories that are known.
func TestGrowthCutsCopies(t *testing.T) {
	for _, row := range []struct {
		name          string
		text          func(page int) uint32
		leads         func(page int) uint32
		leastN, mostN int // pages until it is cut; 0 for never
	}{
		{"one page for every address", func(int) uint32 { return 7 }, func(p int) uint32 { return uint32(p) }, 200, 200},
		{"after 5,000 real pages", func(p int) uint32 { return uint32(min(p, 5000)) }, func(p int) uint32 { return uint32(p) }, 5200, 5200},
		{"two in a directory", func(int) uint32 { return 7 }, func(p int) uint32 { return uint32(p / 2) }, 399, 400},
		{"one in six is another page", func(p int) uint32 { return uint32(7 + p%6/5*p) }, func(p int) uint32 { return uint32(p) }, 230, 260},
		{"a page for whoever is not signed in", func(int) uint32 { return 7 }, func(int) uint32 { return 1 }, 0, 0},
		{"in two languages", func(int) uint32 { return 7 }, func(p int) uint32 { return uint32(p % 2) }, 0, 0},
		{"a copy in each directory, beside another page", func(p int) uint32 { return uint32(p % 2 * p) }, func(p int) uint32 { return uint32(p) }, 0, 0},
		{"different pages", func(p int) uint32 { return uint32(p + 1) }, func(p int) uint32 { return uint32(p) }, 0, 0},
	} {
		t.Run(row.name, func(t *testing.T) {
			var g Growth
			n, why, cut := 0, "", false
			for ; n < 20_000 && !cut; n++ {
				g.Copy("site.example", row.text(n), []uint32{row.leads(n), 1})
				why, cut = g.Cut(func() string { return "site.example" }, true)
			}
			if !cut {
				n = 0
			}
			if n < row.leastN || n > row.mostN || cut && !strings.Contains(why, "one page at ever new addresses") {
				t.Errorf("cut after %d pages, want %d to %d: %s", n, row.leastN, row.mostN, why)
			}
		})
	}
}

// TestGrowthSparesFirstLeaves checks what is still requested on a site that was cut.
func TestGrowthSparesFirstLeaves(t *testing.T) {
	var g Growth
	site := func(name string) func() string { return func() string { return name } }
	if _, cut := g.Cut(site("a.example"), true); cut {
		t.Error("a site is cut before anything was read")
	}
	id := uint32(0)
	for !g.Read("a.example", []uint32{id, id + 1}, []uint32{id + 2}) {
		if id += 3; id > 1_000_000 {
			t.Fatal("the site is not cut")
		}
	}
	if pattern, cut := g.Cut(site("a.example"), true); !cut || !strings.Contains(pattern, "a.example") || !strings.Contains(pattern, "--max-pages") {
		t.Errorf("%q, %v", pattern, cut)
	}
	if _, cut := g.Cut(site("b.example"), true); cut {
		t.Error("another site is cut")
	}
	spared := 0
	for {
		if _, cut := g.Cut(site("a.example"), false); cut {
			break
		}
		spared++
	}
	if spared != maxSpared {
		t.Errorf("%d leaves are requested, want %d", spared, maxSpared)
	}
}
