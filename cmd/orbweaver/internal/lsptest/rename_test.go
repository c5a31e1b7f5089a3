package lsptest

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// graph returns where each reference of a tree leads, with fragments that are renamed taken for one.
func graph(t *testing.T, dir string, same ...string) []string {
	t.Helper()
	cmd := exec.Command(program, "check", ".", "-f", "json", "--external", "skip", "--show", "all")
	cmd.Dir = dir
	out, _ := cmd.Output() // the status is that of the findings
	var report struct {
		Results []struct {
			URL, Code  string
			References []struct {
				Page string
				Line int
			}
		}
	}
	if err := json.Unmarshal(out, &report); err != nil {
		t.Fatalf("check: %v: %s", err, out)
	}
	var all []string
	for _, r := range report.Results {
		page, fragment, _ := strings.Cut(r.URL, "#")
		if slices.Contains(same, fragment) {
			fragment = "renamed"
		}
		for _, ref := range r.References {
			all = append(all, fmt.Sprintf("%s:%d %s#%s %s", ref.Page, ref.Line, page, fragment, r.Code))
		}
	}
	slices.Sort(all)
	return all
}

// TestRename tests that each reference leads to the same place after a heading or an id was renamed, in
// all formats, and that a name which would collide is refused as a whole.
func TestRename(t *testing.T) {
	for _, row := range []struct {
		in, text string
		more     int
		name     string
		code     int
		same     []string // the fragment before and after
	}{
		{"a.md", "Second part", 3, "Änderung & more", 0, []string{"second-part", "änderung--more", "%C3%A4nderung--more"}},
		{"b.html", "second", 0, "other", 0, []string{"second", "other"}},
		{"c.rst", "Second part", 0, "Third parts", 0, []string{"second-part", "third-parts"}},
		{"d.adoc", "Second part", 0, "Third part", 0, []string{"_second_part", "_third_part"}},
		{"e.org", "Second part", 0, "Third part", 0, []string{"second-part", "third-part"}},
		{"c.rst", "a.md#second-part", 7, "Third part", 0, []string{"second-part", "third-part"}},
		{"a.md", "First", 0, "Second part", -32803, nil},
		{"a.md", "Second part", 0, "first", -32803, nil},
		{"a.md", "Second part", 0, "", -32602, nil},
		{"a.md", "Second part", 0, "a\nb", -32602, nil},
		{"a.md", "https://", 0, "x", -32803, nil},
	} {
		dir := t.TempDir()
		for name, text := range anchored {
			write(t, dir, name, text)
		}
		before := graph(t, dir, row.same...)
		e := start(t, dir, map[string]any{"workspace": map[string]any{"workspaceEdit": map[string]any{"documentChanges": true}}, "textDocument": map[string]any{"rename": map[string]any{"prepareSupport": true}}})
		params := at(dir, row.in, row.text, row.more)
		if a := e.request("textDocument/prepareRename", params); (string(a.Result) == "null") != (row.text == "https://") {
			t.Errorf("prepare the rename at %q in %s: %s", row.text, row.in, a.Result)
		}
		params["newName"] = row.name
		a := e.request("textDocument/rename", params)
		if a.code() != row.code {
			t.Errorf("rename %q in %s to %q: %+v, want code %d", row.text, row.in, row.name, a.Error, row.code)
		}
		if row.code != 0 || a.Error != nil {
			continue
		}
		changes := editsOf(t, a.Result)
		for name, text := range anchored {
			write(t, dir, name, applied(text, changes[uri(dir, name)]))
		}
		compare(t, fmt.Sprintf("%s with %q renamed to %q", row.in, row.text, row.name), graph(t, dir, row.same...), before)
		if text := string(must(os.ReadFile(filepath.Join(dir, row.in)))); row.in != "c.rst" && !strings.Contains(text, row.name) {
			t.Errorf("%s lacks %q: %s", row.in, row.name, text)
		}
	}
}

// TestRenameTop tests that links lead to a heading whose anchor each page has, if it is there, and follow its new name.
func TestRenameTop(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, "a.md", "# One\n\n## Top\n\n[x](#top)\n")
	write(t, dir, "b.md", "[x](a.md#top) [y](#top)\n")
	e := start(t, dir, map[string]any{"workspace": map[string]any{"workspaceEdit": map[string]any{"documentChanges": true}}})
	params := map[string]any{"textDocument": map[string]any{"uri": uri(dir, "a.md")}, "position": map[string]any{"line": 2, "character": 4}, "newName": "Summit"}
	changes := editsOf(t, e.request("textDocument/rename", params).Result)
	for name, want := range map[string]string{"a.md": "# One\n\n## Summit\n\n[x](#summit)\n", "b.md": "[x](a.md#summit) [y](#top)\n"} {
		text := string(must(os.ReadFile(filepath.Join(dir, name))))
		if got := applied(text, changes[uri(dir, name)]); got != want {
			t.Errorf("%s is %q, want %q", name, got, want)
		}
	}
}

// whereTo returns references with the documents that they lead to.
func whereTo(all []led) (texts []string) {
	for _, l := range all {
		texts = append(texts, fmt.Sprintf("%s:%d %s %s", l.page, l.line, l.to, l.code))
	}
	slices.Sort(texts)
	return texts
}

// TestRenameIDs tests that ids are renamed where each format writes them, escaped for their place, and that names
// which give no anchor, or make or remove a link, are refused.
func TestRenameIDs(t *testing.T) {
	texts := map[string]string{
		"a.adoc": "[[two]]\n== Second\n\ntext [[three]]more <<two>> <<three>> anchor:four[] <<four>>\n\n[#five.role]\n== Fifth\n\n<<five>> link:o.org#cid[x]\n",
		"o.org":  "* One\n:PROPERTIES:\n:CUSTOM_ID: cid\n:END:\n<<tgt>> [[#cid][x]] [[#tgt][x]] [[file:a.adoc#two][y]]\n",
		"h.html": "<p id=\"one\"><a href=\"#one\">x</a><p id=two><a href='#two'>y</a>\n",
		"m.md":   "# Head [x](h.html)\n\n## Other\n\n[y](#other)\n",
	}
	for _, row := range []struct {
		in, id, name, written string
		code                  int
	}{
		{"a.adoc", "two", "zwei", "[[zwei]]", 0}, {"a.adoc", "three", "drei", "[[drei]]", 0}, {"a.adoc", "four", "vier", "anchor:vier[", 0}, {"a.adoc", "five", "fünf", "[#fünf.role]", 0},
		{"o.org", "cid", "neu", ":CUSTOM_ID: neu\n", 0}, {"o.org", "tgt", "ziel", "<<ziel>>", 0},
		{"h.html", "one", `a"b<c`, `id="a&#34;b&lt;c"`, 0}, {"h.html", "two", "zwei", "id=zwei", 0}, {"h.html", "two", "a b", "", -32602},
		{"m.md", "Other", "!!!", "", -32602}, {"m.md", "Other", "See [x](y)", "", -32803}, {"m.md", "Head", "First", "", -32803}, {"m.md", "Head", "First [x](h.html)", "# First [x](h.html)\n", 0},
	} {
		dir := t.TempDir()
		for name, text := range texts {
			write(t, dir, name, text)
		}
		before := whereTo(leads(t, dir))
		e := start(t, dir, editing())
		params := map[string]any{"textDocument": map[string]any{"uri": uri(dir, row.in)}, "position": place(texts[row.in], strings.Index(texts[row.in], row.id)+1), "newName": row.name}
		a := e.request("textDocument/rename", params)
		if a.code() != row.code {
			t.Errorf("rename %s in %s to %q: %v %s, want code %d", row.id, row.in, row.name, a.Error, a.Result, row.code)
		}
		if a.Error != nil {
			continue
		}
		changes := editsOf(t, a.Result)
		for name, text := range texts {
			write(t, dir, name, applied(text, changes[uri(dir, name)]))
		}
		after := applied(texts[row.in], changes[uri(dir, row.in)])
		if !strings.Contains(after, row.written) {
			t.Errorf("%s renamed to %q in %s: %q lacks %q", row.id, row.name, row.in, after, row.written)
		}
		compare(t, fmt.Sprintf("%s in %s renamed to %q", row.id, row.in, row.name), whereTo(leads(t, dir)), before)
	}
}

// TestRenameExplicitID tests that the id behind a heading is renamed where it is written and where links
// lead to it, and that the heading's text is renamed by itself.
func TestRenameExplicitID(t *testing.T) {
	const a, b = "# One\n\n## Sec {#custom}\n\n[x](#custom)\n<a name=\"taken\"></a>\n", "[y](a.md#custom)\n"
	for _, row := range []struct {
		in                string
		line, character   int
		placeholder, name string
		a, b              string // "" for a refusal
	}{
		{"a.md", 2, 9, "custom", "new-id", "# One\n\n## Sec {#new-id}\n\n[x](#new-id)\n<a name=\"taken\"></a>\n", "[y](a.md#new-id)\n"},
		{"a.md", 4, 7, "custom", "new-id", "# One\n\n## Sec {#new-id}\n\n[x](#new-id)\n<a name=\"taken\"></a>\n", "[y](a.md#new-id)\n"},
		{"b.md", 0, 11, "custom", "new-id", "# One\n\n## Sec {#new-id}\n\n[x](#new-id)\n<a name=\"taken\"></a>\n", "[y](a.md#new-id)\n"},
		{"a.md", 2, 4, "Sec", "Part", "# One\n\n## Part {#custom}\n\n[x](#custom)\n<a name=\"taken\"></a>\n", b},
		{"a.md", 2, 9, "custom", "one", "", ""},
		{"a.md", 2, 9, "custom", "taken", "", ""},
		{"a.md", 2, 9, "custom", "new id", "", ""},
		{"a.md", 2, 9, "custom", "new}id", "", ""},
	} {
		dir := t.TempDir()
		write(t, dir, "a.md", a)
		write(t, dir, "b.md", b)
		e := start(t, dir, map[string]any{"workspace": map[string]any{"workspaceEdit": map[string]any{"documentChanges": true}}})
		params := map[string]any{"textDocument": map[string]any{"uri": uri(dir, row.in)}, "position": map[string]any{"line": row.line, "character": row.character}}
		if got := e.request("textDocument/prepareRename", params); !strings.Contains(string(got.Result), fmt.Sprintf("%q:%q", "placeholder", row.placeholder)) {
			t.Errorf("prepare the rename at %s:%d:%d: %s, want %s", row.in, row.line, row.character, got.Result, row.placeholder)
		}
		params["newName"] = row.name
		got := e.request("textDocument/rename", params)
		if row.a == "" {
			if got.code() == 0 {
				t.Errorf("%s was renamed to %q: %s", row.placeholder, row.name, got.Result)
			}
			continue
		}
		changes := editsOf(t, got.Result)
		for name, text := range map[string][2]string{"a.md": {a, row.a}, "b.md": {b, row.b}} {
			if is := applied(text[0], changes[uri(dir, name)]); is != text[1] {
				t.Errorf("%s:%d:%d renamed to %q: %s is %q, want %q", row.in, row.line, row.character, row.name, name, is, text[1])
			}
		}
	}
}
