package lsp

import (
	"cmp"
	"context"
	"fmt"
	"net/url"
	"path/filepath"
	"slices"
	"strings"

	"github.com/orbweaver/orbweaver/cmd/orbweaver/internal/lazy"
	"github.com/orbweaver/orbweaver/cmd/orbweaver/internal/workspace"
	"github.com/orbweaver/orbweaver/crawler/check"
	"github.com/orbweaver/orbweaver/crawler/extract"
)

// anchor is a heading or an id, with all names that lead to it.
type anchor struct {
	line, column int
	level        int // of a heading
	title        string
	names        []string
}

// anchorsOf returns the headings and ids of a document in the order of their places.
func anchorsOf(d *extract.Document) []anchor {
	var all []anchor
	for _, p := range d.Places {
		same := func(a anchor) bool { return a.line == p.Line && a.column == p.Column }
		if i := slices.IndexFunc(all[max(0, len(all)-4):], same); i >= 0 {
			a := &all[max(0, len(all)-4)+i]
			a.names = append(a.names, p.Name)
			continue
		}
		all = append(all, anchor{p.Line, p.Column, p.Level, cmp.Or(p.Title, p.Name), []string{p.Name}})
	}
	slices.SortStableFunc(all, func(a, b anchor) int { return cmp.Or(a.line-b.line, a.column-b.column) })
	return all
}

// beforeID is what AsciiDoc and Org write before an id, at whose place it is.
var beforeID = lazy.Regexp(`(?i)^(?:\[\[|<<<?|\[[^\]]*#|\[[^\]]*\bid=["']?|:CUSTOM_ID:[ \t]*|anchor:)$`)

// span returns the range of the heading's text or the id, if that is what is written at its place, or behind what
// an id begins with.
func (a *anchor) span(t *text, e encoding) span {
	from, _ := t.bounds(a.line, a.column, "")
	rest := t.body[from:]
	for _, written := range append([]string{a.title}, a.names...) {
		if strings.HasPrefix(rest, written) {
			return t.spanOf(a.line, a.column, written, e)
		}
	}
	if end := strings.IndexAny(rest, "\r\n"); end >= 0 {
		rest = rest[:end]
	}
	if before, _, found := strings.Cut(rest, a.names[0]); found && beforeID().MatchString(before) {
		from += len(before)
		return span{t.position(from, e), t.position(from+len(a.names[0]), e)}
	}
	return t.spanOf(a.line, a.column, "", e)
}

// explicitID returns the range of the id that is written behind the text of a heading in Markdown: {#id}.
func (a *anchor) explicitID(t *text) (from, to int, ok bool) {
	from, _ = t.bounds(a.line, a.column, "")
	line, _, _ := strings.Cut(t.body[from:], "\n")
	const before = "{#"
	for _, name := range a.names {
		if i := strings.LastIndex(line, before+name); a.level > 0 && i >= 0 && strings.HasPrefix(strings.TrimLeft(line[i+len(before)+len(name):], " \t"), "}") {
			from += i + len(before)
			return from, from + len(name), true
		}
	}
	return 0, 0, false
}

// has reports whether a fragment names the anchor, or would if letter case did not count.
func (a *anchor) has(fragment string, anyCase bool) bool {
	name, err := url.PathUnescape(fragment)
	return slices.ContainsFunc(a.names, func(n string) bool {
		return n == fragment || err == nil && n == name || anyCase && (strings.EqualFold(n, fragment) || strings.EqualFold(n, name))
	})
}

// ledTo returns which anchor of its file a target leads to: that of the name or, if check finds one all the
// same, that of the name in other letter case. It returns nil if there is none.
func ledTo(all []anchor, t *workspace.Target) *anchor {
	for _, anyCase := range []bool{false, true} {
		if t.Fragment() == "" || anyCase && t.Code == check.CodeFragmentMissing {
			break
		}
		for i := range all {
			if all[i].has(t.Fragment(), anyCase) {
				return &all[i]
			}
		}
	}
	return nil
}

// is reports whether an anchor has the same place as another one; nil has none.
func (a *anchor) is(other *anchor) bool {
	return a != nil && a.line == other.line && a.column == other.column
}

func (v *view) anchorsIn(file string) []anchor {
	return anchorsOf(v.state.judge.Read(file, []byte(textOf(&v.state, file).body)))
}

// anchorAt returns the heading or id on the line of a position, nil if there is none.
func (v *view) anchorAt(p position) *anchor {
	all := v.anchorsIn(v.path)
	i := slices.IndexFunc(all, func(a anchor) bool {
		at := a.span(v.text, v.encoding)
		return at.Start.Line == p.Line && (a.level > 0 || at.Start.Character <= p.Character && p.Character <= at.End.Character)
	})
	if i < 0 {
		return nil
	}
	return &all[i]
}

// leading is a reference of a document with its target.
type leading struct {
	location
	target *workspace.Target
}

// locations returns the places of references whose targets fulfil a condition.
func locations(all []leading, where func(*workspace.Target) bool) []location {
	places := []location{}
	for _, l := range all {
		if where(l.target) {
			places = append(places, l.location)
		}
	}
	return places
}

func anyTarget(*workspace.Target) bool { return true }

// leadingTo returns the references of all documents to a file, in the order of documents and places.
func (v *view) leadingTo(s *Server, file string) []leading {
	var all []leading
	for _, path := range v.state.index.Paths() {
		var t *text
		d := v.state.index.Document(path)
		for i := range d.References {
			r := &d.References[i]
			if r.Line == 0 || r.Target.Code == check.CodeExcluded || r.Target.File != file {
				continue
			}
			if t == nil {
				t = textOf(&v.state, path)
			}
			all = append(all, leading{location{v.uri(s, path), t.spanOf(int(r.Line), int(r.Column), r.Raw, v.encoding)}, r.Target})
		}
	}
	return all
}

// pointed returns the file that a position is about, and of a heading, an id or the fragment of a link
// the fragment and the anchor; these are missing at the path of a link. The anchor is nil if there is
// none of the name.
func (v *view) pointed(p position) (file, fragment string, found *anchor) {
	r := v.at(p)
	if r == nil {
		return v.path, "", v.anchorAt(p)
	}
	if file = r.Target.File; file == "" {
		return "", "", nil
	}
	from, _ := v.text.bounds(int(r.Line), int(r.Column), r.Raw)
	hash := strings.IndexByte(r.Raw, '#')
	if hash < 0 || v.text.offset(p, v.encoding) <= from+hash {
		return file, "", nil
	}
	fragment = r.Target.Fragment()
	return file, fragment, ledTo(v.anchorsIn(file), r.Target)
}

type referencesParams struct {
	positionParams
	Context struct {
		IncludeDeclaration bool `json:"includeDeclaration"`
	} `json:"context"`
}

func references(ctx context.Context, s *Server, p *referencesParams) (any, error) {
	none := []location{}
	v, err := s.viewOf(ctx, p.TextDocument, true)
	if v == nil {
		return none, err
	}
	file, fragment, found := v.pointed(p.Position)
	switch {
	case file == "", found == nil && fragment == "" && v.at(p.Position) == nil:
		return none, nil
	case found == nil && fragment == "":
		return locations(v.leadingTo(s, file), anyTarget), nil
	}
	leads := func(t *workspace.Target) bool { return t.Fragment() == fragment }
	if found != nil {
		anchors := v.anchorsIn(file)
		leads = func(t *workspace.Target) bool { return ledTo(anchors, t).is(found) }
	}
	all := locations(v.leadingTo(s, file), leads)
	if p.Context.IncludeDeclaration && found != nil {
		all = append(all, location{v.uri(s, file), found.span(textOf(&v.state, file), v.encoding)})
	}
	return all, nil
}

// documentSymbol is a heading or an id as editors list them.
type documentSymbol struct {
	Name           string            `json:"name"`
	Detail         string            `json:"detail,omitempty"`
	Kind           int               `json:"kind"`
	Range          span              `json:"range"`
	SelectionRange span              `json:"selectionRange"`
	Children       []*documentSymbol `json:"children,omitempty"`
}

// Kinds of symbols.
const (
	kindString = 15
	kindKey    = 20
)

func kindOf(a *anchor) int {
	if a.level > 0 {
		return kindString
	}
	return kindKey
}

func documentSymbols(ctx context.Context, s *Server, p *documentParams) (any, error) {
	top := documentSymbol{}
	v, err := s.viewOfItself(ctx, p.TextDocument)
	if v == nil {
		return []*documentSymbol{}, err
	}
	open, levels := []*documentSymbol{&top}, []int{0}
	for _, a := range v.anchorsIn(v.path) {
		at := a.span(v.text, v.encoding)
		symbol := &documentSymbol{Name: symbolName(a.title), Detail: "#" + printable(a.names[0]), Kind: kindOf(&a), Range: at, SelectionRange: at}
		for a.level > 0 && len(open) > 1 && levels[len(levels)-1] >= a.level {
			open, levels = open[:len(open)-1], levels[:len(levels)-1]
		}
		parent := open[len(open)-1]
		parent.Children = append(parent.Children, symbol)
		if a.level > 0 {
			open, levels = append(open, symbol), append(levels, a.level)
		}
	}
	if top.Children == nil {
		return []*documentSymbol{}, nil
	}
	contain(top.Children)
	return top.Children, nil
}

// contain extends the ranges of symbols to those of their children.
func contain(all []*documentSymbol) {
	for _, symbol := range all {
		contain(symbol.Children)
		if n := len(symbol.Children); n > 0 {
			symbol.Range.End = symbol.Children[n-1].Range.End
		}
	}
}

// symbolName returns a name that is not empty.
func symbolName(title string) string {
	if name := cut(printable(title), maxHoverText); strings.TrimSpace(name) != "" {
		return name
	}
	return "(untitled)"
}

type workspaceSymbolParams struct {
	Query string `json:"query" need:"yes"`
}

type workspaceSymbol struct {
	Name     string   `json:"name"`
	Kind     int      `json:"kind"`
	Location location `json:"location"`
}

// maxSymbols is how many symbols of a workspace are listed.
const maxSymbols = 200

func workspaceSymbols(ctx context.Context, s *Server, p *workspaceSymbolParams) (any, error) {
	all := []workspaceSymbol{}
	query := strings.ToLower(p.Query)
	s.judging.rouse()
	for _, o := range s.folders.list() {
		if o.file != "" {
			continue
		}
		o, state, known, err := s.folders.await(ctx, filepath.Join(o.dir, "x"), true)
		if err != nil {
			return nil, err
		}
		if !known || state.index == nil {
			continue
		}
		for _, path := range state.index.Listed {
			v := &view{o, state, path, textOf(&state, path), s.texts.encoding}
			if ctx.Err() != nil {
				return nil, ctx.Err()
			}
			for _, a := range v.anchorsIn(v.path) {
				if !strings.Contains(strings.ToLower(a.title), query) {
					continue
				}
				all = append(all, workspaceSymbol{symbolName(a.title), kindOf(&a), location{v.uri(s, path), a.span(v.text, v.encoding)}})
				if len(all) == maxSymbols {
					return all, nil
				}
			}
		}
	}
	return all, nil
}

// codeLens is a count above a line.
type codeLens struct {
	Range   span    `json:"range"`
	Command command `json:"command"`
}

// command is what the editor executes.
type command struct {
	Title     string `json:"title"`
	Command   string `json:"command"`
	Arguments []any  `json:"arguments"`
}

func codeLenses(ctx context.Context, s *Server, p *documentParams) (any, error) {
	all := []codeLens{}
	v, err := s.viewOf(ctx, p.TextDocument, true)
	if v == nil {
		return all, err
	}
	uri := v.uri(s, v.path)
	lens := func(at span, title string, places []location) {
		all = append(all, codeLens{at, command{title, "orbweaver.showReferences", []any{uri, at.Start, places}}})
	}
	toFile := v.leadingTo(s, v.path)
	if len(toFile) > 0 {
		lens(span{}, counted(len(toFile), "link")+" to this file", locations(toFile, anyTarget))
		anchors := v.anchorsIn(v.path)
		for i := range anchors {
			a := &anchors[i]
			if places := locations(toFile, func(t *workspace.Target) bool { return ledTo(anchors, t).is(a) }); len(places) > 0 {
				lens(a.span(v.text, v.encoding), counted(len(places), "reference"), places)
			}
		}
	}
	return all, nil
}

func counted(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}
