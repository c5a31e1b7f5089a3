package lsp

import (
	"cmp"
	"context"
	"html"
	"maps"
	"net/url"
	"slices"
	"strings"
	"unicode"

	"github.com/orbweaver/orbweaver/cmd/orbweaver/internal/workspace"
	"github.com/orbweaver/orbweaver/crawler/extract"
	"github.com/orbweaver/orbweaver/crawler/result"
)

// renaming is a heading or an id that can be renamed: what is written at its place.
type renaming struct {
	file       string
	anchor     *anchor
	anchors    []anchor // of the file
	text       *text
	start, end int
	explicit   bool // it is the id that is written behind a heading: {#id}
}

// renamable returns what a position is about, if that can be renamed.
func (v *view) renamable(p position) (*renaming, bool) {
	file, _, found := v.pointed(p)
	if found == nil {
		return nil, false
	}
	r := &renaming{file: file, anchor: found, anchors: v.anchorsIn(file), text: textOf(&v.state, file)}
	if from, to, ok := found.explicitID(r.text); ok {
		at := v.text.offset(p, v.encoding)
		if v.at(p) != nil || from <= at && at <= to {
			r.start, r.end, r.explicit = from, to, true
			return r, true
		}
	}
	at := found.span(r.text, utf8Units)
	r.start, r.end = r.text.offset(at.Start, utf8Units), r.text.offset(at.End, utf8Units)
	return r, r.end > r.start
}

// prepared is the range of what is renamed at a position, and its name.
type prepared struct {
	Range       span   `json:"range"`
	Placeholder string `json:"placeholder"`
}

func prepareRename(ctx context.Context, s *Server, p *positionParams) (any, error) {
	v, err := s.viewOf(ctx, p.TextDocument, false)
	if v == nil {
		return nil, err
	}
	r, ok := v.renamable(p.Position)
	if !ok {
		return nil, nil
	}
	name := r.text.body[r.start:r.end]
	if link := v.at(p.Position); link != nil {
		from, to := v.text.bounds(int(link.Line), int(link.Column), link.Raw)
		from += strings.IndexByte(link.Raw, '#') + 1
		return prepared{span{v.text.position(from, v.encoding), v.text.position(to, v.encoding)}, name}, nil
	}
	return prepared{span{r.text.position(r.start, v.encoding), r.text.position(r.end, v.encoding)}, name}, nil
}

type renameParams struct {
	positionParams
	NewName string `json:"newName" need:"yes"`
}

func rename(ctx context.Context, s *Server, p *renameParams) (any, error) {
	v, err := s.viewOf(ctx, p.TextDocument, true)
	if v == nil {
		return nil, err
	}
	if strings.TrimSpace(p.NewName) == "" || strings.ContainsAny(p.NewName, "\r\n") {
		return nil, errorf(codeInvalidParams, "the new name is empty or has a line end")
	}
	r, ok := v.renamable(p.Position)
	if !ok {
		return nil, errorf(codeFailed, "there is no heading and no id that can be renamed")
	}
	written, err := r.written(v.state.judge, p.NewName)
	if err != nil {
		return nil, err
	}
	renamed, err := v.renamedAnchor(r, written)
	if err != nil {
		return nil, err
	}
	edits := map[string][]workspace.Edit{r.file: {{Start: r.start, End: r.end, New: written}}}
	for _, path := range v.state.index.Paths() {
		more, err := v.redirected(path, r, renamed)
		if err != nil {
			return nil, err
		}
		if len(more) > 0 {
			edits[path] = append(edits[path], more...)
		}
	}
	return v.workspaceEdit(s, edits), nil
}

func (r *renaming) read(judge workspace.Judge, name string) *extract.Document {
	return judge.Read(r.file, []byte(r.text.replace(r.start, r.end, name).body))
}

// written returns how a new name is written at its place: that of an attribute is escaped. A heading without a
// letter or digit has no anchor of its own.
func (r *renaming) written(judge workspace.Judge, name string) (string, error) {
	if r.explicit {
		return name, nil
	}
	if r.anchor.level > 0 && strings.IndexFunc(name, func(c rune) bool { return unicode.IsLetter(c) || unicode.IsNumber(c) }) < 0 {
		return "", errorf(codeInvalidParams, "%.100q gives no anchor", name)
	}
	if r.start == 0 || !strings.ContainsRune(`"'=`, rune(r.text.body[r.start-1])) || r.anchor.level > 0 {
		return name, nil
	}
	for _, written := range []string{name, html.EscapeString(name)} {
		is := func(a anchor) bool { return a.is(r.anchor) && slices.Contains(a.names, name) }
		if slices.ContainsFunc(anchorsOf(r.read(judge, written)), is) {
			return written, nil
		}
	}
	return "", errorf(codeInvalidParams, "%.100q cannot be written as an id here", name)
}

// renamedAnchor returns the anchor after a rename. Every other anchor of the document stays as it was, and so does
// every link.
func (v *view) renamedAnchor(r *renaming, name string) (*anchor, error) {
	document := r.read(v.state.judge, name)
	was, is := r.anchors, anchorsOf(document)
	if len(was) != len(is) {
		return nil, errorf(codeInvalidParams, "%.100q gives no anchor, or would be read as something else", name)
	}
	before := v.state.judge.Read(r.file, []byte(r.text.body))
	if !slices.EqualFunc(before.Links, document.Links, func(a, b extract.Link) bool { return a.Ref == b.Ref && a.Line == b.Line }) {
		return nil, errorf(codeFailed, "%.100q would add or remove a link", name)
	}
	var renamed *anchor
	for i := range was {
		a, b := &was[i], &is[i]
		switch {
		case a.line == r.anchor.line && a.column == r.anchor.column:
			renamed = b
		case !slices.Equal(a.names, b.names):
			return nil, errorf(codeFailed, "the anchor #%s of %.100q would be another one", a.names[0], a.title)
		}
	}
	if renamed == nil || len(renamed.names) == 0 || r.explicit && !slices.Contains(renamed.names, name) {
		return nil, errorf(codeInvalidParams, "%.100q gives no anchor", name)
	}
	for _, n := range renamed.names { // the names of links (<a name>) are anchors that cannot be renamed
		if slices.Contains(before.Anchors, n) && !slices.Contains(r.anchor.names, n) && !slices.ContainsFunc(was, func(a anchor) bool { return slices.Contains(a.names, n) }) {
			return nil, errorf(codeFailed, "the page has the anchor #%.100s already", n)
		}
	}
	for i := range is {
		for _, n := range renamed.names {
			if &is[i] != renamed && slices.Contains(is[i].names, n) {
				return nil, errorf(codeFailed, "%.100q has the anchor #%s already", is[i].title, n)
			}
		}
		// A number was appended to what was taken.
		if &is[i] != renamed && (strings.HasPrefix(renamed.names[0], is[i].names[0]+"-") || strings.HasPrefix(renamed.names[0], is[i].names[0]+"_")) && strings.EqualFold(strings.TrimSpace(is[i].title), strings.TrimSpace(name)) {
			return nil, errorf(codeFailed, "%.100q has the anchor #%s already", is[i].title, is[i].names[0])
		}
	}
	return renamed, nil
}

// redirected returns the edits of a document whose references lead to an anchor that is renamed, in the
// syntax and spelling of each reference.
func (v *view) redirected(path string, r *renaming, renamed *anchor) ([]workspace.Edit, error) {
	d := v.state.index.Document(path)
	var results []*result.Result
	places := map[[2]int32]bool{}
	for i := range d.References {
		ref := &d.References[i]
		t := ref.Target
		if t.File != r.file || !ledTo(r.anchors, t).is(r.anchor) {
			continue
		}
		to := renamed.like(r.anchor, t.Fragment())
		if ref.Line == 0 {
			return nil, errorf(codeFailed, "a reference in %.100q has no place that can be edited", path)
		}
		if to == t.Fragment() {
			continue
		}
		page, _, _ := strings.Cut(t.URL, "#")
		results = append(results, ref.Proposing(path, page+"#"+to))
		places[[2]int32{ref.Line, ref.Column}] = true
	}
	if results == nil {
		return nil, nil
	}
	edits := v.state.judge.Edits(path, []byte(textOf(&v.state, path).body), results, true)
	if len(edits) != len(places) {
		return nil, errorf(codeFailed, "a reference in %.100q cannot be edited", path)
	}
	return edits, nil
}

// like returns the name of an anchor that corresponds to a fragment of another one: site generators give
// a heading several names.
func (a *anchor) like(other *anchor, fragment string) string {
	name, err := url.PathUnescape(fragment)
	if err != nil {
		name = fragment
	}
	i := max(slices.Index(other.names, name), slices.Index(other.names, fragment))
	if i < 0 {
		i = slices.IndexFunc(other.names, func(n string) bool { return strings.EqualFold(n, name) })
	}
	if len(a.names) != len(other.names) || i < 0 {
		i = 0
	}
	return url.PathEscape(a.names[i])
}

// workspaceEdit returns edits of several documents in the form that the editor takes.
func (v *view) workspaceEdit(s *Server, edits map[string][]workspace.Edit) workspaceEdit {
	var all workspaceEdit
	for _, path := range v.state.index.Paths() {
		if len(edits[path]) == 0 {
			continue
		}
		slices.SortFunc(edits[path], func(a, b workspace.Edit) int { return cmp.Compare(a.Start, b.Start) })
		of := *v
		of.path, of.text = path, textOf(&v.state, path)
		all.join(of.edit(s, edits[path]))
	}
	return all
}

// join adds the edits of other documents.
func (w *workspaceEdit) join(more workspaceEdit) {
	w.DocumentChanges = append(w.DocumentChanges, more.DocumentChanges...)
	if w.Changes == nil {
		w.Changes = more.Changes
		return
	}
	maps.Copy(w.Changes, more.Changes)
}
