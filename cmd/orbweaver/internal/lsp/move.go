package lsp

import (
	"cmp"
	"context"
	"fmt"
	"net/url"
	"path"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"golang.org/x/sync/errgroup"

	"github.com/orbweaver/orbweaver/cmd/orbweaver/internal/workspace"
	"github.com/orbweaver/orbweaver/crawler/check"
	"github.com/orbweaver/orbweaver/crawler/result"
	"github.com/orbweaver/orbweaver/urinorm"
)

type renamedFile struct {
	OldURI string `json:"oldUri"`
	NewURI string `json:"newUri"`
}

type renameFilesParams struct {
	Files []renamedFile `json:"files" need:"yes"`
}

// willRenameFiles answers what must be edited before files and folders are moved, so that each reference
// leads where it did.
func willRenameFiles(ctx context.Context, s *Server, p *renameFilesParams) (any, error) {
	var all workspaceEdit
	left := 0
	s.judging.rouse()
	for _, o := range s.folders.list() {
		m := movesIn(o, p.Files)
		if len(m) == 0 {
			continue
		}
		o, state, known, err := s.folders.await(ctx, o.probe(), true)
		if err != nil {
			return nil, err
		}
		if !known || state.fault != nil {
			continue
		}
		paths := state.index.Paths()
		parts, missed := make([]workspaceEdit, len(paths)), make([]int, len(paths))
		var workers errgroup.Group
		workers.SetLimit(runtime.GOMAXPROCS(0))
		for i, path := range paths {
			workers.Go(func() error {
				if s.folders.owns(o, filepath.Join(o.dir, filepath.FromSlash(path))) {
					parts[i], missed[i] = m.edit(s, &view{folder: o, state: state, path: path, encoding: s.texts.encoding})
				}
				return ctx.Err()
			})
		}
		if err := workers.Wait(); err != nil {
			return nil, err
		}
		for i := range parts {
			all.join(parts[i])
			left += missed[i]
		}
	}
	if left > 0 {
		s.client.show(typeWarning, fmt.Sprintf("%s cannot be edited and must be corrected by hand", counted(left, "reference")))
	}
	if all.Changes == nil && all.DocumentChanges == nil {
		return nil, nil
	}
	return all, nil
}

func didRenameFiles(_ context.Context, s *Server, p *renameFilesParams) error {
	var files []string
	for _, f := range p.Files {
		for _, uri := range []string{f.OldURI, f.NewURI} {
			if file, ok := pathOfURI(uri); ok {
				files = append(files, file)
			}
		}
	}
	s.folders.filesChanged(files)
	s.judging.rouse()
	return nil
}

// moves are the new names of files and folders by the old ones, in a folder of the workspace, with slashes. A name that
// is empty is outside of the folder.
type moves map[string]string

func movesIn(o *folder, files []renamedFile) moves {
	m := moves{}
	for _, f := range files {
		from, ok := pathOfURI(f.OldURI)
		if !ok || !o.has(from) {
			continue
		}
		m[o.rel(from)] = ""
		if to, ok := pathOfURI(f.NewURI); ok && o.has(to) {
			m[o.rel(from)] = o.rel(to)
		}
	}
	return m
}

// of returns the new name of a file or directory, which ends in a slash if the old one does; inside is
// false if it leaves the folder.
func (m moves) of(name string) (to string, inside bool) {
	plain := strings.TrimSuffix(name, "/")
	for above := plain; above != "." && above != "/" && above != ""; above = path.Dir(above) {
		if to, moved := m[above]; moved {
			return to + name[len(above):], to != ""
		}
	}
	return name, true
}

// edit returns the edit of a document, and the number of references that should be edited and cannot.
func (m moves) edit(s *Server, v *view) (edit workspaceEdit, missed int) {
	state, page := &v.state, v.path
	at, inside := m.of(page)
	if !inside {
		return edit, 0
	}
	refs := map[[2]int32]string{} // as they are written, if the document moves
	if at != page {
		v.text = textOf(state, page)
		for _, l := range state.judge.Read(page, []byte(v.text.body)).Links {
			refs[[2]int32{int32(l.Line), int32(l.Column)}] = l.Ref
		}
	}
	base := strings.TrimSuffix(state.judge.Printed(""), "./")
	document := state.index.Document(page)
	var results []*result.Result
	places := map[[2]int32]bool{}
	for i := range document.References {
		r := &document.References[i]
		if r.Target.Code == check.CodeExternal || strings.HasPrefix(r.Raw, "#") {
			continue
		}
		printed, below := strings.CutPrefix(r.Target.URL, base)
		if !below || base == "" && hasScheme(printed) {
			continue
		}
		name, inside := m.target(printed, r.Target.File)
		if !inside {
			continue
		}
		from, to := r.Target.URL, r.Target.URL
		if name != nil {
			to = state.judge.Printed(*name) + printed[pathEnd(printed):]
		}
		place := [2]int32{r.Line, r.Column}
		if ref, known := refs[place]; known && isRelative(ref) {
			from = resolved(base, state.judge.Printed(at), ref)
		}
		if from == to {
			continue
		}
		if r.Line == 0 {
			missed++
			continue
		}
		places[place] = true
		moved := *r
		target := *r.Target
		target.URL, moved.Target = from, &target
		results = append(results, moved.Proposing(page, to))
	}
	if results == nil {
		return edit, missed
	}
	if v.text == nil {
		v.text = textOf(state, page)
	}
	edits := state.judge.Edits(page, []byte(v.text.body), results, true)
	if missed += len(places) - len(edits); len(edits) == 0 {
		return edit, missed
	}
	slices.SortFunc(edits, func(a, b workspace.Edit) int { return cmp.Compare(a.Start, b.Start) })
	return v.edit(s, edits), missed
}

// pathEnd returns the length of the path in a reference without a host.
func pathEnd(ref string) int {
	if i := strings.IndexAny(ref, "?#"); i >= 0 {
		return i
	}
	return len(ref)
}

// target returns the new name of what a printed URL of the folder leads to, nil if it stays: in the same
// form, as without an extension or for a directory, where the new name allows it.
func (m moves) target(printed, file string) (to *string, inside bool) {
	name, err := url.PathUnescape(printed[:pathEnd(printed)])
	if err != nil {
		return nil, true
	}
	if name == "./" {
		name = ""
	}
	moved, inside := m.of(cmp.Or(file, name))
	if moved == cmp.Or(file, name) {
		return nil, inside
	}
	if file == "" {
		return &moved, inside
	}
	slash := ""
	omitted, short := strings.CutPrefix(file, name)
	if !short && strings.HasSuffix(name, "/") { // a page whose name is written as a directory
		slash = "/"
		omitted, short = strings.CutPrefix(file, strings.TrimSuffix(name, "/"))
	}
	if rest, ends := strings.CutSuffix(moved, omitted); short && ends && (rest != "" || name == "") && !strings.HasSuffix(rest, "/.") {
		moved = rest + slash
	}
	return &moved, inside
}

// isRelative reports whether a reference is a path relative to its document.
func isRelative(ref string) bool {
	return ref != "" && !strings.ContainsRune("/?#\\", rune(ref[0])) && !hasScheme(ref)
}

func hasScheme(ref string) bool {
	before, _, found := strings.Cut(ref, ":")
	return found && !strings.ContainsAny(before, "/.#?")
}

// above stands for a directory above a folder without a base, whose name is not known.
const above = "[..]/"

// resolved returns where a relative reference of a document with a printed URL leads, as printed.
func resolved(base, page, ref string) string {
	const host = "https://folder.invalid/"
	ups := 0
	if base == "" { // as many directories are above it as the reference can lead up
		ups = 1 + strings.Count(ref, "/") + strings.Count(ref, "\\")
		page = host + strings.Repeat(above, ups) + page
	}
	at, _, err := urinorm.ParseWeb(page)
	if err != nil {
		return ref
	}
	from, err := urinorm.NewBase(at, "utf-8")
	if err != nil {
		return ref
	}
	to, _, err := from.Resolve(ref)
	if err != nil {
		return ref
	}
	printed, made := strings.CutPrefix(to.Printed(), host)
	if base != "" || !made {
		return printed
	}
	for ; strings.HasPrefix(printed, above); ups-- {
		printed = printed[len(above):]
	}
	return cmp.Or(strings.Repeat("../", ups)+printed, "./")
}
