package trap

import (
	"fmt"
	"sync"
	"sync/atomic"
)

// Growth recognizes sites that make up pages: each page that is read links to new ones,
// and hardly any page is linked twice. Real sites differ however many pages they have:
// their pages link to each other, to the previous page and to the directory above, and
// most of them lead to nothing new. The names of pages do not matter, so words, UUIDs,
// paths and hosts are the same to a Growth.
//
// What is found on a site is counted in windows. A window in which pages were linked
// twice often enough proves nothing, and the next one begins. So a site is cut even if
// its real pages come first, and links that are on all pages count only once.
//
// It is safe for concurrent use. It uses two bits for each target of the crawl.
type Growth struct {
	any atomic.Bool // a site was cut

	mu          sync.Mutex
	once, twice IDs
	sites       map[string]*siteGrowth
}

// siteGrowth counts what a window holds of one site.
type siteGrowth struct {
	read      int // pages read
	expanding int // of those, pages with a link to a new target
	found     int // new targets, images and the like included
	again     int // pages that got their second link
	copies    copies
	cut       string // why it is cut; "" if it is not
	spared    int    // targets that were requested after the cut
}

// Why a site is cut.
const (
	expands  = "link to ever new pages, hardly any of which is linked twice"
	isCopied = "are one page at ever new addresses, whose relative links lead to more of them"
)

// windows are the limits of a window, which ends at the first of them. Memory and time
// depend on the number of targets, but the fewer pages have brought them, the more
// likely the pages are the indexes of a real site.
var windows = [...]struct{ expanding, found int }{
	{20_000, 0}, // more than most sites have, and read within seconds
	{50, 200_000},
	{3, 500_000},
}

const (
	// maxSparse is the share of expanding pages below which so few targets with a second
	// link are a trap: one in twenty. Links to the page before and to the directory
	// above alone make it one in one on real sites.
	maxSparse = 20
	// minExpandingShare is the share of pages read that must expand: one in four.
	minExpandingShare = 4
	// maxSpared is the number of images and other leaves of a site that are requested
	// after the site was cut. The first ones belong to its real pages.
	maxSpared = 5_000
)

// Read counts a page of a site, with the numbers of its targets, each once: those of
// pages, and the others. It reports whether the site is cut from now on.
func (g *Growth) Read(site string, pages, others []uint32) (cut bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	s := g.site(site)
	found := 0
	for _, id := range pages {
		switch {
		case g.once.Add(id):
			found++
		case g.twice.Add(id):
			s.again++
		}
	}
	s.read++
	if found > 0 {
		s.expanding++
	}
	for _, id := range others {
		if g.once.Add(id) {
			found++
		}
	}
	s.found += found
	if s.cut != "" || !s.ended() {
		return false
	}
	if s.again*maxSparse < s.expanding && s.expanding*minExpandingShare > s.read {
		s.cut = expands
		g.any.Store(true)
		return true
	}
	*s = siteGrowth{copies: s.copies}
	return false
}

// Copy counts a page of a site, with a checksum of its text and the numbers of the pages that it leads to: a
// site that has one page for ever new addresses is cut as well.
func (g *Growth) Copy(site string, text uint32, pages []uint32) {
	leads := uint64(len(pages))
	for _, id := range pages {
		leads = mix(leads ^ uint64(id))
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	if s := g.site(site); s.cut == "" && s.copies.add(text, leads) {
		s.cut = isCopied
		g.any.Store(true)
	}
}

// site returns what is known of a site. Callers hold the lock.
func (g *Growth) site(name string) *siteGrowth {
	s := g.sites[name]
	if s == nil {
		if g.sites == nil {
			g.sites = map[string]*siteGrowth{}
		}
		s = new(siteGrowth)
		g.sites[name] = s
	}
	return s
}

// CutSite cuts a site because another process has found out that it makes up pages.
func (g *Growth) CutSite(site string) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.site(site).cut = expands
	g.any.Store(true)
}

// ended reports whether a window ends.
func (s *siteGrowth) ended() bool {
	for _, w := range windows {
		if s.expanding >= w.expanding && s.found >= w.found {
			return true
		}
	}
	return false
}

// Cut reports whether a target of a site is left out because the site was cut, and
// returns the reason. page is set for a page; of other targets, some are not left out.
func (g *Growth) Cut(site func() string, page bool) (pattern string, cut bool) {
	if !g.any.Load() {
		return "", false
	}
	name := site()
	g.mu.Lock()
	defer g.mu.Unlock()
	s := g.sites[name]
	if s == nil || s.cut == "" {
		return "", false
	}
	if !page && s.spared < maxSpared {
		s.spared++
		return "", false
	}
	return fmt.Sprintf("the pages of %s %s; --max-pages N reads on, up to N pages", name, s.cut), true
}

// IDs is a set of the numbers of targets. It uses one bit for each number up to the
// greatest.
type IDs []uint64

// Has reports whether a number was added.
func (b IDs) Has(n uint32) bool { return int(n/64) < len(b) && b[n/64]>>(n%64)&1 != 0 }

// Add adds a number and reports whether it was missing.
func (b *IDs) Add(n uint32) bool {
	at := int(n / 64)
	if at >= len(*b) {
		grown := make(IDs, max(at+1, len(*b)+len(*b)/2, 1024))
		copy(grown, *b)
		*b = grown
	}
	word, bit := &(*b)[at], uint64(1)<<(n%64)
	missing := *word&bit == 0
	*word |= bit
	return missing
}
