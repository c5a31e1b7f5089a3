package lsp

import (
	"context"
	"crypto/sha256"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/orbweaver/orbweaver/cmd/orbweaver/internal/lazy"
	"github.com/orbweaver/orbweaver/cmd/orbweaver/internal/workspace"
	"github.com/orbweaver/orbweaver/crawler/check"
	"github.com/orbweaver/orbweaver/crawler/extract"
	"github.com/orbweaver/orbweaver/crawler/result"
)

// Kinds of code actions.
const (
	quickFix = "quickfix"
	fixAll   = "source.fixAll.orbweaver"
)

type codeActionParams struct {
	TextDocument textDocument `json:"textDocument" need:"yes"`
	Range        span         `json:"range"`
	Context      struct {
		Only []string `json:"only"`
	} `json:"context"`
}

// wants reports whether an editor asks for actions of a kind. Without a list it wants quick fixes.
func (p *codeActionParams) wants(kind string) bool {
	if p.Context.Only == nil {
		return kind == quickFix
	}
	return slices.ContainsFunc(p.Context.Only, func(only string) bool {
		return only == "" || kind == only || strings.HasPrefix(kind, only+".")
	})
}

// codeAction is an edit that an editor offers.
type codeAction struct {
	Title       string        `json:"title"`
	Kind        string        `json:"kind"`
	Diagnostics []diagnostic  `json:"diagnostics,omitempty"`
	IsPreferred bool          `json:"isPreferred,omitempty"`
	Edit        workspaceEdit `json:"edit,omitzero"` // zero until it is resolved
	Data        *actionData   `json:"data,omitempty"`
}

// actionData says of which text an edit is to be resolved.
type actionData struct {
	URI  string `json:"uri"`
	Text string `json:"text"` // its digest
}

type textEdit struct {
	Range   span     `json:"range"`
	NewText *string  `json:"newText,omitempty"` // nil if there is a snippet
	Snippet *snippet `json:"snippet,omitempty"`
}

// snippet is a text with a part that the user replaces.
type snippet struct {
	Kind  string `json:"kind"`
	Value string `json:"value"`
}

// workspaceEdit is an edit of documents, in the form that the editor takes.
type workspaceEdit struct {
	Changes         map[string][]textEdit `json:"changes,omitempty"`
	DocumentChanges []documentEdit        `json:"documentChanges,omitempty"`
}

// documentEdit edits a document, or creates a file.
type documentEdit struct {
	Kind         string          `json:"kind,omitempty"` // "create" for a file
	URI          string          `json:"uri,omitempty"`  // of the file
	TextDocument *editedDocument `json:"textDocument,omitempty"`
	Edits        []textEdit      `json:"edits,omitempty"`
}

type editedDocument struct {
	URI     string `json:"uri"`
	Version *int32 `json:"version"`
}

func (v *view) edit(s *Server, edits []workspace.Edit) workspaceEdit {
	var all []textEdit
	for _, e := range edits {
		all = append(all, textEdit{Range: span{v.text.position(e.Start, v.encoding), v.text.position(e.End, v.encoding)}, NewText: &e.New})
	}
	uri := v.uri(s, v.path)
	if !s.client.capabilities().Workspace.WorkspaceEdit.DocumentChanges {
		return workspaceEdit{Changes: map[string][]textEdit{uri: all}}
	}
	one := documentEdit{TextDocument: &editedDocument{URI: uri}, Edits: all}
	if version, open := v.state.versions[v.path]; open {
		one.TextDocument.Version = &version
	}
	return workspaceEdit{DocumentChanges: []documentEdit{one}}
}

func codeActions(ctx context.Context, s *Server, p *codeActionParams) (any, error) {
	actions := []codeAction{}
	v, err := s.viewOf(ctx, p.TextDocument, false)
	if v == nil {
		return actions, err
	}
	_, open := v.state.index.Texts[v.path]
	document := v.state.index.Document(v.path)
	if !open || document == nil {
		return actions, nil
	}
	certain, digest := v.state.certain(v.path)
	if p.wants(fixAll) && len(certain) > 0 {
		all := codeAction{Title: "fix all links whose correction is certain", Kind: fixAll}
		if s.client.capabilities().resolvesEdits() {
			all.Data = &actionData{p.TextDocument.URI, digest}
		} else {
			all.Edit = v.edit(s, certain)
		}
		actions = append(actions, all)
	}
	if !p.wants(quickFix) {
		return actions, nil
	}
	findings, shown := document.Findings(), diagnosticsOf(v.folder, &v.state, v.path, v.encoding)
	if len(shown) != len(findings) {
		return actions, nil
	}
	from, to := v.text.offset(p.Range.Start, v.encoding), v.text.offset(p.Range.End, v.encoding)
	for i := range findings {
		f := &findings[i]
		start, end := v.text.bounds(int(f.Line), int(f.Column), f.Raw)
		if f.Line == 0 || start > to || end < from {
			continue
		}
		actions = append(actions, v.actionsFor(s, document, f, shown[i], certain)...)
	}
	return actions, nil
}

// certain returns the edits of an open document that fix would write, and the digest of its text.
func (j *judged) certain(path string) (edits []workspace.Edit, digest string) {
	text := j.index.Texts[path]
	if d := j.index.Document(path); d != nil {
		edits = j.judge.Edits(path, text, d.Results(), false)
	}
	return edits, fmt.Sprintf("%x", sha256.Sum256(text))
}

// resolveAction adds the edit to an action that was offered without one.
func resolveAction(ctx context.Context, s *Server, a *codeAction) (any, error) {
	if a.Data == nil {
		return nil, errorf(codeInvalidParams, "data is missing: only actions without an edit are resolved")
	}
	v, err := s.viewOf(ctx, textDocument{URI: a.Data.URI}, false)
	if err != nil {
		return nil, err
	}
	changed := errorf(codeModified, "the text of %.200q has changed", a.Data.URI)
	if v == nil {
		return nil, changed
	}
	edits, digest := v.state.certain(v.path)
	if digest != a.Data.Text {
		return nil, changed
	}
	a.Edit = v.edit(s, edits)
	return a, nil
}

// actionsFor returns the quick fixes of one finding: what fix would write, other suggestions, and to
// ignore it.
func (v *view) actionsFor(s *Server, d *workspace.Document, f *workspace.Finding, shown diagnostic, certain []workspace.Edit) (actions []codeAction) {
	offered := map[string]bool{}
	offer := func(edits []workspace.Edit, preferred bool) {
		for _, e := range edits {
			if e.Line != int(f.Line) || e.Column != int(f.Column) || offered[e.New] {
				continue
			}
			offered[e.New] = true
			actions = append(actions, codeAction{Title: "change to " + cut(printable(e.New), maxHoverText), Kind: quickFix, Diagnostics: []diagnostic{shown}, IsPreferred: preferred, Edit: v.edit(s, []workspace.Edit{e})})
		}
	}
	offer(certain, true)
	text := v.state.index.Texts[v.path]
	for _, r := range d.Results() {
		ref := &r.References[0]
		if ref.Line != int(f.Line) || ref.Column != int(f.Column) || f.Target != nil && r.URL != f.Target.URL {
			continue
		}
		for _, one := range suggested(r) {
			offer(v.state.judge.Edits(v.path, text, []*result.Result{one}, true), false)
		}
	}
	if f.Target != nil && f.Raw != "" {
		if title, edit, ok := v.ignore(s, f); ok {
			actions = append(actions, codeAction{Title: title, Kind: quickFix, Diagnostics: []diagnostic{shown}, Edit: edit})
		}
	}
	return actions
}

// suggested returns copies of a result that each propose one of the URLs that it suggests.
func suggested(r *result.Result) (all []*result.Result) {
	if r.Kind == result.KindPage {
		return nil
	}
	propose := func(url string, why string) {
		one := *r
		one.Verdict, one.Code, one.Warnings = check.Broken, check.CodeFileMissing, nil
		one.Suggestions = []check.Suggestion{{URL: url, Why: why, Unique: true}}
		all = append(all, &one)
	}
	for _, g := range r.Suggestions {
		if g.URL != "" {
			propose(g.URL, g.Why)
		}
	}
	for _, w := range r.Warnings {
		if w.Proposal != "" {
			propose(w.Proposal, string(w.Code))
		}
	}
	return all
}

// comments are the comments of formats that hold a mark: what comes before it and behind it.
var comments = map[string][2]string{
	"html": {"<!-- ", " -->"}, "xml": {"<!-- ", " -->"}, "markdown": {"<!-- ", " -->"},
	"mdx": {"{/* ", " */}"}, "restructuredtext": {".. ", "\n"}, "asciidoc": {"// ", ""}, "org": {"# ", ""},
}

// ignore returns the edit by which the reference of a finding is ignored: a mark above its line or, where
// the document would then say anything else, a rule.
func (v *view) ignore(s *Server, f *workspace.Finding) (title string, edit workspaceEdit, ok bool) {
	can := s.client.capabilities().Workspace.WorkspaceEdit
	if at, mark, after, ok := v.mark(f); ok {
		edit = v.edit(s, []workspace.Edit{{Start: at, End: at, New: mark + after}})
		if can.SnippetEditSupport && can.DocumentChanges {
			escape := strings.NewReplacer(`\`, `\\`, "$", `\$`, "}", `\}`).Replace
			inserted := &edit.DocumentChanges[0].Edits[0]
			inserted.NewText, inserted.Snippet = nil, &snippet{"snippet", escape(mark) + ", ${1:reason}" + escape(after)}
		}
		return "ignore " + string(f.Code) + " on this line", edit, true
	}
	rule := v.state.judge.IgnoreRule(f.Target.URL, fmt.Sprintf("%s, %s: reason", f.Code, time.Now().Format(time.DateOnly)))
	missing := !exists(filepath.Join(v.folder.dir, configName))
	if rule == "" || missing && !(can.DocumentChanges && slices.Contains(can.ResourceOperations, "create")) {
		return "", edit, false
	}
	config := *v
	config.path, config.text = configName, textOf(&v.state, configName)
	edit = config.edit(s, []workspace.Edit{ruleIn(config.text, rule)})
	if missing {
		edit.DocumentChanges = slices.Insert(edit.DocumentChanges, 0, documentEdit{Kind: "create", URI: v.uri(s, configName)})
	}
	return fmt.Sprintf("ignore %s with a rule in %s", cut(printable(f.Target.URL), maxHoverText), configName), edit, true
}

// firstRule is the first rule of a configuration, with the comment above it.
var firstRule = lazy.Regexp(`(?m)^(?:[ \t]*#[^\r\n]*\r?\n)*[ \t]*\[\[[ \t]*rule[ \t]*\]\]`)

// ruleIn returns the edit that adds a rule to a configuration. Of the rules that match, the first one
// counts.
func ruleIn(config *text, rule string) workspace.Edit {
	at := len(config.body)
	if m := firstRule().FindStringIndex(config.body); m != nil {
		at, rule = m[0], rule+"\n"
	} else if at > 0 {
		rule = "\n" + rule
		if !strings.HasSuffix(config.body, "\n") {
			rule = "\n" + rule
		}
	}
	return workspace.Edit{Start: at, End: at, New: strings.ReplaceAll(rule, "\n", config.newline())}
}

// mark returns the mark that ignores the line of a finding, in the two parts around a reason, and its place.
// ok is false if the document would then say anything else.
func (v *view) mark(f *workspace.Finding) (at int, mark, after string, ok bool) {
	before := v.state.judge.Read(v.path, []byte(v.text.body))
	format := before.Format
	if strings.HasSuffix(strings.ToLower(v.path), ".mdx") {
		format = "mdx"
	}
	comment, known := comments[format]
	if !known || int(f.Line) > len(v.text.starts) || before.Format == "markdown" && v.text.splits(int(f.Line)-1) {
		return 0, "", "", false
	}
	start, end := v.text.line(int(f.Line) - 1)
	at = start
	if f.Line == 1 && strings.HasPrefix(v.text.body, "\ufeff") {
		at += len("\ufeff")
	}
	line := v.text.body[at:end]
	indent := line[:len(line)-len(strings.TrimLeft(line, " \t"))]
	newline := v.text.newline()
	mark = indent + comment[0] + fmt.Sprintf("orbweaver-ignore-next-line: %s, %s", f.Code, time.Now().Format(time.DateOnly))
	after = strings.ReplaceAll(comment[1], "\n", newline) + newline
	changed := v.text.replace(at, at, mark+after)
	ok = ignoresOnly(before, v.state.judge.Read(v.path, []byte(changed.body)), int(f.Line), strings.Count(comment[1], "\n")+1)
	return at, mark, after, ok
}

var listItem = lazy.Regexp(`^[ \t>]*(?:[-*+]|[0-9]{1,9}[.)])[ \t]`)

// splits reports whether a comment above a line of Markdown, counted from 0, would end a table or a
// paragraph of a list item.
func (t *text) splits(line int) bool {
	start, end := t.line(line)
	for below := t.body[start:end]; line > 0; line-- {
		start, end = t.line(line - 1)
		above := t.body[start:end]
		if strings.TrimSpace(above) == "" {
			return false
		}
		if listItem().MatchString(above) || strings.Contains(above, "|") && strings.Contains(below, "|") {
			return true
		}
		below = above
	}
	return false
}

// newline returns the line end of a text.
func (t *text) newline() string {
	if len(t.starts) > 1 {
		_, end := t.line(0)
		return t.body[end:t.starts[1]]
	}
	return "\n"
}

// ignoresOnly reports whether a document differs from an earlier one only in that the links of a line,
// which is some lines further down, are ignored.
func ignoresOnly(was, is *extract.Document, line, down int) bool {
	if len(was.Links) != len(is.Links) || !slices.Equal(was.Anchors, is.Anchors) {
		return false
	}
	for i := range was.Links {
		a, b := was.Links[i], is.Links[i]
		moved := 0
		if a.Line >= line {
			moved = down
		}
		if a.Raw != b.Raw || a.Ref != b.Ref || a.Line+moved != b.Line || a.Column != b.Column || a.Line == line != (b.Ignored && !a.Ignored) && !(a.Ignored && b.Ignored) {
			return false
		}
	}
	return true
}
