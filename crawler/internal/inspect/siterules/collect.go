package siterules

import (
	"cmp"
	"encoding/binary"
	"slices"
	"strings"

	"github.com/cespare/xxhash/v2"

	"github.com/orbweaver/orbweaver/crawler/internal/inspect/facts"
	"github.com/orbweaver/orbweaver/crawler/internal/inspect/pagerules"
)

// kind is something that pages may have in common.
type kind uint8

const (
	title kind = iota
	description
	content
	kinds
)

// known is what is in memory of a page.
type known struct {
	id ID
	// elsewhere is true if the page names another one as canonical.
	elsewhere bool
	noindex   bool
	// hashes are 0 where they are not to be compared.
	hashes  [kinds]uint64
	similar uint64 // the simhash, if comparable is set
	// comparable is set if there is enough text to look for similar ones.
	comparable bool
	// versions is the hash of the numbers of the page and of all that it names with hreflang,
	// 0 if it names none.
	versions uint64
}

// equal is a group of pages with an equal title, description or text.
type equal struct {
	count         int
	first, second string // the smallest addresses
}

func (e *equal) add(url string) {
	switch {
	case e.count == 0 || url < e.first:
		e.first, e.second = url, e.first
	case e.second == "" || url < e.second:
		e.second = url
	}
	e.count++
}

// other returns the smallest address of the group that is not url.
func (e *equal) other(url string) string {
	if url == e.first {
		return e.second
	}
	return e.first
}

// collect is the first pass.
func (j *judge) collect(p *Page, f *facts.Page) error {
	k := known{id: p.ID, noindex: f.NoIndex}
	elsewhere, err := j.isElsewhere(p, f)
	if err != nil {
		return err
	}
	k.elsewhere = elsewhere
	if !f.NoIndex && !elsewhere {
		if j.judges(pagerules.SEO) {
			k.hashes[title], k.hashes[description] = f.Title.Hash, f.Description.Hash
		}
		if j.judges(pagerules.Duplicates) {
			if f.Body.Words >= wordsOfEqual {
				k.hashes[content] = f.Body.Hash
			}
			k.similar, k.comparable = f.Body.Similar, f.Body.Words >= wordsOfSimilar
		}
	}
	if j.judges(pagerules.I18n) && len(f.Alternates) > 0 {
		if err := j.readAlternates(f); err != nil {
			return err
		}
		k.versions = hashOf(append(j.ids, p.ID))
	}
	j.known = append(j.known, k)
	return nil
}

// isElsewhere reports whether a page names another one as canonical.
func (j *judge) isElsewhere(p *Page, f *facts.Page) (bool, error) {
	for i := range f.Canonicals {
		if f.Canonicals[i].Self {
			continue
		}
		t, err := j.site.Target(f.Canonicals[i].URL)
		if err != nil || t.State == Unknown || t.ID != p.ID {
			return true, err
		}
	}
	return false, nil
}

// readAlternates sets ids to the documents that a page names with hreflang.
func (j *judge) readAlternates(f *facts.Page) error {
	j.ids = j.ids[:0]
	for i := range f.Alternates {
		t, err := j.site.Target(f.Alternates[i].URL)
		if err != nil {
			return err
		}
		if t.State != Unknown {
			j.ids = append(j.ids, t.ID)
		}
	}
	return nil
}

// hashOf returns the hash of a set, which it sorts.
func hashOf(ids []ID) uint64 {
	slices.Sort(ids)
	var d xxhash.Digest
	d.Reset()
	var b [4]byte
	for _, id := range slices.Compact(ids) {
		binary.LittleEndian.PutUint32(b[:], uint32(id))
		d.Write(b[:])
	}
	return max(d.Sum64(), 1)
}

// of returns what is known of a page, nil if it was not read.
func (j *judge) of(id ID) *known {
	i, found := slices.BinarySearchFunc(j.known, id, func(k known, id ID) int { return cmp.Compare(k.id, id) })
	if !found {
		return nil
	}
	return &j.known[i]
}

// endPass completes what a pass has collected.
func (j *judge) endPass() {
	j.passes++
	switch j.passes {
	case 1:
		slices.SortFunc(j.known, func(a, b known) int { return cmp.Compare(a.id, b.id) })
		hashes := make([]uint64, 0, len(j.known))
		for kind := range j.equals {
			hashes = hashes[:0]
			for i := range j.known {
				if h := j.known[i].hashes[kind]; h != 0 {
					hashes = append(hashes, h)
				}
			}
			j.equals[kind] = repeated(hashes)
		}
		j.near = j.similarTexts()
		j.starts = map[ID]Start{}
		if j.judges(pagerules.Images) {
			for _, s := range j.site.Starts() {
				j.starts[s.ID] = s
			}
		}
	case 2:
		slices.SortFunc(j.asked, func(a, b question) int {
			return cmp.Or(cmp.Compare(a.asked, b.asked), cmp.Compare(a.asker, b.asker))
		})
	}
}

// repeated returns a group for each hash that occurs twice or more. It sorts the hashes.
func repeated(hashes []uint64) map[uint64]*equal {
	slices.Sort(hashes)
	groups := map[uint64]*equal{}
	for i := 1; i < len(hashes); i++ {
		if hashes[i] == hashes[i-1] && groups[hashes[i]] == nil {
			groups[hashes[i]] = &equal{}
		}
	}
	return groups
}

// group is the second pass.
func (j *judge) group(p *Page, f *facts.Page) error {
	k := j.of(p.ID)
	for kind, groups := range j.equals {
		if g := groups[k.hashes[kind]]; g != nil {
			g.add(p.URL)
		}
	}
	if k.comparable {
		if s := j.near[k.similar]; s != nil {
			s.add(p.URL, f.Body.Hash)
		}
	}
	if k.versions == 0 {
		return nil
	}
	return j.ask(p, f, k)
}

// question asks whether a page names another one as its version in another language.
type question struct {
	asked, asker ID
	link         facts.Alternate
}

// ask asks the pages that a page names with hreflang, unless they name the same pages: then
// they name it.
func (j *judge) ask(p *Page, f *facts.Page, k *known) error {
	j.ids = j.ids[:0]
	for i := range f.Alternates {
		a := &f.Alternates[i]
		t, err := j.site.Target(a.URL)
		if err != nil {
			return err
		}
		if t.State == Unknown || t.ID == p.ID || slices.Contains(j.ids, t.ID) {
			continue
		}
		j.ids = append(j.ids, t.ID)
		if other := j.of(t.ID); other != nil && other.versions != k.versions {
			j.asked = append(j.asked, question{t.ID, p.ID, facts.Alternate{Link: cloneLink(&a.Link), Language: strings.Clone(a.Language)}})
		}
	}
	return nil
}
