package lsptest

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode/utf16"
	"unicode/utf8"
)

// tree is a random site in several formats.
type tree struct {
	rng   *rand.Rand
	names []string
	texts map[string]string
}

func newTree(rng *rand.Rand, n int) *tree {
	w := &tree{rng: rng, texts: map[string]string{}}
	for i := range n {
		dir := []string{"", "guide/", "guide/deep/", "b c/"}[rng.IntN(4)]
		w.names = append(w.names, fmt.Sprintf("%sd%d.%s", dir, i, []string{"md", "html", "rst", "adoc", "org", "mdx"}[rng.IntN(6)]))
	}
	for _, name := range w.names {
		var b strings.Builder
		for range 3 + rng.IntN(8) {
			b.WriteString(w.piece(name))
		}
		w.texts[name] = b.String()
	}
	return w
}

// piece returns a part of a document: a heading, a link or text.
func (w *tree) piece(name string) string {
	word := []string{"One", "Two words", "Ünïcode 😀", "Three", "Four & five"}[w.rng.IntN(5)]
	to := w.names[w.rng.IntN(len(w.names))]
	rel, err := filepath.Rel(filepath.Dir(name), to)
	if err != nil {
		panic(err)
	}
	rel = strings.ReplaceAll(filepath.ToSlash(rel), " ", "%20")
	switch w.rng.IntN(8) {
	case 0:
		rel += "#" + []string{"one", "two-words", "tree", "Three", "no"}[w.rng.IntN(5)]
	case 1:
		rel = strings.ToUpper(rel)
	case 2:
		rel = "missing" + rel
	case 3:
		rel = "#one"
	case 4:
		rel = []string{"https://example.com/x", "mailto:x@", "guide/", "../..", "http://[", "javascript:void(0)"}[w.rng.IntN(6)]
	}
	form := forms[filepath.Ext(name)]
	if w.rng.IntN(3) > 0 {
		return fmt.Sprintf(form.link, word, rel)
	}
	return fmt.Sprintf(form.heading, word)
}

// forms are headings and links in the formats.
var forms = map[string]struct{ heading, link string }{
	".md":   {"\n# %s\n\n", "See 😀 [%s](%s) <!-- c -->\n"},
	".mdx":  {"\n# %s\n\n", "See [%s](%s)\n\n"},
	".html": {"<h1 id=one>%s</h1>\n", "<p>é <a href=\"%[2]s\">%[1]s</a>\n"},
	".rst":  {"\n%s\n==========================\n\n", "`%s <%s>`_\n\n"},
	".adoc": {"\n== %s\n\n", "é link:%[2]s[%[1]s]\n"},
	".org":  {"\n* %s\n", "[[%[2]s][%[1]s]]\n"},
}

// edit changes a text at random, and returns the change for the editor.
func (w *tree) edit(name string) map[string]any {
	text := w.texts[name]
	at := func() int {
		i := w.rng.IntN(len(text) + 1)
		for i > 0 && i < len(text) && (!utf8.RuneStart(text[i]) || text[i-1] == '\r' && text[i] == '\n') { // no position is within a line end
			i--
		}
		return i
	}
	from, to := at(), 0
	if to = at(); to < from {
		from, to = to, from
	}
	by := w.piece(name)
	switch w.rng.IntN(4) {
	case 0:
		by, to = "", min(to, from+40)
		for to < len(text) && (!utf8.RuneStart(text[to]) || text[to] == '\n') {
			to++
		}
	case 1:
		by, to = []string{"x", "\n", "\r\n", "#", "(", "é", "😀"}[w.rng.IntN(7)], from
	default:
		to = from
	}
	w.texts[name] = text[:from] + by + text[to:]
	return map[string]any{"range": map[string]any{"start": place(text, from), "end": place(text, to)}, "text": by}
}

// place returns the position of an offset in UTF-16, as an editor counts it.
func place(text string, offset int) map[string]any {
	lines := strings.Split(strings.ReplaceAll(strings.ReplaceAll(text[:offset]+"x", "\r\n", "\n"), "\r", "\n"), "\n")
	last := lines[len(lines)-1]
	return map[string]any{"line": len(lines) - 1, "character": len(utf16.Encode([]rune(last))) - 1}
}

// checked returns the findings of check in a directory: document, place, code and message.
func checked(t *testing.T, dir string, args ...string) []string {
	t.Helper()
	cmd := exec.Command(program, append([]string{"check", ".", "-f", "json", "--external", "skip"}, args...)...)
	cmd.Dir = dir
	out, err := cmd.Output()
	var report struct {
		Results []struct {
			URL, Verdict, Code, Message string
			Known                       []string
			Warnings                    []struct{ Code, Message string }
			References                  []struct {
				Page         string
				Line, Column int
				Unaffected   []string
			}
		}
	}
	if jsonErr := json.Unmarshal(out, &report); jsonErr != nil {
		t.Fatalf("check: %v, %v: %s", err, jsonErr, out)
	}
	var all []string
	for _, r := range report.Results {
		for _, ref := range r.References {
			if (r.Verdict == "broken" || r.Verdict == "unverified") && !slices.Contains(r.Known, r.Code) {
				all = append(all, fmt.Sprintf("%s:%d:%d %s %s", ref.Page, ref.Line, ref.Column, r.Code, r.Message))
			}
			for _, w := range r.Warnings {
				if w.Code != "fragment-duplicate" && !slices.Contains(r.Known, w.Code) && !slices.Contains(ref.Unaffected, w.Code) {
					all = append(all, fmt.Sprintf("%s:%d:%d %s %s", ref.Page, ref.Line, ref.Column, w.Code, w.Message))
				}
			}
		}
		for _, w := range r.Warnings {
			if w.Code == "fragment-duplicate" {
				page, _, _ := strings.Cut(r.URL, "#")
				all = append(all, fmt.Sprintf("%s:1:1 %s %s", strings.ReplaceAll(page, "%20", " "), w.Code, w.Message))
			}
		}
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// shown returns findings in an editor in the form of checked.
func shown(dir string, texts map[string]string, findings map[string][]found) []string {
	var all []string
	for name, text := range texts {
		lines := strings.Split(strings.ReplaceAll(strings.ReplaceAll(text, "\r\n", "\n"), "\r", "\n"), "\n")
		for _, f := range findings[uri(dir, name)] {
			at := f.Range.Start
			if at.Line >= len(lines) || at.Character > len(utf16.Encode([]rune(lines[at.Line]))) {
				return []string{"findings of an earlier text"}
			}
			units := utf16.Encode([]rune(lines[at.Line]))
			column := len([]rune(string(utf16.Decode(units[:at.Character])))) + 1
			message, _, _ := strings.Cut(f.Message, "; did you mean ")
			all = append(all, fmt.Sprintf("%s:%d:%d %s %s", name, at.Line+1, column, f.Code, message))
		}
	}
	slices.Sort(all)
	return all
}

func compare(t *testing.T, what string, got, want []string) {
	t.Helper()
	if !slices.Equal(got, want) {
		for _, line := range got {
			if !slices.Contains(want, line) {
				t.Errorf("%s: too many: %s", what, line)
			}
		}
		for _, line := range want {
			if !slices.Contains(got, line) {
				t.Errorf("%s: missing: %s", what, line)
			}
		}
		t.Fatalf("%s: %d findings, want %d", what, len(got), len(want))
	}
}

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}
