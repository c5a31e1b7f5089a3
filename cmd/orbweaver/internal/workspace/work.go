package workspace

import (
	"bytes"
	"context"
	"fmt"
	"hash/maphash"
	"maps"
	"path"
	"slices"
)

// work is what documents are to be judged after a change: now, or apart because that may take long.
type work struct{ now, apart, large map[string]bool }

func (w *work) add(x *Index, p string) {
	if w.large[p] || x.isApart(p) {
		w.apart[p] = true
	} else {
		w.now[p] = true
	}
}

// settle removes from the work that is done now what is done apart, and reports whether all documents are read
// because they are in the folder: what uses the others, such as style sheets, decides how they are read.
func (w *work) settle(x *Index) (ok bool) {
	for p := range w.now {
		if w.apart[p] || x.isApart(p) {
			delete(w.now, p)
			w.apart[p] = true
		}
	}
	for _, all := range []map[string]bool{w.now, w.apart} {
		for p := range all {
			if !x.isListed(p) {
				return false
			}
		}
	}
	return true
}

// workFor returns the work for documents that depend on targets, except those that were judged with them. It
// returns false if all documents are to be judged.
func (x *Index) workFor(documents []string, judged map[string]bool) (w work, ok bool) {
	w = work{map[string]bool{}, map[string]bool{}, nil}
	for _, p := range documents {
		switch {
		case judged[p]:
		case !x.isListed(p):
			return w, false
		case x.isApart(p):
			w.apart[p] = true
		default:
			w.now[p] = true
		}
	}
	return w, true
}

// workOf returns the work after a change, and the index with the documents that came and without those that went.
// ok is false if all documents are to be judged.
func (f Folder) workOf(ctx context.Context, old *Index, texts map[string][]byte, c Change) (next *Index, w work, ok bool, err error) {
	w = work{map[string]bool{}, map[string]bool{}, map[string]bool{}}
	written := map[string]bool{} // and nobody knows what it was before
	for _, p := range c.Written {
		_, open := texts[p]
		written[p] = !open
	}
	var changed []string // documents with other texts
	others := slices.Clone(c.Moved)
	for _, p := range slices.Concat(c.Paths, c.Written) {
		_, open := texts[p]
		switch known := old.documents[p] != nil; {
		case isRulesFile(p):
			return nil, w, false, nil
		case !known && (written[p] || open && old.Texts[p] == nil): // it is new, or not read
			others = append(others, p)
		default:
			changed = append(changed, p)
		}
	}
	next = old
	if len(others) > 0 {
		if next, ok, err = f.relisted(ctx, old, texts, others, &w); !ok || err != nil {
			return nil, w, false, err
		}
		for _, p := range old.without(next) {
			if len(old.sheets(p)) > 0 { // perhaps nothing else uses them
				return nil, w, false, nil
			}
		}
	}
	faces := map[string]map[string]bool{} // documents that look otherwise to referrers, with the work that these belong to
	for _, p := range changed {
		before, after := f.textIn(old.Texts, p), f.textIn(texts, p)
		if bytes.Equal(before, after) && old.Due[p] == (Due{}) && !written[p] {
			continue // it was opened or closed
		}
		to := w.now
		if w.large[p] = len(before) > Large || len(after) > Large; w.large[p] || next.isApart(p) {
			to = w.apart
		}
		if next.documents[p] != nil {
			to[p] = true
		}
		if w.large[p] || written[p] || f.face(p, before) != f.face(p, after) {
			faces[p] = to
		}
	}
	f.addDependents(next, faces)
	return next, w, w.settle(next), nil
}

// relisted returns the index of the folder that is listed again, after files or directories may have come or gone, and
// adds the documents to the work whose references these may concern. ok is false if all documents are to be judged.
func (f Folder) relisted(ctx context.Context, old *Index, texts map[string][]byte, told []string, w *work) (next *Index, ok bool, err error) {
	listed, large, err := f.Judge.Documents(ctx, texts)
	if err != nil {
		return nil, false, err
	}
	moved, ok := f.Judge.Moved(slices.Collect(maps.Keys(old.candidates)))
	if !ok {
		return nil, false, nil
	}
	next = f.withListing(old, listed)
	isTold, isLarge := toldFiles(told), false
	for p := range next.documents {
		if isTold(p) {
			w.large[p] = slices.Contains(large, p)
			isLarge = isLarge || w.large[p]
		}
	}
	for p, d := range next.documents {
		concerned, apart := old.documents[p] == nil || d.asks || isTold(p), false
		for i := range d.References {
			t := d.References[i].Target
			isMoved := slices.ContainsFunc(t.Addresses, func(address string) bool { return moved[address] })
			if isMoved && slices.ContainsFunc(t.Addresses, isSheet) && next.isApart(p) {
				return nil, false, nil // a style sheet is read with what names it
			}
			concerned = concerned || isMoved || t.isMissing() || isTold(t.File)
			apart = apart || isLarge && t.isMissing() && t.hasFragment() // the fragment may be looked for in a large document
		}
		switch {
		case apart:
			w.apart[p] = true
		case concerned:
			w.add(next, p)
		}
	}
	return next, true, nil
}

// isSheet reports whether an address or a path is that of a style sheet, by its name.
func isSheet(name string) bool { return path.Ext(name) == ".css" }

// toldFiles returns the function that reports whether a file is one of those that may have come or gone, or in one of
// the directories. It remembers what it was asked.
func toldFiles(told []string) func(p string) bool {
	known := map[string]bool{".": false, "/": false, "": false}
	for _, p := range told {
		known[p] = true
	}
	var is func(p string) bool
	is = func(p string) bool {
		answer, asked := known[p]
		if !asked {
			answer = is(path.Dir(p))
			known[p] = answer
		}
		return answer
	}
	return is
}

// withListing returns the index with the documents that are read because they are in the folder.
func (f Folder) withListing(x *Index, listed []string) *Index {
	next := *x
	next.listing, next.Listed, next.documents = new(byte), listed, maps.Clone(x.documents)
	change := candidates{}
	for _, p := range x.Listed {
		if _, still := slices.BinarySearch(listed, p); still {
			continue
		}
		x.documents[p].addUses(change, -1)
		f.addOwn(p, change, -1)
		delete(next.documents, p)
		if next.large[p] {
			next.large = maps.Clone(next.large)
			delete(next.large, p)
		}
		if _, due := next.Due[p]; due {
			next.Due = maps.Clone(next.Due)
			delete(next.Due, p)
		}
	}
	for _, p := range listed {
		if !x.isListed(p) {
			next.documents[p] = &Document{Path: p}
			f.addOwn(p, change, 1)
		}
	}
	next.candidates, _ = x.candidates.with(change) // all documents with a broken target are judged again
	return &next
}

// without returns the documents of an index that a later one does not have.
func (x *Index) without(next *Index) (gone []string) {
	for p := range x.documents {
		if next.documents[p] == nil {
			gone = append(gone, p)
		}
	}
	return gone
}

// textIn returns the text of a document: one that is open, or that of its file.
func (f Folder) textIn(texts map[string][]byte, p string) []byte {
	if text, open := texts[p]; open {
		return text
	}
	return []byte(f.Judge.Text(p))
}

// isRulesFile reports whether a document has rules for other documents.
func isRulesFile(p string) bool {
	switch path.Base(p) {
	case "_redirects", "orbweaver.toml", ".gitignore", ".ignore":
		return true
	}
	return false
}

var seed = maphash.MakeSeed()

// face returns a hash of all that other documents see of a document: its anchors, and where it sends
// its readers.
func (f Folder) face(p string, text []byte) uint64 {
	d := f.Judge.Read(p, text)
	var h maphash.Hash
	h.SetSeed(seed)
	fmt.Fprint(&h, d.Format, d.Static, d.NoIndex, d.LoginForm, d.AccountForm, d.Base, d.Unreadable(), len(text) == 0, len(d.Duplicates))
	for _, a := range d.Anchors {
		h.WriteString(a)
		h.WriteByte(0)
	}
	for i := range d.Links {
		if l := &d.Links[i]; l.Element == "meta" {
			h.WriteString(l.Ref)
			h.WriteByte(0)
		}
	}
	return h.Sum64()
}
