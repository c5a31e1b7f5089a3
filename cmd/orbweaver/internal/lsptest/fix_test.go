package lsptest

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf16"
)

type action struct {
	Title, Kind string
	IsPreferred bool
	Data        json.RawMessage
	Diagnostics []found
	Edit        struct {
		DocumentChanges []struct {
			Kind, URI    string
			TextDocument struct {
				URI     string
				Version json.Number
			}
			Edits []edit
		}
	}
}

type edit struct {
	Range   struct{ Start, End struct{ Line, Character int } }
	NewText string
	Snippet struct{ Value string }
}

// editsOf returns the edits of an answer, by the URIs of documents.
func editsOf(t *testing.T, answer json.RawMessage) map[string][]edit {
	t.Helper()
	var change struct {
		DocumentChanges []struct {
			TextDocument struct{ URI string }
			Edits        []edit
		}
	}
	if err := json.Unmarshal(answer, &change); err != nil {
		t.Fatal(err)
	}
	edits := map[string][]edit{}
	for _, c := range change.DocumentChanges {
		edits[c.TextDocument.URI] = c.Edits
	}
	return edits
}

// applied returns a text after edits, which are in the order of their places.
func applied(text string, edits []edit) string {
	offset := func(line, character int) int {
		at := 0
		for range line {
			i := strings.IndexAny(text[at:], "\r\n")
			if at += i + 1; text[at-1] == '\r' && strings.HasPrefix(text[at:], "\n") {
				at++
			}
		}
		units := utf16.Encode([]rune(text[at:]))
		return at + len(string(utf16.Decode(units[:character])))
	}
	for _, e := range slices.Backward(edits) {
		from, to := offset(e.Range.Start.Line, e.Range.Start.Character), offset(e.Range.End.Line, e.Range.End.Character)
		text = text[:from] + e.NewText + text[to:]
	}
	return text
}

func (e *editor) actions(dir, name string, only ...string) (all []action) {
	e.t.Helper()
	context := map[string]any{"diagnostics": []any{}}
	if only != nil {
		context["only"] = only
	}
	whole := map[string]any{"start": map[string]any{"line": 0, "character": 0}, "end": map[string]any{"line": 100_000, "character": 0}}
	a := e.request("textDocument/codeAction", map[string]any{"textDocument": map[string]any{"uri": uri(dir, name)}, "range": whole, "context": context})
	if err := json.Unmarshal(a.Result, &all); err != nil {
		e.t.Fatalf("actions for %s: %v %s", name, a.Error, a.Result)
	}
	return all
}

// TestFixAllEqualsFix tests that fixing all of each document gives the bytes that --fix --write gives,
// that the preferred fixes are the same edits, and that an ignored link is a finding no more while no
// other finding changes.
func TestFixAllEqualsFix(t *testing.T) {
	fixed, ignored := 0, 0
	for seed := range uint64(4) {
		rng := rand.New(rand.NewPCG(42, seed))
		w := newTree(rng, 12)
		dir, copied := t.TempDir(), t.TempDir()
		for name, text := range w.texts {
			if rng.IntN(3) == 0 {
				text = "\ufeff" + strings.ReplaceAll(text, "\n", "\r\n")
				w.texts[name] = text
			}
			write(t, dir, name, text)
			write(t, copied, name, text)
		}
		cmd := exec.Command(program, "check", ".", "--external", "skip", "--fix", "--write")
		cmd.Dir = copied
		_ = cmd.Run() // the status is that of the findings
		e := start(t, dir, map[string]any{"textDocument": map[string]any{"diagnostic": map[string]any{}}, "workspace": map[string]any{"workspaceEdit": map[string]any{"documentChanges": true}}})
		for name, text := range w.texts {
			e.open(dir, name, strings.TrimPrefix(text, "\ufeff"))
		}
		for name, text := range w.texts {
			open := strings.TrimPrefix(text, "\ufeff")
			want, err := os.ReadFile(filepath.Join(copied, filepath.FromSlash(name)))
			if err != nil {
				t.Fatal(err)
			}
			got := open
			all := e.actions(dir, name, "source.fixAll")
			if len(all) > 0 {
				if v := all[0].Edit.DocumentChanges[0].TextDocument.Version; len(all) != 1 || v != "1" {
					t.Fatalf("%d actions for version %s", len(all), v)
				}
				got = applied(open, all[0].Edit.DocumentChanges[0].Edits)
				fixed += len(all[0].Edit.DocumentChanges[0].Edits)
			}
			if got != strings.TrimPrefix(string(want), "\ufeff") {
				t.Fatalf("seed %d, %s: fixed\n%q, want\n%q", seed, name, got, want)
			}
			var preferred []edit
			for _, a := range e.actions(dir, name) {
				if len(a.Diagnostics) != 1 || a.Kind != "quickfix" {
					t.Errorf("the action %+v is about %d findings", a, len(a.Diagnostics))
				}
				if a.IsPreferred {
					preferred = append(preferred, a.Edit.DocumentChanges[0].Edits...)
				}
			}
			if len(all) > 0 && fmt.Sprint(preferred) != fmt.Sprint(all[0].Edit.DocumentChanges[0].Edits) {
				t.Errorf("seed %d, %s: the preferred fixes are %v, want %v", seed, name, preferred, all[0].Edit.DocumentChanges[0].Edits)
			}
		}
		ignored += e.ignoreEach(dir, w)
	}
	if fixed < 20 || ignored < 20 {
		t.Errorf("%d links were fixed and %d ignored: too few to tell", fixed, ignored)
	}
}

// TestFixAllOfBuiltPages tests that links of pages that were built from sources are edited in these, as fix does.
func TestFixAllOfBuiltPages(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, "orbweaver.toml", "sources = \"docs\"\n")
	texts := map[string]string{
		"docs/index.md":         "# Home\n\n[set-up](guide.md#setup)\n",
		"docs/guide.md":         "# Guide\n\n## Set-up\n",
		"site/index.html":       "<h1>Home</h1>\n<a href=\"guide/#setup\">set-up</a> <a href=\"guide/#setup\">made by a plugin</a>\n",
		"site/guide/index.html": "<h1>Guide</h1><h2 id=\"set-up\">Set-up</h2>\n",
	}
	for name, text := range texts {
		write(t, dir, name, text)
	}
	e := start(t, dir, map[string]any{"workspace": map[string]any{"workspaceEdit": map[string]any{"documentChanges": true}}})
	fixed := map[string]string{}
	for name, text := range texts {
		e.open(dir, name, text)
	}
	for name, text := range texts {
		for _, a := range e.actions(dir, name, "source.fixAll") {
			text = applied(text, a.Edit.DocumentChanges[0].Edits)
		}
		fixed[name] = text
	}
	cmd := exec.Command(program, "check", ".", "--fix", "--write")
	cmd.Dir = dir
	_ = cmd.Run() // the status is that of the findings
	for name := range texts {
		if want := string(must(os.ReadFile(filepath.Join(dir, filepath.FromSlash(name))))); fixed[name] != want {
			t.Errorf("%s: fixed\n%s\nwant\n%s", name, fixed[name], want)
		}
	}
}

// ignoreEach makes each action that ignores a finding, and returns their number.
func (e *editor) ignoreEach(dir string, w *tree) (n int) {
	for _, name := range w.names {
		open := strings.TrimPrefix(w.texts[name], "\ufeff")
		before := shown(dir, map[string]string{name: open}, e.pulled())
		for _, a := range e.actions(dir, name) {
			if !strings.HasPrefix(a.Title, "ignore ") {
				continue
			}
			n++
			text := applied(open, a.Edit.DocumentChanges[0].Edits)
			whole := func(text string) {
				e.notify("textDocument/didChange", map[string]any{"textDocument": map[string]any{"uri": uri(dir, name), "version": n}, "contentChanges": []any{map[string]any{"text": text}}})
			}
			whole(text)
			line := a.Diagnostics[0].Range.Start.Line + 1
			var want []string
			down := strings.Count(text, "\n") - strings.Count(open, "\n")
			for _, f := range before {
				var page, rest string
				var at int
				page, rest, _ = strings.Cut(f, ":")
				fmt.Sscanf(rest, "%d", &at)
				_, rest, _ = strings.Cut(rest, ":")
				switch {
				case at == line && !strings.HasPrefix(rest, "1 fragment-duplicate"):
					continue
				case at > line:
					at += down
				}
				want = append(want, fmt.Sprintf("%s:%d:%s", page, at, rest))
			}
			slices.Sort(want)
			compare(e.t, fmt.Sprintf("%s with line %d ignored", name, line), withoutLines(shown(dir, map[string]string{name: text}, e.pulled())), withoutLines(want))
			whole(open)
		}
	}
	return n
}

// withoutLines removes the lines of ids from messages: they move.
func withoutLines(all []string) (without []string) {
	for _, f := range all {
		if before, after, found := strings.Cut(f, " (line "); found {
			_, after, _ = strings.Cut(after, ")")
			f = before + after
		}
		without = append(without, f)
	}
	return without
}

// TestFixAllResolved tests that an editor which resolves edits gets those of a document then, and none once
// its text is another, although the version is the same.
func TestFixAllResolved(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, "target.md", "# T\n")
	const text = "[x](targt.md)\n"
	write(t, dir, "a.md", text)
	e := start(t, dir, map[string]any{"textDocument": map[string]any{"codeAction": map[string]any{"dataSupport": true, "resolveSupport": map[string]any{"properties": []string{"edit"}}}},
		"workspace": map[string]any{"workspaceEdit": map[string]any{"documentChanges": true}}})
	e.open(dir, "a.md", text)
	all := e.actions(dir, "a.md", "source.fixAll")
	if len(all) != 1 || all[0].Data == nil || all[0].Edit.DocumentChanges != nil {
		t.Fatalf("offered %+v", all)
	}
	offered := map[string]any{"title": all[0].Title, "kind": all[0].Kind, "data": all[0].Data}
	var resolved action
	if a := e.request("codeAction/resolve", offered); json.Unmarshal(a.Result, &resolved) != nil || len(resolved.Edit.DocumentChanges) != 1 {
		t.Fatalf("resolved: %v %s", a.Error, a.Result)
	}
	if got := applied(text, resolved.Edit.DocumentChanges[0].Edits); got != "[x](target.md)\n" {
		t.Errorf("fixed: %q", got)
	}
	e.open(dir, "a.md", "other "+text)
	if a := e.request("codeAction/resolve", offered); a.code() != -32801 {
		t.Errorf("resolved after a change: %d %s", a.code(), a.Result)
	}
	delete(offered, "data")
	if a := e.request("codeAction/resolve", offered); a.code() != -32602 {
		t.Errorf("resolved without data: %d %s", a.code(), a.Result)
	}
}

// TestIgnoreByRule tests that a finding in a place where no mark can be is ignored by a rule, which comes
// before other rules and after what is there.
func TestIgnoreByRule(t *testing.T) {
	capabilities := map[string]any{"textDocument": map[string]any{"diagnostic": map[string]any{}}, "workspace": map[string]any{"workspaceEdit": map[string]any{
		"documentChanges": true, "resourceOperations": []string{"create"}, "snippetEditSupport": true}}}
	ignoring := func(e *editor, dir string) (found []action) {
		for _, a := range e.actions(dir, "a.md") {
			if strings.HasPrefix(a.Title, "ignore ") {
				found = append(found, a)
			}
		}
		return found
	}
	const table, rule = "| a | b |\n|---|---|\n| c | [x](go'ne(1).md) |\n\n[y](other.md)\n", "# file-missing, DATE: reason\n[[rule]]\nmatch_re = \"^go'ne\\\\(1\\\\)\\\\.md$\"\nverdict = \"ignore\"\n"
	list := strings.Replace(table, "| a | b |\n|---|---|\n| c | [x](go'ne(1).md) |", "- item\n- with [x](go'ne(1).md)", 1)
	for _, row := range []struct{ config, want string }{
		{"", rule},
		{"exclude = [\"x\"]", "exclude = [\"x\"]\n\n" + rule},
		{"exclude = [\"x\"]\r\n", strings.ReplaceAll("exclude = [\"x\"]\n\n"+rule, "\n", "\r\n")},
		{"# all\n\n# one\n[[rule]]\nmatch = '**'\nverdict = 'broken'\n", "# all\n\n" + rule + "\n# one\n[[rule]]\nmatch = '**'\nverdict = 'broken'\n"},
	} {
		dir := t.TempDir()
		write(t, dir, "a.md", table)
		if row.config != "" {
			write(t, dir, "orbweaver.toml", row.config)
		}
		e := start(t, dir, capabilities)
		e.open(dir, "a.md", list)
		if all := ignoring(e, dir); len(all) != 2 || !strings.Contains(all[0].Title, "orbweaver.toml") || strings.Contains(all[1].Title, "orbweaver.toml") {
			t.Errorf("in a list: %+v", all)
		}
		e.open(dir, "a.md", table)
		before := len(e.pulled()[uri(dir, "a.md")])
		all := ignoring(e, dir)
		if len(all) != 2 {
			t.Fatalf("%q: offered %+v", row.config, all)
		}
		changes := all[0].Edit.DocumentChanges
		if row.config == "" {
			if changes[0].Kind != "create" || changes[0].URI != uri(dir, "orbweaver.toml") {
				t.Errorf("the file is not created: %+v", changes)
			}
			changes = changes[1:]
		}
		got := applied(row.config, changes[0].Edits)
		want := strings.ReplaceAll(row.want, "DATE", time.Now().Format(time.DateOnly))
		if len(changes) != 1 || changes[0].TextDocument.URI != uri(dir, "orbweaver.toml") || got != want {
			t.Errorf("%q: changed to\n%s\nwant\n%s", row.config, got, want)
		}
		write(t, dir, "orbweaver.toml", got)
		e.notify("textDocument/didSave", map[string]any{"textDocument": map[string]any{"uri": uri(dir, "orbweaver.toml")}})
		if f := e.pulled()[uri(dir, "a.md")]; before != 2 || len(f) != 1 || !strings.Contains(f[0].Message, "other") {
			t.Errorf("%q: of %d findings, %+v are left", row.config, before, f)
		}
		if mark := all[1].Edit.DocumentChanges[0].Edits[0]; mark.NewText != "" || mark.Snippet.Value != "<!-- orbweaver-ignore-next-line: file-missing, "+time.Now().Format(time.DateOnly)+", ${1:reason} -->\n" {
			t.Errorf("the snippet is %+v", mark)
		}
		if all := ignoring(start(t, dir, pulling()), dir); len(all) > 0 {
			t.Errorf("of a document that is not open: %+v", all)
		}
		e = start(t, dir, capabilities, "--no-config")
		e.open(dir, "a.md", table)
		if all := ignoring(e, dir); len(all) != 1 {
			t.Errorf("where the configuration does not count: %+v", all)
		}
	}
}
