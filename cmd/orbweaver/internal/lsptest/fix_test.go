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
	"unicode/utf16"
)

type action struct {
	Title, Kind string
	IsPreferred bool
	Data        json.RawMessage
	Diagnostics []found
	Edit        struct {
		DocumentChanges []struct {
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
	e := start(t, dir, map[string]any{"textDocument": map[string]any{"codeAction": map[string]any{"dataSupport": true, "resolveSupport": map[string]any{"properties": []string{"edit"}}}},
		"workspace": map[string]any{"workspaceEdit": map[string]any{"documentChanges": true}}})
	write(t, dir, "a.md", text)
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
