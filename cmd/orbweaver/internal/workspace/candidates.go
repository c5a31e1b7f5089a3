package workspace

import (
	"context"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/orbweaver/orbweaver/crawler"
	"github.com/orbweaver/orbweaver/crawler/check"
	"github.com/orbweaver/orbweaver/crawler/result"
)

// What is suggested in place of a broken target depends on all targets of the folder, and a run over a few
// documents has only the targets of these. So such a run visits other targets as well: those that may be
// suggested for the broken ones of its documents. Documents with broken targets are judged again when a target
// that may be suggested for them appears, disappears or changes. The engine decides what may be suggested
// (crawler.Guesser), and reports when its limits matter: then all documents are judged.

// candidates are the targets of a folder by their addresses. They do not change.
type candidates map[string]uses

// uses are the number of references to a target, and the number of those for which its anchors are read. That
// a document is in the folder counts as a reference.
type uses struct{ all, anchors int32 }

func (u uses) plus(v uses, times int32) uses {
	return uses{u.all + times*v.all, u.anchors + times*v.anchors}
}

// like reports whether a target with these uses is visited in the same way as with others.
func (u uses) like(v uses) bool { return u.all > 0 == (v.all > 0) && u.anchors > 0 == (v.anchors > 0) }

// addUses adds how the reference uses its target, so many times.
func (r *Reference) addUses(to candidates, times int32) {
	t := r.Target
	if t.Verdict == check.Skipped {
		return
	}
	for _, address := range t.Addresses {
		u := uses{1, 0}
		if t.Fragment() != "" || r.kind.isNavigation() && isPage(address) {
			u.anchors = 1
		}
		to[address] = to[address].plus(u, times)
	}
}

// isNavigation reports whether a reference leads a reader to another page.
func (k *referenceKind) isNavigation() bool {
	switch k.element {
	case "a", "area", "iframe", "frame", "object", "embed", "meta":
		return true
	}
	return false
}

// isPage reports whether the name of a target is such that its anchors are read for any link that leads a reader
// to it.
func isPage(address string) bool {
	switch path.Ext(address) {
	case "", ".html", ".htm":
		return true
	}
	return false
}

// isMissing reports whether other targets may be suggested in place of the target.
func (t *Target) isMissing() bool {
	return len(t.Addresses) > 0 && (t.Verdict == check.Broken || t.Verdict == check.Unverified) && t.Code != check.CodeFragmentMissing && t.Code != check.CodeFragmentUnverified
}

// hasFragment reports whether the URL has a fragment, which may be empty.
func (t *Target) hasFragment() bool { return strings.Contains(t.URL, "#") }

// addUses adds how often a document uses targets, so many times.
func (d *Document) addUses(to candidates, times int32) {
	if d == nil {
		return
	}
	for i := range d.References {
		d.References[i].addUses(to, times)
	}
}

// candidatesOf returns the targets of documents, and those among them that are in the folder.
func (f Folder) candidatesOf(documents map[string]*Document, listed []string) candidates {
	c := make(candidates, len(listed))
	for _, p := range listed {
		f.addOwn(p, c, 1)
	}
	for _, d := range documents {
		d.addUses(c, 1)
	}
	return c
}

// addOwn adds that a document is in the folder, so many times.
func (f Folder) addOwn(p string, to candidates, times int32) {
	if address := f.Judge.Address(p); address != "" {
		to[address] = to[address].plus(uses{1, 1}, times)
	}
}

func replaced(old, by map[string]*Document) (change candidates) {
	change = candidates{}
	for p, d := range by {
		old[p].addUses(change, -1)
		d.addUses(change, 1)
	}
	return change
}

// with returns the candidates after a change, and those that appeared, disappeared, or are visited in another way.
func (c candidates) with(change candidates) (next candidates, changed []string) {
	maps.DeleteFunc(change, func(_ string, u uses) bool { return u == uses{} })
	if len(change) == 0 {
		return c, nil
	}
	next = maps.Clone(c)
	for address, u := range change {
		after := c[address].plus(u, 1)
		if next[address] = after; after.all == 0 {
			delete(next, address)
		}
		if !after.like(c[address]) {
			changed = append(changed, address)
		}
	}
	return next, changed
}

// likely returns the URLs of the candidates that may be suggested in place of missing targets, sorted: with a
// fragment if their anchors are read, and matter for one of the suggestions. used is the part of the limits of a
// search that this took.
func (c candidates) likely(q *questions) (urls []string, used float64) {
	if q.none() {
		return nil, 0
	}
	for address, u := range c {
		if !q.consider(address) {
			continue
		}
		if u.anchors > 0 && q.fragments {
			address += "#anchors"
		}
		urls = append(urls, address)
	}
	slices.Sort(urls)
	return urls, q.guesser.Used()
}

// questions are those about missing targets: which others may be suggested in place of them.
type questions struct {
	guesser crawler.Guesser
	asked   map[string]*crawler.PathQuestion // by the addresses of missing targets
	https   map[string]string                // missing http targets, by their https addresses
	found   map[string]bool                  // missing http targets whose https address was considered
	of      map[string][]string              // the missing targets of documents

	fragments bool // a reference to one has a fragment
}

// ask adds the missing targets of documents.
func (q *questions) ask(p string, d *Document) {
	if d == nil {
		return
	}
	for i := range d.References {
		t := d.References[i].Target
		if !t.isMissing() {
			continue
		}
		address := t.Addresses[0]
		if q.of == nil {
			q.of, q.asked, q.https, q.found = map[string][]string{}, map[string]*crawler.PathQuestion{}, map[string]string{}, map[string]bool{}
		}
		q.of[p] = append(q.of[p], address)
		q.fragments = q.fragments || t.hasFragment()
		if _, known := q.asked[address]; known {
			continue
		}
		plain, _, _ := strings.Cut(address, "?")
		q.asked[address] = q.guesser.Ask(plain)
		if rest, ok := strings.CutPrefix(address, "http://"); ok {
			q.https["https://"+rest] = address
		}
	}
}

func (q *questions) none() bool { return len(q.of) == 0 }

// consider reports whether a candidate may be suggested.
func (q *questions) consider(address string) bool {
	missing, https := q.https[address]
	if https {
		q.found[missing] = true
	}
	return q.guesser.Consider(address, 0) || https
}

// answered returns the documents with a missing target for which a candidate that was considered may be suggested.
func (q *questions) answered() (documents []string) {
	for p, missing := range q.of {
		if slices.ContainsFunc(missing, func(address string) bool { return q.found[address] || q.asked[address].Considered() }) {
			documents = append(documents, p)
		}
	}
	return documents
}

// askers returns the documents with a missing target for which one of some targets may be suggested.
func (x *Index) askers(addresses []string) (documents []string, used float64) {
	if len(addresses) == 0 {
		return nil, 0
	}
	q := &questions{}
	for p, d := range x.documents {
		q.ask(p, d)
	}
	if q.none() {
		return nil, 0
	}
	for _, address := range addresses {
		q.consider(address)
	}
	return q.answered(), q.guesser.Used()
}

// addDependents adds to the sets of files the documents that refer to these, or for which they may be suggested. It
// looks once at all references, however many files there are.
func (f Folder) addDependents(x *Index, to map[string]map[string]bool) {
	if len(to) == 0 {
		return
	}
	q, addresses := &questions{}, map[string]map[string]bool{}
	for p, d := range x.documents {
		for i := range d.References {
			t := d.References[i].Target
			if set := to[t.File]; set != nil && t.File != "" {
				set[p] = true
				for _, address := range t.Addresses {
					addresses[address] = set
				}
			}
		}
		q.ask(p, d)
	}
	if q.none() {
		return
	}
	for file, set := range to {
		addresses[f.Judge.Address(file)] = set
	}
	for address, set := range addresses {
		if q.consider(address) {
			for _, p := range q.answered() {
				set[p] = true
			}
		}
	}
}

// part is what was found in some documents. It does not change.
type part struct {
	documents  map[string]*Document
	candidates candidates
	changed    []string // candidates that appeared, disappeared, or are visited in another way
	search     result.Search
}

// some judges documents of an index. If they are not as the index has them, what is suggested for them may depend
// on other targets than was thought, and they are judged once more.
func (f Folder) some(ctx context.Context, x *Index, texts map[string][]byte, paths []string) (*part, error) {
	asked := &questions{}
	for _, p := range paths {
		asked.ask(p, x.documents[p])
	}
	beside, used := x.candidates.likely(asked)
	found := &part{search: x.search.Plus(result.Search{Paths: used})}
	for {
		found.documents = map[string]*Document{}
		for _, p := range paths {
			found.documents[p] = &Document{Path: p}
		}
		collect := newCollector(found.documents, func(p string) bool { return found.documents[p] != nil || x.documents[p] == nil })
		search, err := f.Judge.Judge(ctx, texts, paths, beside, collect.add)
		if err != nil {
			return nil, err
		}
		collect.sort()
		found.candidates, found.changed = x.candidates.with(replaced(x.documents, found.documents))
		found.search = found.search.Plus(search)
		asked = &questions{}
		for p, d := range found.documents {
			asked.ask(p, d)
		}
		right, used := found.candidates.likely(asked)
		found.search.Paths += used
		isWrong := func(url string) bool {
			address, _, _ := strings.Cut(url, "#")
			return found.candidates[address].all == 0
		}
		if !slices.ContainsFunc(right, func(url string) bool { _, is := slices.BinarySearch(beside, url); return !is }) && !slices.ContainsFunc(beside, isWrong) {
			return found, nil
		}
		beside = right
	}
}

// withPart returns the index with what was found in some documents.
func (x *Index) withPart(found *part) *Index {
	next := *x
	next.documents = maps.Clone(x.documents)
	maps.Copy(next.documents, found.documents)
	next.candidates, next.search = found.candidates, found.search
	return &next
}
