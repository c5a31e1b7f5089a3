package fix

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/orbweaver/orbweaver/crawler/check"
	"github.com/orbweaver/orbweaver/crawler/extract"
	"github.com/orbweaver/orbweaver/crawler/fetch"
	"github.com/orbweaver/orbweaver/crawler/result"
	"github.com/orbweaver/orbweaver/report"
	"github.com/orbweaver/orbweaver/urinorm"
)

// Plan is a set of edits of files.
type Plan struct {
	Files   []*File   // files with edits, sorted by name
	LeftOut []LeftOut // sorted by place
	// Unsure are the edits that only [Likely] makes, with the reason, sorted by place.
	Unsure []LeftOut
	// Elsewhere is the number of proposals for references outside local files: on pages
	// of a website, on the command line, or on standard input.
	Elsewhere int

	pages map[string]*File // by the names of pages in the report
}

// File is a file with edits.
type File struct {
	name   string // relative to the root, with slashes
	page   string // name of the file in the report
	path   string
	before []byte
	after  []byte
	Edits  []Edit

	edited  map[editedReference]bool
	written bool
}

type editedReference struct {
	at     place
	target string
}

// Level is how certain a proposal must be to become an edit.
type Level uint8

// The levels.
const (
	Certain Level = iota
	Likely        // also suggestions for broken links that may be wrong
)

// ParseLevel parses "certain" or "likely".
func ParseLevel(s string) (Level, error) {
	switch s {
	case "certain":
		return Certain, nil
	case "likely":
		return Likely, nil
	}
	return 0, fmt.Errorf("unknown level %q: use certain or likely", s)
}

// Edit is a replacement of one reference, or of a text that a content check found.
type Edit struct {
	Page          string // name of the file in the report
	Line, Column  int
	Before, After string     // the reference or the text in the syntax of the file
	Code          check.Code // of the finding or warning that it mends

	start, end int // byte range of Before in the file
	written    []byte
}

// LeftOut is a proposed edit that is not made.
type LeftOut struct {
	page         string
	line, column int
	why          string
	// never is true if such a reference is never edited, as in a binary document. It is
	// false if the edit failed because of the state of the file.
	never bool
}

// String returns the place in the form that editors open, and the reason.
func (l LeftOut) String() string {
	if l.line == 0 {
		return l.page + ": " + l.why
	}
	return fmt.Sprintf("%s:%d:%d: %s", l.page, l.line, l.column, l.why)
}

// maxFiles is the maximum number of files in a plan, which are all held in memory.
const maxFiles = 100_000

type proposedEdit struct {
	report.Proposal
	raw          string
	line, column int

	copied check.Copy // of an edit that makes a link robust
	moves  bool       // and lets it lead to the copy
}

// Make plans the edits that results propose for files below root, as far as they are certain
// enough. The paths in the report are relative to dir. Make returns an error only if root cannot be found or there are
// too many files. A file or a reference that cannot be edited is listed in Plan.LeftOut.
func Make(root, dir string, results []*result.Result, level Level, copies Copies) (*Plan, error) {
	realRoot, err := filepath.EvalSymlinks(root)
	if err == nil {
		realRoot, err = filepath.Abs(realRoot)
	}
	if err != nil {
		return nil, fmt.Errorf("find %s: %w", root, err)
	}
	p := &Plan{pages: map[string]*File{}}
	pages := map[string][]proposedEdit{}
	for _, r := range results {
		proposal, ok := report.Propose(r)
		if !ok {
			proposal, ok = report.Guess(r)
		}
		robust, isRobust := copies.robust(r)
		for i := range r.References {
			ref := &r.References[i]
			if ref.RemappedFrom != "" {
				continue // the document names another URL
			}
			if ok {
				p.collect(pages, proposal, ref, level)
			}
			if at := ref.At(); isRobust && isLocal(at.File) && robust.Blocked(ref) == "" {
				robust.raw, robust.line, robust.column = at.Raw, at.Line, at.Column
				pages[at.File] = append(pages[at.File], robust)
			}
		}
	}
	if len(pages) > maxFiles {
		return nil, fmt.Errorf("cannot edit %d files at once: the limit is %d", len(pages), maxFiles)
	}
	files := map[string]*File{}
	wishes := map[*File][]proposedEdit{}
	for _, page := range slices.Sorted(maps.Keys(pages)) {
		path, name, err := locate(realRoot, dir, page)
		if err != nil {
			p.leaveOut(page, 0, 0, err.Error())
			continue
		}
		f := files[path]
		if f == nil {
			f = &File{name: name, page: page, path: path, edited: map[editedReference]bool{}}
			files[path] = f
			p.Files = append(p.Files, f)
		}
		wishes[f] = append(wishes[f], pages[page]...) // a file may have several names
		p.pages[page] = f
	}
	p.Files = slices.DeleteFunc(p.Files, func(f *File) bool { return !p.edit(f, wishes[f]) })
	slices.SortFunc(p.Files, func(a, b *File) int { return strings.Compare(a.name, b.name) })
	p.LeftOut, p.Unsure = byPlace(p.LeftOut), byPlace(p.Unsure)
	return p, nil
}

// byPlace sorts what is left out, without repetitions.
func byPlace(all []LeftOut) []LeftOut {
	slices.SortFunc(all, func(a, b LeftOut) int {
		return cmp.Or(strings.Compare(a.page, b.page), a.line-b.line, a.column-b.column, strings.Compare(a.why, b.why))
	})
	return slices.Compact(all)
}

// Edits returns the number of edits.
func (p *Plan) Edits() int {
	n := 0
	for _, f := range p.Files {
		n += len(f.Edits)
	}
	return n
}

// Incomplete reports whether edits were left out that are possible in principle.
func (p *Plan) Incomplete() bool {
	return slices.ContainsFunc(p.LeftOut, func(l LeftOut) bool { return !l.never })
}

func (p *Plan) leaveOut(page string, line, column int, why string) {
	p.LeftOut = append(p.LeftOut, LeftOut{page, line, column, why, false})
}

func (p *Plan) never(page string, line, column int, why string) {
	p.LeftOut = append(p.LeftOut, LeftOut{page, line, column, why, true})
}

func (p *Plan) collect(pages map[string][]proposedEdit, proposal report.Proposal, ref *result.Reference, level Level) {
	at := ref.At()
	page, w := at.File, proposedEdit{Proposal: proposal, raw: at.Raw, line: at.Line, column: at.Column}
	switch why := proposal.Blocked(ref); {
	case proposal.Doubt != "" && level == Certain:
		if isLocal(page) && why == "" {
			p.Unsure = append(p.Unsure, LeftOut{page, w.line, w.column, shortened(at.Raw) + " may be " + shortened(proposal.To) + " (" + proposal.Doubt + ")", true})
		}
	case !isLocal(page):
		p.Elsewhere++
	case why != "":
		p.never(page, w.line, w.column, why)
	default:
		pages[page] = append(pages[page], w)
	}
}

func isLocal(page string) bool {
	return page != "" && page != result.CommandLine && page != "-" && !strings.Contains(page, "://")
}

// locate returns the real path of a file and its name relative to root. It returns an
// error for files outside root, which must not be edited.
func locate(root, dir, page string) (path, name string, err error) {
	path = filepath.FromSlash(page)
	if !filepath.IsAbs(path) {
		path = filepath.Join(dir, path)
	}
	if path, err = filepath.EvalSymlinks(path); err == nil {
		path, err = filepath.Abs(path)
	}
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return "", "", errors.New("the file no longer exists")
	case err != nil:
		return "", "", fmt.Errorf("cannot find the file: %w", cause(err))
	}
	name, err = filepath.Rel(root, path)
	if err != nil || !filepath.IsLocal(name) {
		return "", "", fmt.Errorf("the file is outside %s: only files in that directory are edited", root)
	}
	return path, filepath.ToSlash(name), nil
}

// cause returns what an error of package os says without the operation and the name.
func cause(err error) error {
	if path, ok := errors.AsType[*fs.PathError](err); ok {
		return path.Err
	}
	return err
}

func (p *Plan) edit(f *File, wishes []proposedEdit) bool {
	body, err := read(f.path)
	if err != nil {
		p.leaveOut(f.page, 0, 0, err.Error())
		return false
	}
	return p.editText(f, extract.Input{Body: body, ContentType: fetch.TypeByName(f.path), Name: filepath.Base(f.path)}, wishes)
}

// ForText plans the edits that results propose for one document, whose text counts in place of its
// file. page is its name in the results.
func ForText(page string, in extract.Input, results []*result.Result, level Level) []Edit {
	p, pages := &Plan{pages: map[string]*File{}}, map[string][]proposedEdit{}
	for _, r := range results {
		proposal, ok := report.Propose(r)
		if !ok {
			proposal, ok = report.Guess(r)
		}
		for i := range r.References {
			if ref := &r.References[i]; ok && ref.RemappedFrom == "" && ref.At().File == page {
				p.collect(pages, proposal, ref, level)
			}
		}
	}
	f := &File{page: page, edited: map[editedReference]bool{}}
	p.editText(f, in, pages[page])
	return f.Edits
}

// Replacement returns what an edit writes, and the byte range that it replaces in the source.
func (e *Edit) Replacement() (start, end int, written []byte) { return e.start, e.end, e.written }

func (p *Plan) editText(f *File, in extract.Input, wishes []proposedEdit) bool {
	if len(wishes) == 0 {
		return false
	}
	body := in.Body
	e, err := newEditor(in)
	if err != nil {
		p.never(f.page, 0, 0, "not edited: "+err.Error())
		return false
	}
	codes := map[place]check.Code{}
	var robust []proposedEdit
	for _, w := range wishes {
		at := place{Line: w.line, Column: w.column}
		if w.isRobust() {
			robust = append(robust, w)
			continue
		}
		switch err := request(e, at, w); {
		case errors.Is(err, errNotPage), errors.Is(err, errPageSource):
			p.never(f.page, w.line, w.column, err.Error())
			continue
		case err != nil:
			p.leaveOut(f.page, w.line, w.column, err.Error())
			continue
		}
		codes[at] = w.Code
		f.edited[editedReference{at, w.From}] = true
	}
	refused := e.makeRobust(robust)
	for _, w := range robust {
		at := place{Line: w.line, Column: w.column}
		switch err := refused[at]; {
		case err == nil:
			codes[at] = w.Code
			f.edited[editedReference{at, w.From}] = true
		case !errors.Is(err, errAsItIs):
			p.leaveOut(f.page, w.line, w.column, err.Error())
		}
	}
	after, changed := e.Apply()
	for _, c := range changed {
		if c.Err != nil {
			p.leaveOut(f.page, c.Line, c.Column, c.Err.Error())
			maps.DeleteFunc(f.edited, func(r editedReference, _ bool) bool { return r.at == c.place })
			continue
		}
		f.Edits = append(f.Edits, Edit{f.page, c.Line, c.Column, c.Before, c.After, codes[c.place], c.Start, c.End, c.Written})
	}
	f.before, f.after = body, after
	return len(f.Edits) > 0
}

// read reads a file that may be edited.
func read(path string) ([]byte, error) {
	info, err := os.Stat(path)
	switch {
	case err != nil:
		return nil, fmt.Errorf("cannot read the file: %w", cause(err))
	case !info.Mode().IsRegular():
		return nil, errors.New("not a regular file")
	case info.Size() > maxSize:
		return nil, fmt.Errorf("not edited: larger than %d MiB", maxSize>>20)
	}
	body, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("cannot read the file: %w", cause(err))
	}
	return body, nil
}

// Reasons not to replace a reference by another form of a page's URL.
var (
	// the reference is to an image, a script or a style sheet
	errNotPage = errors.New("the reference is not to a page, but the suggestion is")
	// pages are generated from the suggested file
	errPageSource = errors.New("the suggestion is a source file that pages are generated from")
)

// request records an edit, if the reference is still at its place.
func request(e *editor, at place, w proposedEdit) error {
	if w.Literal {
		return e.Replace(at, w.raw, w.To)
	}
	link, ok := e.At(at, w.raw)
	if !ok {
		return fmt.Errorf("changed since the run: %s is no longer there", shortened(w.raw))
	}
	switch to, _, _ := strings.Cut(w.To, "#"); {
	case w.Why != check.WhyForm:
	case link.Kind == extract.Resource || link.Kind == extract.Stylesheet:
		return errNotPage
	case check.IsSource(to) && e.doc.Format == "html":
		return errPageSource
	}
	ref, ok := retarget(link.Ref, w.Proposal)
	if !ok {
		return fmt.Errorf("%s does not have the form of a link to %s", shortened(w.raw), w.From)
	}
	return e.Change(at, ref)
}

// retarget returns a reference that leads to the new target. A source may refer to a page
// by another name than its HTML does (guide.md for guide/). Then only a fragment can be
// changed.
func retarget(ref string, p report.Proposal) (string, bool) {
	if s, ok := urinorm.Retarget(ref, p.From, p.To); ok {
		return s, true
	}
	page, fragment, _ := strings.Cut(ref, "#")
	fromPage, from, _ := strings.Cut(p.From, "#")
	toPage, to, both := strings.Cut(p.To, "#")
	if !both || fromPage != toPage || fragment == "" || fragment != from {
		return "", false
	}
	return page + "#" + to, true
}

// shortened quotes a text for a message and limits its length.
func shortened(s string) string {
	const most = 80
	if len(s) > most {
		s = strings.ToValidUTF8(s[:most], "") + "…"
	}
	return fmt.Sprintf("%q", s)
}

// Write replaces each edited file completely or not at all, and keeps its permissions. It
// does not replace a file that has changed since the plan was made. The error names each
// file that could not be written.
func (p *Plan) Write() (written []*File, err error) {
	var errs []error
	for _, f := range p.Files {
		if err := f.write(); err != nil {
			errs = append(errs, err)
			continue
		}
		f.written = true
		written = append(written, f)
	}
	return written, errors.Join(errs...)
}

// Written reports whether Write has replaced a reference to target, which is the printed
// URL of a result.
func (p *Plan) Written(ref *result.Reference, target string) bool {
	at := ref.At()
	f := p.pages[at.File]
	return f != nil && f.written && f.edited[editedReference{place{Line: at.Line, Column: at.Column}, target}]
}

func (f *File) write() error {
	now, err := os.ReadFile(f.path)
	if err != nil {
		return fmt.Errorf("write %s: %w", f.page, cause(err))
	}
	if !bytes.Equal(now, f.before) {
		return fmt.Errorf("write %s: the file was changed in the meantime", f.page)
	}
	return report.ReplaceFile(f.path, f.after)
}
