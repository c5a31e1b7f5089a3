package fix

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/orbweaver/orbweaver/crawler"
	"github.com/orbweaver/orbweaver/crawler/check"
	"github.com/orbweaver/orbweaver/crawler/extract"
	"github.com/orbweaver/orbweaver/crawler/extract/edit"
	"github.com/orbweaver/orbweaver/crawler/fetch"
	"github.com/orbweaver/orbweaver/report"
	"github.com/orbweaver/orbweaver/urinorm"
)

// Plan is a set of edits, file by file.
type Plan struct {
	Files   []*File   // those that have edits, by name
	LeftOut []LeftOut // in order of their places
	// Elsewhere counts proposals for references that no local file holds: on pages of
	// a website, on the command line or on standard input.
	Elsewhere int
}

// File is a file to be edited.
type File struct {
	Name   string // relative to the root, with slashes
	page   string // as the report calls it
	path   string
	before []byte
	after  []byte
	Edits  []Edit
}

// Edit is a reference to be written anew.
type Edit struct {
	Page          string // as the report calls the file
	Line, Column  int
	Before, After string // as it is written
	Why           string

	start, end int // of Before in the file
	written    []byte
}

// LeftOut is a proposed edit that is not made.
type LeftOut struct {
	Page         string
	Line, Column int
	Why          string
	// Never is true of what is not edited on principle, such as a binary document,
	// rather than for what became of the file.
	Never bool
}

// String writes it as editors open places.
func (l LeftOut) String() string {
	if l.Line == 0 {
		return l.Page + ": " + l.Why
	}
	return fmt.Sprintf("%s:%d:%d: %s", l.Page, l.Line, l.Column, l.Why)
}

// maxFiles bounds the files of a plan, which are held in memory.
const maxFiles = 100_000

// wish is one reference and what is proposed for it.
type wish struct {
	Proposal
	raw          string
	line, column int
}

// Make plans the edits that results propose for the files below root. dir is what
// the report's paths are relative to. The error is that of the file system's own;
// what is wrong with one file or one reference is left out of the plan and said.
func Make(root, dir string, results []*crawler.Result) (*Plan, error) {
	realRoot, err := filepath.EvalSymlinks(root)
	if err == nil {
		realRoot, err = filepath.Abs(realRoot)
	}
	if err != nil {
		return nil, fmt.Errorf("find %s: %w", root, err)
	}
	p := &Plan{}
	pages := map[string][]wish{}
	for _, r := range results {
		proposal, ok := Propose(r)
		if !ok {
			continue
		}
		for i := range r.References {
			p.sort(pages, proposal, &r.References[i])
		}
	}
	if len(pages) > maxFiles {
		return nil, fmt.Errorf("edit %d files: more than %d are not edited at once", len(pages), maxFiles)
	}
	files := map[string]*File{}
	wishes := map[*File][]wish{}
	for _, page := range slices.Sorted(maps.Keys(pages)) {
		path, name, err := place(realRoot, dir, page)
		if err != nil {
			p.leaveOut(page, 0, 0, err.Error())
			continue
		}
		f := files[path]
		if f == nil {
			f = &File{Name: name, page: page, path: path}
			files[path] = f
			p.Files = append(p.Files, f)
		}
		wishes[f] = append(wishes[f], pages[page]...) // a page may have several names
	}
	p.Files = slices.DeleteFunc(p.Files, func(f *File) bool { return !p.edit(f, wishes[f]) })
	slices.SortFunc(p.Files, func(a, b *File) int { return strings.Compare(a.Name, b.Name) })
	slices.SortFunc(p.LeftOut, func(a, b LeftOut) int {
		if c := strings.Compare(a.Page, b.Page); c != 0 {
			return c
		}
		if a.Line != b.Line {
			return a.Line - b.Line
		}
		return a.Column - b.Column
	})
	p.LeftOut = slices.Compact(p.LeftOut)
	return p, nil
}

// Edits counts the edits.
func (p *Plan) Edits() int {
	n := 0
	for _, f := range p.Files {
		n += len(f.Edits)
	}
	return n
}

// Incomplete reports whether an edit was left out that might have been made.
func (p *Plan) Incomplete() bool {
	return slices.ContainsFunc(p.LeftOut, func(l LeftOut) bool { return !l.Never })
}

func (p *Plan) leaveOut(page string, line, column int, why string) {
	p.LeftOut = append(p.LeftOut, LeftOut{page, line, column, why, false})
}

func (p *Plan) never(page string, line, column int, why string) {
	p.LeftOut = append(p.LeftOut, LeftOut{page, line, column, why, true})
}

// sort puts a reference to the file it is to be edited in.
func (p *Plan) sort(pages map[string][]wish, proposal Proposal, ref *crawler.Reference) {
	page, w := ref.Page, wish{proposal, ref.Raw, ref.Line, ref.Column}
	if s := ref.Source; s != nil {
		page, w.raw, w.line, w.column = s.File, s.Raw, s.Line, s.Column
	}
	switch why := proposal.Held(ref); {
	case !isLocal(page):
		p.Elsewhere++
	case why != "":
		p.never(page, w.line, w.column, why)
	default:
		pages[page] = append(pages[page], w)
	}
}

// isLocal tells a file's path from the other things a page can be.
func isLocal(page string) bool {
	return page != "" && page != crawler.CommandLine && page != "-" && !strings.Contains(page, "://")
}

// place finds a file, by its real path, and its name below root. Files outside are
// not touched.
func place(root, dir, page string) (path, name string, err error) {
	path = filepath.FromSlash(page)
	if !filepath.IsAbs(path) {
		path = filepath.Join(dir, path)
	}
	if path, err = filepath.EvalSymlinks(path); err == nil {
		path, err = filepath.Abs(path)
	}
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return "", "", errors.New("it is not there any more")
	case err != nil:
		return "", "", fmt.Errorf("it cannot be found: %w", cause(err))
	}
	name, err = filepath.Rel(root, path)
	if err != nil || !filepath.IsLocal(name) {
		return "", "", fmt.Errorf("it lies outside %s, and nothing there is edited", root)
	}
	return path, filepath.ToSlash(name), nil
}

// cause is what an error of package os says beside the operation and the name.
func cause(err error) error {
	var path *fs.PathError
	if errors.As(err, &path) {
		return path.Err
	}
	return err
}

// edit makes the edits of one file, and reports whether there are any.
func (p *Plan) edit(f *File, wishes []wish) bool {
	body, err := read(f.path)
	if err != nil {
		p.leaveOut(f.page, 0, 0, err.Error())
		return false
	}
	editor, err := edit.New(extract.Input{Body: body, ContentType: fetch.TypeByName(f.path), Name: filepath.Base(f.path)})
	if err != nil {
		p.never(f.page, 0, 0, "not edited: "+err.Error())
		return false
	}
	why := map[edit.Place]string{}
	for _, w := range wishes {
		at := edit.Place{Line: w.line, Column: w.column}
		switch err := ask(editor, at, w); {
		case errors.Is(err, errNoPage), errors.Is(err, errSource):
			p.never(f.page, w.line, w.column, err.Error())
			continue
		case err != nil:
			p.leaveOut(f.page, w.line, w.column, err.Error())
			continue
		}
		why[at] = w.Why
	}
	after, changed := editor.Apply()
	for _, c := range changed {
		if c.Err != nil {
			p.leaveOut(f.page, c.Line, c.Column, c.Err.Error())
			continue
		}
		f.Edits = append(f.Edits, Edit{f.page, c.Line, c.Column, c.Before, c.After, why[c.Place], c.Start, c.End, c.Written})
	}
	f.before, f.after = body, after
	return len(f.Edits) > 0
}

// read reads a file that may be edited.
func read(path string) ([]byte, error) {
	info, err := os.Stat(path)
	switch {
	case err != nil:
		return nil, fmt.Errorf("it cannot be read: %w", cause(err))
	case !info.Mode().IsRegular():
		return nil, errors.New("it is no regular file")
	case info.Size() > edit.MaxSize:
		return nil, fmt.Errorf("not edited: it is longer than %d MiB", edit.MaxSize>>20)
	}
	body, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("it cannot be read: %w", cause(err))
	}
	return body, nil
}

// Why another form of a page is not written.
var (
	// an image, a script or a style sheet is wanted
	errNoPage = errors.New("what is wanted there is no page")
	// the page itself is made from it, or was
	errSource = errors.New("what was found is what pages are made from, and no page")
)

// ask asks an editor for what is wished, if the reference still stands there.
func ask(editor *edit.Editor, at edit.Place, w wish) error {
	link, ok := editor.At(at, w.raw)
	if !ok {
		return fmt.Errorf("changed since the run: %s does not stand there", shortened(w.raw))
	}
	switch to, _, _ := strings.Cut(w.To, "#"); {
	case w.Why != check.WhyForm:
	case link.Kind == extract.Resource || link.Kind == extract.Stylesheet:
		return errNoPage
	case check.IsSource(to) && editor.Document().Format == "html":
		return errSource
	}
	ref, ok := retarget(link.Ref, w.Proposal)
	if !ok {
		return fmt.Errorf("%s cannot be told from its own form to be %s", shortened(w.raw), w.From)
	}
	return editor.Change(at, ref)
}

// retarget writes a reference anew. A source may refer to a page otherwise than what
// is made from it does (guide.md for guide/): then only a fragment can be changed.
func retarget(ref string, p Proposal) (string, bool) {
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

// shortened is a text as a message shows it.
func shortened(s string) string {
	const most = 80
	if len(s) > most {
		s = strings.ToValidUTF8(s[:most], "") + "…"
	}
	return fmt.Sprintf("%q", s)
}

// Write puts the edited files in place of those that are there, each whole or not
// at all, with the permissions they have. A file that was changed in the meantime
// is left alone; the error names each that could not be written.
func (p *Plan) Write() (written []*File, err error) {
	var errs []error
	for _, f := range p.Files {
		if err := f.write(); err != nil {
			errs = append(errs, err)
			continue
		}
		written = append(written, f)
	}
	return written, errors.Join(errs...)
}

func (f *File) write() error {
	now, err := os.ReadFile(f.path)
	if err != nil {
		return fmt.Errorf("write %s: %w", f.page, cause(err))
	}
	if !bytes.Equal(now, f.before) {
		return fmt.Errorf("write %s: it was changed in the meantime", f.page)
	}
	return report.ReplaceFile(f.path, f.after)
}
