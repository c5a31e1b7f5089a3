package workspace

import (
	"bytes"
	"context"
	"maps"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/orbweaver/orbweaver/crawler/check"
	"github.com/orbweaver/orbweaver/crawler/extract"
	"github.com/orbweaver/orbweaver/crawler/result"
)

// Unlocated is the path of a document that has no location, by which it is alone in a directory. Its own
// anchors and absolute URLs are judged, and its relative references are not.
const Unlocated = "-"

// Judge judges the references of the documents in a directory.
type Judge interface {
	// Documents lists the directory again, and returns the documents that are read because they are in it,
	// sorted, and those of them that are longer than [Large]. Texts count in place of files. Paths are relative
	// to the directory, with slashes.
	Documents(ctx context.Context, texts map[string][]byte) (listed, large []string, err error)
	// Moved returns which of some targets, given by their addresses, other files answer for since the last call
	// of Documents than before it; ok is false if references may lead to other targets than before, except those
	// of documents that ask for files (Found.Asks).
	Moved(addresses []string) (moved map[string]bool, ok bool)
	// Judge judges the documents with some paths, or all of them if there are none, after Documents. It calls
	// add with each result, and the path of the file that answers for its URL, "" if there is none. It visits
	// also the targets with some URLs, which may be suggested; with a fragment their anchors are read. It tells
	// how much was searched for suggestions.
	Judge(ctx context.Context, texts map[string][]byte, some, beside []string, add func(Found)) (result.Search, error)
	// Address returns the address of a document as a target, as [Target] has it.
	Address(path string) string
	// Progress sets what is called several times a second while Judge works: with how many targets were
	// checked, and how many are known.
	Progress(report func(checked, known int))
	// More tells that there are more documents than are read, "" if there are not.
	More() string
	// JudgesSome reports whether the findings of a document depend on nothing but itself and what its
	// references lead to.
	JudgesSome() bool
	// Speak names the languages of open documents, by their paths, as an editor names them: they decide
	// the formats of those whose names do not. It reports whether that decides otherwise than before, and
	// is called before Judge.
	Speak(languages map[string]string) (changed bool)
	// Read reads a document.
	Read(path string, text []byte) *extract.Document
	// Offers reports whether an editor offers anything in a document: it is text, and not a file of
	// bookmarks.
	Offers(path string, text []byte) bool
	// Printed returns the printed URL of a file or, with a slash behind it, a directory; that of the
	// directory itself for "".
	Printed(path string) string
	// Text returns the text of a file, "" if it cannot be read.
	Text(path string) string
	// List returns the names in a directory that a link may name, sorted; those of directories end in
	// "/". What is hidden, or git ignores, or leads out of the folder, is not among them.
	List(dir string) []string
	// Edits returns the edits of a document that results propose: those that are certain enough for the
	// user, or if likely is set, also others.
	Edits(path string, text []byte, results []*result.Result, likely bool) []Edit
	// IgnoreRule returns the lines of orbweaver.toml that ignore a printed URL, with a comment; "" if that
	// file does not count.
	IgnoreRule(url, comment string) string
	// External is the most that may be done about external targets without being told to.
	External() Asking
	// MaxAge is the age from which on an observation of an external target is stale.
	MaxAge() time.Duration
	// Observe judges external targets by their printed URLs, and calls add with what is known of each
	// as soon as it is, from several goroutines. It may be called while other methods are.
	Observe(ctx context.Context, urls []string, how Asking, add func(*Target)) error
	Close()
}

// Refused is the error of a configuration that check refuses, which only a run notices: the methods of a Judge
// return it.
type Refused struct{ Cause error }

func (r *Refused) Error() string { return r.Cause.Error() }

func (r *Refused) Unwrap() error { return r.Cause }

// Asking is how external targets are observed.
type Asking int

// Each asks for more than the one before.
const (
	Never  Asking = iota // they are not judged
	Recall               // as earlier runs have observed them; nothing is sent
	Ask                  // those are requested that no run has observed for some time
	Renew                // all are requested
)

// Edit replaces a part of a text, given by offsets.
type Edit struct {
	Line, Column int // of the reference
	Start, End   int
	New          string
}

// Found is a result of a judge, or a document whose references lead elsewhere if other files come or go.
type Found struct {
	Asks     string // the path of the document; "" for a result
	Result   *result.Result
	File     string          // the path of the file that answers
	Listed   bool            // reports list it
	Warnings []check.Warning // those that reports list
}

// Target returns the target that was found.
func (f *Found) Target() *Target {
	r := f.Result
	t := &Target{URL: strings.Clone(r.URL), Addresses: r.Targets, File: f.File, Verdict: r.Verdict, Code: r.Code, Listed: f.Listed, Warnings: f.Warnings}
	if r.Verdict != check.OK || len(r.Warnings)+len(r.Suggestions)+len(r.Redirects) > 0 || f.File == "" {
		kept := *r
		kept.References = nil
		t.Result = &kept
	}
	return t
}

// Folder judges the documents of a directory after changes.
type Folder struct {
	Judge Judge
	// Observed is what is known of external targets, by their printed URLs.
	Observed map[string]*Target
}

// Change is what has changed since an index was made.
type Change struct {
	Paths []string // of documents with other texts
	All   bool     // anything may have changed
	// Written are files that may have other contents, Moved files and directories that may have come or gone.
	Written, Moved []string
	// Observed is set if more is known of external targets.
	Observed bool
	// Number is that of the first change. Numbers grow.
	Number uint64
}

// Update returns the index after a change, and the documents whose findings may be others, sorted.
// The old index is nil at first.
func (f Folder) Update(ctx context.Context, old *Index, texts map[string][]byte, c Change) (*Index, []string, error) {
	next, touched, err := f.judge(ctx, old, texts, c)
	if err != nil {
		return nil, nil, err
	}
	among := touched
	if c.Observed {
		among = next.Paths()
	}
	next, more := next.observe(f.Observed, among)
	return next, slices.Compact(slices.Sorted(slices.Values(slices.Concat(touched, more)))), nil
}

// Alone returns an index that has nothing but one document, judged as it is among all of the directory. It
// returns nil if all must be judged for that.
func (f Folder) Alone(ctx context.Context, path string, texts map[string][]byte) (*Index, error) {
	next := &Index{Texts: texts, documents: map[string]*Document{path: {Path: path}}}
	var err error
	if next.Listed, _, err = f.Judge.Documents(ctx, texts); err != nil || !f.Judge.JudgesSome() || !next.isListed(path) {
		return nil, err
	}
	collect := newCollector(next.documents, func(p string) bool { return p == path })
	if _, err := f.Judge.Judge(ctx, texts, []string{path}, nil, collect.add); err != nil {
		return nil, err
	}
	collect.sort()
	return next, nil
}

// judge is Update without external targets.
func (f Folder) judge(ctx context.Context, old *Index, texts map[string][]byte, c Change) (*Index, []string, error) {
	all := func() (*Index, []string, error) { return f.all(ctx, old, texts, c.Number) }
	if old == nil || old.listing == nil || c.All || !f.Judge.JudgesSome() || old.search.IsLimited() {
		return all()
	}
	next, w, ok, err := f.workOf(ctx, old, texts, c)
	switch {
	case err != nil:
		return nil, nil, err
	case !ok:
		return all()
	}
	next, touched := next.postponed(w, texts, c.Number), slices.Concat(c.Paths, c.Written, c.Moved, old.without(next))
	for len(w.now) > 0 {
		some := slices.Sorted(maps.Keys(w.now))
		found, err := f.some(ctx, next, next.Texts, some)
		if err != nil {
			return nil, nil, err
		}
		before := next
		next, touched = next.withPart(found), append(touched, some...)
		for p := range w.now {
			if !slices.Equal(before.sheets(p), next.sheets(p)) {
				return all()
			}
		}
		askers, used := next.askers(found.changed)
		next.search.Paths += used
		if w, ok = next.workFor(askers, w.now); !ok || next.search.IsLimited() {
			return all()
		}
		next = next.postponed(w, texts, c.Number)
	}
	return next, slices.Compact(slices.Sorted(slices.Values(touched))), nil
}

func (f Folder) all(ctx context.Context, old *Index, texts map[string][]byte, number uint64) (*Index, []string, error) {
	next := &Index{listing: new(byte), documents: map[string]*Document{}}
	var large []string
	var err error
	if next.Listed, large, err = f.Judge.Documents(ctx, texts); err != nil {
		return nil, nil, err
	}
	if !f.Judge.JudgesSome() || old != nil && old.search.IsLimited() {
		large = nil
	}
	shown := texts
	if len(large) > 0 {
		shown = maps.Clone(texts)
		for _, p := range large {
			shown[p] = f.beginning(p, texts)
		}
	}
	collect := newCollector(next.documents, func(string) bool { return true })
	if next.search, err = f.Judge.Judge(ctx, shown, nil, nil, collect.add); err != nil {
		return nil, nil, err
	}
	for _, p := range next.Listed {
		if next.documents[p] == nil {
			next.documents[p] = &Document{Path: p}
		}
	}
	collect.sort()
	next.candidates = f.candidatesOf(next.documents, next.Listed)
	w := work{apart: map[string]bool{}, large: map[string]bool{}}
	dependents := map[string]map[string]bool{}
	for _, p := range large {
		w.large[p], w.apart[p], dependents[p] = true, true, w.apart
	}
	f.addDependents(next, dependents)
	next = next.postponed(w, texts, number)
	touched := maps.Clone(next.documents)
	if old != nil {
		maps.Copy(touched, old.documents)
	}
	return next, slices.Sorted(maps.Keys(touched)), nil
}

// maxBeginning is how much of a large document is read with all others, in bytes.
const maxBeginning = 64 << 10

// beginning returns the part of a large document that is read with all others, although the document is judged apart:
// style sheets are read only because documents use them, and are mostly named there. A notebook has no part.
func (f Folder) beginning(p string, texts map[string][]byte) []byte {
	if path.Ext(p) == ".ipynb" {
		return []byte{}
	}
	text := f.textIn(texts, p)
	text = text[:min(len(text), maxBeginning)]
	return bytes.Clone(text[:bytes.LastIndexAny(text, "\n>")+1])
}

// collector turns results into documents.
type collector struct {
	documents map[string]*Document
	wanted    func(path string) bool
	changed   map[string]bool
	kinds     map[referenceKind]*referenceKind
}

func newCollector(documents map[string]*Document, wanted func(string) bool) *collector {
	return &collector{documents, wanted, map[string]bool{}, map[referenceKind]*referenceKind{}}
}

// at returns the document to add to, nil if it is not wanted.
func (c *collector) at(path string) *Document {
	if path == "" || path == result.CommandLine || strings.Contains(path, "://") || !c.changed[path] && !c.wanted(path) {
		return nil
	}
	c.changed[path] = true
	d := c.documents[path]
	if d == nil {
		d = &Document{Path: path}
		c.documents[path] = d
	}
	return d
}

func (c *collector) add(found Found) {
	if found.Asks != "" {
		if d := c.at(found.Asks); d != nil {
			d.asks = true
		}
		return
	}
	r := found.Result
	if r.Kind == result.KindPage {
		c.addOwn(found)
		return
	}
	t := found.Target()
	for i := range r.References {
		ref := &r.References[i]
		if d := c.at(ref.Page); d != nil {
			kind := referenceKind{element: ref.Element, attribute: ref.Attribute, remappedFrom: ref.RemappedFrom, unaffected: ref.Unaffected}
			if ref.Source != nil && ref.Source.File != ref.Page {
				kind.source = ref.Source.File
			}
			if c.kinds[kind] == nil {
				c.kinds[kind] = &kind
			}
			d.References = append(d.References, Reference{int32(ref.Line), int32(ref.Column), ref.Raw, t, c.kinds[kind]})
		}
	}
	if !found.Listed || t.Result == nil {
		return
	}
	ofPage := func(severity check.Verdict, code check.Code, message string) {
		if d := c.at(t.File); check.OfPage(code) && d != nil {
			d.own = append(d.own, Finding{Severity: severity, Code: code, Message: message, Target: t})
		}
	}
	if isFinding(r.Verdict) && !t.isKnown() {
		ofPage(r.Verdict, r.Code, r.Message)
	}
	for _, w := range found.Warnings {
		if !w.IsVerdict(r.Code) {
			ofPage(severityOf(&w), w.Code, w.Message)
		}
	}
}

// addOwn adds a finding of a content check.
func (c *collector) addOwn(found Found) {
	r := found.Result
	if !found.Listed || !isFinding(r.Verdict) || slices.Contains(r.Known, r.Code) {
		return
	}
	for i := range r.References {
		ref := &r.References[i]
		if d := c.at(ref.Page); d != nil {
			kept := *r
			kept.References = []result.Reference{*ref}
			d.own = append(d.own, Finding{int32(ref.Line), int32(ref.Column), ref.Raw, r.Verdict, r.Code, r.Message, r.Proposal, nil, &kept})
		}
	}
}

// sort puts the references of the documents in order. Findings about a document as a whole are there
// once, although several URLs lead to it.
func (c *collector) sort() {
	for path := range c.changed {
		d := c.documents[path]
		slices.SortStableFunc(d.References, func(a, b Reference) int {
			return strings.Compare(a.Target.URL, b.Target.URL)
		})
		slices.SortStableFunc(d.References, func(a, b Reference) int {
			return compareFindings(Finding{Line: a.Line, Column: a.Column}, Finding{Line: b.Line, Column: b.Column})
		})
		d.References = slices.Clip(d.References)
		slices.SortStableFunc(d.own, compareFindings)
		d.own = slices.CompactFunc(d.own, func(a, b Finding) bool { return a.Line == 0 && compareFindings(a, b) == 0 })
	}
}
