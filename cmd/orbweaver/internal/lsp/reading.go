package lsp

import (
	"context"
	"net/url"
	"path/filepath"
	"slices"
	"strings"

	"github.com/orbweaver/orbweaver/cmd/orbweaver/internal/workspace"
	"github.com/orbweaver/orbweaver/crawler/check"
	"github.com/orbweaver/orbweaver/report"
)

// view is one version of a document, as a request sees it.
type view struct {
	folder   *folder
	state    judged
	path     string // in the folder
	text     *text
	encoding encoding
}

// viewOf returns the version of a document after all changes before a request: of the document, or if all is
// set, of all of its folder. It returns nil if it is in no folder, its configuration is wrong, or an
// editor offers nothing in such a document.
func (s *Server) viewOf(ctx context.Context, d textDocument, all bool) (*view, error) {
	abs := placeOf(d.URI)
	s.judging.rouse()
	o, state, known, err := s.folders.await(ctx, abs, all)
	if err != nil || !known || state.fault != nil {
		return nil, err
	}
	path := o.rel(abs)
	if _, open := state.index.Texts[path]; !open && state.index.Document(path) == nil {
		return nil, nil
	}
	text := textOf(&state, path)
	if !state.judge.Offers(path, []byte(text.body)) {
		return nil, nil
	}
	return &view{o, state, path, text, s.texts.encoding}, nil
}

// viewOfItself is like viewOf for answers that need nothing but the document: while its folder is judged for the
// first time, an open document is judged alone.
func (s *Server) viewOfItself(ctx context.Context, d textDocument) (*view, error) {
	o, t, waits := s.folders.unjudged(placeOf(d.URI))
	if !waits {
		return s.viewOf(ctx, d, false)
	}
	path := o.rel(placeOf(d.URI))
	judge, err := s.engine.Open(o.dir, "", t.settings)
	if err != nil {
		return s.viewOf(ctx, d, false)
	}
	defer judge.Close()
	judge.Speak(t.language)
	if !judge.Offers(path, t.texts[path]) {
		return nil, nil
	}
	index, err := workspace.Folder{Judge: judge}.Alone(ctx, path, t.texts)
	if index == nil || err != nil {
		return s.viewOf(ctx, d, false)
	}
	state := judged{index: index, judge: judge}
	return &view{o, state, path, textOf(&state, path), s.texts.encoding}, nil
}

func (v *view) span(r *workspace.Reference) span {
	return v.text.spanOf(int(r.Line), int(r.Column), r.Raw, v.encoding)
}

// references returns the references of the document that have a place.
func (v *view) references() []workspace.Reference {
	d := v.state.index.Document(v.path)
	if d == nil {
		return nil
	}
	return slices.DeleteFunc(slices.Clone(d.References), func(r workspace.Reference) bool { return r.Line == 0 })
}

// at returns the reference at a position, nil if there is none: of several, the shortest.
func (v *view) at(p position) *workspace.Reference {
	offset := v.text.offset(p, v.encoding)
	var best *workspace.Reference
	all := v.references()
	for i := range all {
		from, to := v.text.bounds(int(all[i].Line), int(all[i].Column), all[i].Raw)
		if from <= offset && offset <= to && (best == nil || len(all[i].Raw) < len(best.Raw)) {
			best = &all[i]
		}
	}
	return best
}

func (v *view) uri(s *Server, file string) string {
	return s.folders.uriOf(filepath.Join(v.folder.dir, filepath.FromSlash(file)))
}

type positionParams struct {
	TextDocument textDocument `json:"textDocument" need:"yes"`
	Position     position     `json:"position" need:"yes"`
}

// Limits of a hover, in characters of one text and in bytes.
const (
	maxHoverText = 200
	maxHover     = 2000
)

func hover(ctx context.Context, s *Server, p *positionParams) (any, error) {
	v, err := s.viewOf(ctx, p.TextDocument, false)
	if v == nil {
		return nil, err
	}
	r := v.at(p.Position)
	if r == nil {
		return nil, nil
	}
	kind, quote := "plaintext", func(text string) string { return text }
	if slices.Contains(s.client.capabilities().TextDocument.Hover.ContentFormat, "markdown") {
		kind, quote = "markdown", codeSpan
	}
	var lines []string
	line := func(label, text string) {
		if text != "" {
			lines = append(lines, label+quote(cut(printable(text), maxHoverText)))
		}
	}
	t := r.Target
	line("", t.URL)
	lines = append(lines, t.Verdict.String()+" "+quote(string(t.Code)))
	if t.File != "" {
		line("title ", v.state.judge.Read(t.File, []byte(textOf(&v.state, t.File).body)).Title)
	}
	if t.Result != nil {
		if t.File == "" {
			line("title ", t.Result.Title)
		}
		line("", t.Result.Message)
		if len(t.Result.Redirects) > 0 {
			line("redirected to ", t.Result.FinalURL)
		}
		for _, w := range t.Warnings {
			line(string(w.Code)+": ", w.Message)
		}
		if len(t.Result.Suggestions) > 0 {
			line("did you mean ", t.Result.Suggestions[0].URL)
		}
	}
	switch {
	case !t.Observed.IsZero():
		lines = append(lines, observedAt(t, v.state.judge.MaxAge()))
	case t.IsExternal():
		lines = append(lines, "not observed")
	}
	text := strings.Join(lines, "\n\n")
	for len(text) > maxHover {
		lines = lines[:len(lines)-1]
		text = strings.Join(lines, "\n\n")
	}
	return map[string]any{"contents": map[string]any{"kind": kind, "value": text}, "range": v.span(r)}, nil
}

// codeSpan returns a text as code of Markdown, in which nothing else has a meaning.
func codeSpan(text string) string {
	text = strings.Join(strings.Fields(report.Visible(text)), " ")
	longest, run := 0, 0
	for _, c := range text {
		if c == '`' {
			run++
			longest = max(longest, run)
		} else {
			run = 0
		}
	}
	fence := strings.Repeat("`", longest+1)
	if longest > 0 {
		return fence + " " + text + " " + fence
	}
	return fence + text + fence
}

// location is a range in a document.
type location struct {
	URI   string `json:"uri"`
	Range span   `json:"range"`
}

func definition(ctx context.Context, s *Server, p *positionParams) (any, error) {
	v, err := s.viewOf(ctx, p.TextDocument, false)
	if v == nil {
		return nil, err
	}
	r := v.at(p.Position)
	if r == nil {
		if at, ok := v.labelAt(v.text.offset(p.Position, v.encoding)); ok {
			return location{v.uri(s, v.path), at}, nil
		}
	}
	if r == nil || r.Target.File == "" || r.Target.Verdict == check.Skipped {
		return nil, nil
	}
	return location{v.uri(s, r.Target.File), v.anchorSpan(r.Target)}, nil
}

// anchorSpan returns the place of what a target is in its file: the beginning, if it has no fragment or
// there is none of the name.
func (v *view) anchorSpan(t *workspace.Target) span {
	if a := ledTo(v.anchorsIn(t.File), t); a != nil {
		return textOf(&v.state, t.File).spanOf(a.line, a.column, "", v.encoding)
	}
	return span{}
}

type documentLink struct {
	Range  span   `json:"range"`
	Target string `json:"target,omitempty"`
}

func documentLinks(ctx context.Context, s *Server, p *documentParams) (any, error) {
	links := []documentLink{}
	v, err := s.viewOfItself(ctx, p.TextDocument)
	if v == nil {
		return links, err
	}
	for _, r := range v.references() {
		links = append(links, documentLink{v.span(&r), v.linkTarget(s, r.Target)})
	}
	return links, nil
}

// linkTarget returns what an editor opens for a target, "" if it should not.
func (v *view) linkTarget(s *Server, t *workspace.Target) string {
	if t.Code == check.CodeExcluded || t.Code == check.CodeFileOutsideRoot {
		return ""
	}
	scheme := ""
	if hasScheme(t.URL) {
		scheme, _, _ = strings.Cut(strings.ToLower(t.URL), ":")
	}
	fragment := t.Fragment()
	if fragment != "" {
		fragment = "#" + fragment
	}
	switch {
	case t.File != "":
		if !filepath.IsLocal(filepath.FromSlash(t.File)) {
			return ""
		}
		return v.uri(s, t.File) + fragment
	case scheme == "http", scheme == "https", scheme == "mailto":
		if strings.Contains(t.URL, "***@") {
			return ""
		}
		return t.URL
	case scheme == "":
		path, _, _ := strings.Cut(t.URL, "#")
		if path, err := url.PathUnescape(path); err == nil && filepath.IsLocal(filepath.FromSlash(path)) {
			return v.uri(s, path) + fragment
		}
	}
	return ""
}
