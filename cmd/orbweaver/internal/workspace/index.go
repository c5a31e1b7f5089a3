package workspace

import (
	"cmp"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/orbweaver/orbweaver/crawler/check"
	"github.com/orbweaver/orbweaver/crawler/result"
)

// Target is what references lead to.
type Target struct {
	URL string // as printed
	// Addresses are the URLs by which the engine knows it and what it redirects to, without fragments; none for
	// external targets.
	Addresses []string
	File      string // the path of the file that answers, "" if there is none
	Verdict   check.Verdict
	Code      check.Code
	// Result is what else is known, without References; nil if the target is ok and nothing is.
	Result *result.Result
	// Listed is false if reports do not list it, and Warnings are those of its warnings that are
	// listed.
	Listed   bool
	Warnings []check.Warning
	// Observed is when an external target was judged; zero if it was not, and for others. Unconfirmed is set if
	// it was broken then, and no request of this process found the same.
	Observed    time.Time
	Unconfirmed bool
}

// IsExternal reports whether the target is not in the folder, and would be judged if external targets
// were.
func (t *Target) IsExternal() bool { return t.Code == check.CodeExternal || !t.Observed.IsZero() }

// isKnown reports whether a baseline has what is wrong with the target.
func (t *Target) isKnown() bool { return t.Result != nil && slices.Contains(t.Result.Known, t.Code) }

// Fragment returns the fragment of the URL, "" if there is none.
func (t *Target) Fragment() string {
	_, fragment, _ := strings.Cut(t.URL, "#")
	return fragment
}

// Reference is one reference of a document.
type Reference struct {
	Line, Column int32 // from 1; 0 if the place is not known
	Raw          string
	Target       *Target
	kind         *referenceKind
}

// referenceKind is what many references have in common. source is the file that their page was built from, if
// they are in it as well: they are edited there.
type referenceKind struct{ element, attribute, remappedFrom, unaffected, source string }

// Result returns the result of the reference's target for this reference alone; nil if the target is ok
// and nothing else is known.
func (r *Reference) Result(page string) *result.Result {
	if r.Target.Result == nil {
		return nil
	}
	one := *r.Target.Result
	k := r.kind
	ref := result.Reference{Page: page, Line: int(r.Line), Column: int(r.Column), Raw: r.Raw, Element: k.element, Attribute: k.attribute, RemappedFrom: k.remappedFrom, Unaffected: k.unaffected}
	if k.source != "" {
		ref.Source = &result.Place{File: k.source}
	}
	one.References = []result.Reference{ref}
	return &one
}

// Proposing returns a result for this reference alone that proposes another URL.
func (r *Reference) Proposing(page, url string) *result.Result {
	known := *r
	target := *r.Target
	target.Result = &result.Result{URL: target.URL, Verdict: check.Broken, Code: check.CodeFragmentMissing, Internal: true, Suggestions: []check.Suggestion{{URL: url, Why: "renamed", Unique: true}}}
	known.Target = &target
	return known.Result(page)
}

// Document is what one document says.
type Document struct {
	Path       string
	References []Reference // in the order of their places
	own        []Finding   // those about the document itself, and of content checks
	asks       bool        // references lead elsewhere if other files come or go
}

// Finding is one thing that is wrong in a document.
type Finding struct {
	Line, Column int32 // from 1; 0 for the document as a whole
	Raw          string
	Severity     check.Verdict // Broken, VerdictWarning, Unverified or VerdictInfo
	Code         check.Code
	Message      string
	Meant        string  // the URL that was probably meant; "" for none
	Target       *Target // nil for a finding of a content check
	content      *result.Result
}

// Results returns what is known of each reference of a document, and the findings of content checks, as
// results with one reference each.
func (d *Document) Results() (all []*result.Result) {
	for i := range d.References {
		if r := d.References[i].Result(d.Path); r != nil {
			all = append(all, r)
		}
	}
	for i := range d.own {
		if r := d.own[i].content; r != nil {
			all = append(all, r)
		}
	}
	return all
}

// Findings returns the findings of a document in the order of their places.
func (d *Document) Findings() []Finding {
	if d == nil {
		return nil
	}
	all := slices.Clone(d.own)
	for i := range d.References {
		all = append(all, d.References[i].findings()...)
	}
	slices.SortStableFunc(all, compareFindings)
	return all
}

func compareFindings(a, b Finding) int {
	return cmp.Or(cmp.Compare(a.Line, b.Line), cmp.Compare(a.Column, b.Column), cmp.Compare(a.Code, b.Code), cmp.Compare(a.Message, b.Message))
}

func (r *Reference) findings() []Finding {
	t := r.Target
	if !t.Listed || t.Result == nil {
		return nil
	}
	var all []Finding
	add := func(severity check.Verdict, code check.Code, message, meant string) {
		all = append(all, Finding{r.Line, r.Column, r.Raw, severity, code, message, meant, t, nil})
	}
	if isFinding(t.Verdict) && !check.OfPage(t.Code) && !t.isKnown() {
		meant := ""
		if len(t.Result.Suggestions) > 0 {
			meant = t.Result.Suggestions[0].URL
		}
		add(t.Verdict, t.Code, t.Result.Message, meant)
	}
	ref := result.Reference{Unaffected: r.kind.unaffected}
	for _, w := range t.Warnings {
		if !w.IsVerdict(t.Code) && !check.OfPage(w.Code) && ref.Concerns(w.Code) {
			add(severityOf(&w), w.Code, w.Message, w.Proposal)
		}
	}
	return all
}

// isFinding reports whether a verdict is shown in the editor.
func isFinding(v check.Verdict) bool { return v != check.OK && v != check.Skipped }

func severityOf(w *check.Warning) check.Verdict {
	switch {
	case w.Level == check.LevelBroken:
		return check.Broken
	case w.Level == check.LevelUnverified:
		return check.Unverified
	case w.IsInfo():
		return check.VerdictInfo
	}
	return check.VerdictWarning
}

// Index is what the documents of a folder say. It never changes.
type Index struct {
	// Texts are the texts of open documents, by their paths.
	Texts map[string][]byte
	// Listed are the documents that are read because they are in the folder, sorted. Others are
	// read because documents use them, such as style sheets.
	Listed []string
	// Due are the documents whose findings are those of earlier texts, because a large one of them is
	// judged apart. Texts has these earlier texts.
	Due       map[string]Due
	large     map[string]bool // the large documents
	listing   *byte           // of which the documents are: another pointer for each
	documents map[string]*Document

	candidates candidates
	search     result.Search // how much a run over all documents would search for suggestions, at most
}

// Document returns a document, nil if there is none with the path.
func (x *Index) Document(path string) *Document { return x.documents[path] }

// Paths returns the paths of all documents, sorted.
func (x *Index) Paths() []string { return slices.Sorted(maps.Keys(x.documents)) }

// External returns the printed URLs of the external targets of documents that a condition holds for.
func (x *Index) External(where func(path string) bool) map[string]*Target {
	all := map[string]*Target{}
	for path, d := range x.documents {
		asked, holds := false, false
		for i := range d.References {
			t := d.References[i].Target
			if !t.IsExternal() || all[t.URL] != nil {
				continue
			}
			if !asked {
				asked, holds = true, where(path)
			}
			if holds {
				all[t.URL] = t
			}
		}
	}
	return all
}

// observe returns the index with what is known of external targets in some documents, and those of them
// that it changes.
func (x *Index) observe(known map[string]*Target, among []string) (*Index, []string) {
	next, touched := x, []string(nil)
	for _, path := range among {
		d := x.documents[path]
		isNews := func(r Reference) bool {
			t := known[r.Target.URL]
			return t != nil && t != r.Target && r.Target.IsExternal()
		}
		if d == nil || !slices.ContainsFunc(d.References, isNews) {
			continue
		}
		if next == x {
			copied := *x
			next = &copied
			next.documents = maps.Clone(x.documents)
		}
		changed := *d
		changed.References = slices.Clone(d.References)
		for i, r := range changed.References {
			if isNews(r) {
				changed.References[i].Target = known[r.Target.URL]
			}
		}
		next.documents[path] = &changed
		touched = append(touched, path)
	}
	return next, touched
}

// isListed reports whether a document is read because it is in the folder.
func (x *Index) isListed(path string) bool {
	_, found := slices.BinarySearch(x.Listed, path)
	return found
}

// sheets returns the documents that are read only because a document uses them, and that it uses: style sheets.
func (x *Index) sheets(p string) []string {
	d := x.documents[p]
	if d == nil {
		return nil
	}
	var all []string
	for i := range d.References {
		if file := d.References[i].Target.File; file != "" && (x.documents[file] != nil || isSheet(file)) && !x.isListed(file) {
			all = append(all, file)
		}
	}
	slices.Sort(all)
	return slices.Compact(all)
}
