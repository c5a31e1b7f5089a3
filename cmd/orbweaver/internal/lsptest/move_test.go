package lsptest

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"net/url"
	"os/exec"
	"path"
	"slices"
	"strings"
	"testing"
)

// led is where a reference leads: the file that answers, or what is missing, with the fragment.
type led struct {
	page       string
	line       int
	to, tail   string
	code       string
	isExternal bool
}

// leads returns where the references of a tree lead.
func leads(t *testing.T, dir string, args ...string) (all []led) {
	t.Helper()
	cmd := exec.Command(program, append([]string{"check", ".", "-f", "json", "--external", "skip", "--show", "all"}, args...)...)
	cmd.Dir = dir
	out, _ := cmd.Output() // the status is that of the findings
	var report struct {
		Results []struct {
			URL        string
			FinalURL   string `json:"final_url"`
			Code       string
			References []struct {
				Page string
				Line int
			}
		}
	}
	if err := json.Unmarshal(out, &report); err != nil {
		t.Fatalf("check: %v: %s", err, out)
	}
	for _, r := range report.Results {
		at, fragment, _ := strings.Cut(r.URL, "#")
		if r.FinalURL != "" {
			at = r.FinalURL
		}
		name, err := url.PathUnescape(strings.TrimPrefix(at, "https://docs.example/"))
		if err != nil {
			name = at
		}
		if r.Code == "file-case" {
			r.Code = "file-missing" // whose letters are like those of another one depends on all names
		}
		for _, ref := range r.References {
			all = append(all, led{ref.Page, ref.Line, name, fragment, r.Code, strings.Contains(name, ":")})
		}
	}
	return all
}

// moved returns references after a move, as texts.
func moved(all []led, to func(string) string) (texts []string) {
	for _, l := range all {
		if !l.isExternal {
			l.to = to(l.to)
		}
		texts = append(texts, fmt.Sprintf("%s:%d %s#%s %s", to(l.page), l.line, l.to, l.tail, l.code))
	}
	slices.Sort(texts)
	return texts
}

// renames are the new names of files and folders by the old ones.
type renames map[string]string

func (r renames) of(name string) string {
	for above := strings.TrimSuffix(name, "/"); above != "." && above != "/" && above != ""; above = path.Dir(above) {
		if to, ok := r[above]; ok {
			return to + name[len(above):]
		}
	}
	return name
}

// willRename asks what must be edited, and makes the edits and the renames.
func (e *editor) willRename(dir string, texts map[string]string, r renames) map[string]string {
	e.t.Helper()
	var files []any
	for from, to := range r {
		files = append(files, map[string]any{"oldUri": uri(dir, from), "newUri": uri(dir, to)})
	}
	a := e.request("workspace/willRenameFiles", map[string]any{"files": files})
	if a.Error != nil {
		e.t.Fatalf("willRenameFiles: %v", a.Error)
	}
	edits := editsOf(e.t, a.Result)
	after := map[string]string{}
	for name, text := range texts {
		after[r.of(name)] = applied(text, edits[uri(dir, name)])
	}
	return after
}

// editing are the capabilities of an editor that takes edits of documents.
func editing() map[string]any {
	return map[string]any{"workspace": map[string]any{"workspaceEdit": map[string]any{"documentChanges": true}, "fileOperations": map[string]any{"willRename": true}}}
}

// TestMoveForms tests that the form of a reference is kept.
func TestMoveForms(t *testing.T) {
	texts := map[string]string{
		"index.html":       "<a href=\"guide/\">g</a> <a href=\"guide/a\">a</a> <a href='guide/a.html#x'>a</a> <a href=\"/guide/a.html\">a</a> <a href=\"https://docs.example/guide/a?q#x\">a</a>\n",
		"guide/index.html": "<a href=a>a</a> <a href=\"../index.html\">i</a> <a href=\"#y\">y</a> <b id=y>y</b> <a href=\"b.html\">b</a>\n",
		"guide/a.html":     "<h1 id=x>x</h1><a href=\"./\">g</a>\n",
		"guide/b.html":     "<a href=\"a.html\">a</a>\n",
	}
	dir := t.TempDir()
	for name, text := range texts {
		write(t, dir, name, text)
	}
	for _, row := range []struct {
		moves renames
		want  map[string]string
	}{
		{renames{"guide": "hand book"}, map[string]string{
			"index.html":           "<a href=\"hand%20book/\">g</a> <a href=\"hand%20book/a\">a</a> <a href='hand%20book/a.html#x'>a</a> <a href=\"/hand%20book/a.html\">a</a> <a href=\"https://docs.example/hand%20book/a?q#x\">a</a>\n",
			"hand book/index.html": texts["guide/index.html"],
		}},
		{renames{"guide/a.html": "guide/b.html", "guide/b.html": "guide/a.html"}, map[string]string{
			"index.html":       "<a href=\"guide/\">g</a> <a href=\"guide/b\">a</a> <a href='guide/b.html#x'>a</a> <a href=\"/guide/b.html\">a</a> <a href=\"https://docs.example/guide/b?q#x\">a</a>\n",
			"guide/a.html":     "<a href=\"b.html\">a</a>\n",
			"guide/index.html": "<a href=b>a</a> <a href=\"../index.html\">i</a> <a href=\"#y\">y</a> <b id=y>y</b> <a href=\"a.html\">b</a>\n",
		}},
		{renames{"guide/index.html": "top.html"}, map[string]string{
			"top.html":     "<a href=guide/a>a</a> <a href=\"../index.html\">i</a> <a href=\"#y\">y</a> <b id=y>y</b> <a href=\"guide/b.html\">b</a>\n",
			"index.html":   strings.Replace(texts["index.html"], "guide/\"", "top.html\"", 1),
			"guide/a.html": "<h1 id=x>x</h1><a href=\"../top.html\">g</a>\n",
		}},
		{renames{"guide/a.html": "../outside.html"}, map[string]string{"index.html": texts["index.html"], "guide/b.html": texts["guide/b.html"]}},
	} {
		e := start(t, dir, editing(), "--base-url", "https://docs.example/")
		after := e.willRename(dir, texts, row.moves)
		for name, want := range row.want {
			if after[name] != want {
				t.Errorf("%v: %s is\n%s, want\n%s", row.moves, name, after[name], want)
			}
		}
	}
}

// TestMoveKeepsSpelling tests that references between documents that move together are edited only if they name what moves, however
// they are spelled.
func TestMoveKeepsSpelling(t *testing.T) {
	texts := map[string]string{
		"guide/a.md":     "# A\n\n[b](<b c.md>) [é](é.md#ä) [x](./%62%20c.md) [s](sub/../b%20c.md?a|b) [d](sub\\\\d.md) [u](%2e%2e/guide/é.md) [top](<../to p.md>)\n",
		"guide/b c.md":   "# B\n",
		"guide/é.md":     "# Ä\n",
		"guide/sub/d.md": "# D\n\n[a](<../b c.md>)\n",
		"to p.md":        "# Top\n\n[above](<../x y.md>)\n",
	}
	dir := t.TempDir()
	for name, text := range texts {
		write(t, dir, name, text)
	}
	for _, args := range [][]string{nil, {"--base-url", "https://docs.example/"}} {
		e := start(t, dir, editing(), args...)
		after := e.willRename(dir, texts, renames{"guide": "hand/book"})
		for name, text := range texts {
			if name == "guide/a.md" {
				text = strings.NewReplacer("<../to p.md>", "<../../to%20p.md>", "%2e%2e/guide/", "../book/").Replace(text)
			}
			if got := after[renames{"guide": "hand/book"}.of(name)]; got != text {
				t.Errorf("%v: %s is\n%s, want\n%s", args, name, got, text)
			}
		}
	}
}

// TestMoveOfLargeFolder tests that a folder of 1,000 documents can be moved.
func TestMoveOfLargeFolder(t *testing.T) {
	dir, texts := t.TempDir(), map[string]string{}
	for i := range 1000 {
		texts[fmt.Sprintf("guide/%d.md", i)] = fmt.Sprintf("# T\n\n[a](%d.md#t) [b](../top.md)\n", (i+1)%1000) + strings.Repeat("text ", 700)
	}
	texts["top.md"] = "# Top\n\n[a](guide/0.md)\n"
	for name, text := range texts {
		write(t, dir, name, text)
	}
	e := start(t, dir, editing())
	e.pulled()
	r := renames{"guide": "hand/book"}
	after := e.willRename(dir, texts, r)
	if after["top.md"] != "# Top\n\n[a](hand/book/0.md)\n" || !strings.Contains(after["hand/book/7.md"], "[a](8.md#t) [b](../../top.md)\n") {
		t.Errorf("the edits are wrong: %q, %q", after["top.md"], after["hand/book/7.md"][:60])
	}
}

// TestMoveLeavesOut tests that references which cannot be edited are left out of the edit of a move, and that the user
// is told.
func TestMoveLeavesOut(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, "a.md", "[x](b.md)\n")
	write(t, dir, "b.md", "# B\n")
	var packed bytes.Buffer
	w := gzip.NewWriter(&packed)
	if _, err := w.Write([]byte(`<svg xmlns="http://www.w3.org/2000/svg"><a href="b.md"/></svg>`)); err != nil || w.Close() != nil {
		t.Fatal(err)
	}
	write(t, dir, "c.svgz", packed.String())
	e := start(t, dir, map[string]any{"workspace": map[string]any{"workspaceEdit": map[string]any{"documentChanges": true}}})
	a := e.request("workspace/willRenameFiles", map[string]any{"files": []any{map[string]any{"oldUri": uri(dir, "b.md"), "newUri": uri(dir, "new.md")}}})
	changes := editsOf(t, a.Result)
	if got := applied("[x](b.md)\n", changes[uri(dir, "a.md")]); got != "[x](new.md)\n" || len(changes) != 1 {
		t.Errorf("the edit is %s, want that of a.md alone", a.Result)
	}
	e.until("the user is told of the reference that is left out", func() bool {
		return slices.ContainsFunc(e.messages, func(m string) bool { return strings.Contains(m, "1 reference cannot be edited") })
	})
}
