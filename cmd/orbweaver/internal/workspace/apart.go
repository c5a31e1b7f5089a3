package workspace

import (
	"bytes"
	"context"
	"maps"
	"slices"
)

// Large is the length in bytes from which on a document is judged apart, with all that refer to it, so that
// nothing else waits for it.
const Large = 512 << 10

// Due tells since when a document is to be judged: the numbers of the first and the last change that its
// findings lack.
type Due struct{ First, Last uint64 }

// isApart reports whether judging a document may take long: it is large, or refers to a place in one that
// is, or depends on one that is being judged.
func (x *Index) isApart(p string) bool {
	d := x.documents[p]
	return x.Due[p] != (Due{}) || x.large[p] || d != nil && slices.ContainsFunc(d.References, func(r Reference) bool {
		return x.large[r.Target.File] && r.Target.Fragment() != ""
	})
}

// postponed returns the index with new texts and the part of the work that is done apart.
func (x *Index) postponed(w work, texts map[string][]byte, number uint64) *Index {
	next := *x
	next.Texts = texts
	if len(w.large) > 0 {
		next.large = maps.Clone(x.large)
		if next.large == nil {
			next.large = map[string]bool{}
		}
		for p, is := range w.large {
			if next.large[p] = is; !is {
				delete(next.large, p)
			}
		}
	}
	if len(w.apart)+len(x.Due) == 0 {
		return &next
	}
	next.Due = maps.Clone(x.Due)
	if next.Due == nil {
		next.Due = map[string]Due{}
	}
	for p := range w.apart {
		due := Due{number, number}
		if before, is := x.Due[p]; is {
			due.First = before.First
		}
		next.Due[p] = due
	}
	next.Texts = maps.Clone(texts)
	for p := range next.Due {
		next.setText(p, x.Texts)
	}
	return &next
}

// setText gives a document the text that it has among others.
func (x *Index) setText(p string, texts map[string][]byte) {
	if text, open := texts[p]; open {
		x.Texts[p] = text
	} else {
		delete(x.Texts, p)
	}
}

// Follows reports whether the index is that of the same files as an earlier one.
func (x *Index) Follows(old *Index) bool { return x.listing == old.listing }

// Apart is what was found in the documents that were due. It does not change.
type Apart struct {
	texts   map[string][]byte
	number  uint64
	listing *byte
	known   candidates // by which it was judged
	part
}

// Has reports whether a document was judged.
func (a *Apart) Has(path string) bool { return a.documents[path] != nil }

// Apart judges the documents of an index that are due, by their texts after all changes up to a number. It
// needs a judge of its own, and may take long.
func (f Folder) Apart(ctx context.Context, x *Index, texts map[string][]byte, number uint64) (*Apart, error) {
	if _, _, err := f.Judge.Documents(ctx, texts); err != nil {
		return nil, err
	}
	found, err := f.some(ctx, x, texts, slices.Sorted(maps.Keys(x.Due)))
	if err != nil {
		return nil, err
	}
	return &Apart{texts, number, x.listing, x.candidates, *found}, nil
}

// Given returns what the index has of documents that are due, as if it were judged.
func (x *Index) Given(texts map[string][]byte, number uint64) *Apart {
	a := &Apart{texts, number, x.listing, x.candidates, part{documents: map[string]*Document{}, search: x.search}}
	for p := range x.Due {
		a.documents[p] = x.documents[p]
	}
	return a
}

// Join returns the index with what was found in documents that were due, and the documents whose findings
// may be others, sorted. What changed in the meantime, or refers to what did, is due again.
func (f Folder) Join(x *Index, a *Apart) (*Index, []string) {
	if a.listing != x.listing {
		return x, nil // all documents were judged since
	}
	next := *x
	next.Texts, next.Due, next.documents = maps.Clone(x.Texts), maps.Clone(x.Due), maps.Clone(x.documents)
	again := Due{a.number + 1, a.number + 1}
	for p, d := range a.documents {
		next.documents[p] = d
		next.setText(p, a.texts)
		if due := x.Due[p]; due.Last > a.number {
			next.Due[p] = Due{a.number + 1, due.Last}
		} else {
			delete(next.Due, p)
		}
	}
	others := map[string]bool{} // that depend on what is judged now
	next.search = x.search.Plus(a.search)
	next.candidates, a.changed = x.candidates.with(replaced(x.documents, a.documents))
	askers, used := next.askers(a.changed)
	next.search.Paths += used
	files := map[string]map[string]bool{}
	for p := range a.documents {
		if !bytes.Equal(x.Texts[p], a.texts[p]) { // others may have begun to refer to it
			files[p] = others
		}
	}
	f.addDependents(&next, files)
	for _, p := range slices.AppendSeq(askers, maps.Keys(others)) {
		if !a.Has(p) && next.Due[p] == (Due{}) {
			next.Due[p] = again
		}
	}
	isOther := func(r Reference) bool {
		file := r.Target.File
		return file != "" && !a.Has(file) && !bytes.Equal(next.Texts[file], a.texts[file])
	}
	wasOther := !maps.Equal(a.known, x.candidates)
	for p, d := range a.documents {
		if next.Due[p] == (Due{}) && (slices.ContainsFunc(d.References, isOther) || wasOther && slices.ContainsFunc(d.References, func(r Reference) bool { return r.Target.isMissing() })) {
			next.Due[p] = again
		}
	}
	joined, touched := next.observe(f.Observed, slices.Sorted(maps.Keys(a.documents)))
	return joined, slices.Compact(slices.Sorted(slices.Values(slices.Concat(touched, slices.Collect(maps.Keys(a.documents))))))
}
