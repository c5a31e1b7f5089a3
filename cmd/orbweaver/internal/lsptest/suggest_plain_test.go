//go:build !race

package lsptest

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode/utf16"

	"github.com/orbweaver/orbweaver/crawler/crawlertest"
)

// maze is a random folder whose documents have links to targets with similar names: what is suggested for the
// broken ones depends on many files and documents.
type maze struct {
	rng   *rand.Rand
	texts map[string]string // of the files
	git   bool              // it is a work tree
}

var (
	mazeDirs  = []string{"", "guide/", "guide/deep/", "api/", "Guide/"}
	mazeRules = []string{"mkdocs.yml", "conf.py", "docusaurus.config.js", "book.toml", "_config.yml", "myst.yml", "hugo.toml", ".gitignore", ".ignore", "_redirects", "Home.md", "_Sidebar.md", "index.html", "README.md", "sitemap.xml"}
	mazeNames = []string{"install", "instal", "setup", "set-up", "Setup", "setups", "configuration", "confguration", "reference", "index", "README"}
	mazeIDs   = []string{"one", "two-words", "two_words", "three", "threee", "Four"}
)

func pick[T any](rng *rand.Rand, all []T) T { return all[rng.IntN(len(all))] }

// file returns the path of a file that exists or may be created.
func (m *maze) file() string {
	return pick(m.rng, mazeDirs) + pick(m.rng, mazeNames) + pick(m.rng, []string{".md", ".md", ".md", ".md", ".md", ".html", ".html", ".png", "", ".rst", ".mdx", ".css"})
}

// link returns a link of a document to any file, whether it exists or not.
func (m *maze) link(from string) string {
	to := m.file()
	rel, err := filepath.Rel(filepath.Dir("/"+from), "/"+to)
	if err != nil {
		panic(err)
	}
	switch rel = filepath.ToSlash(rel); m.rng.IntN(9) {
	case 4:
		rel = "../folder/" + to
	case 0:
		rel = "/" + to
	case 1:
		rel = strings.TrimSuffix(rel, filepath.Ext(rel)) + "/"
	case 2:
		rel += "?q=1"
	case 3:
		rel = path.Dir(rel)
	}
	if m.rng.IntN(3) == 0 {
		rel += "#" + pick(m.rng, mazeIDs)
	}
	return fmt.Sprintf("[link](%s)\n\n", rel)
}

func (m *maze) heading() string {
	return "# " + pick(m.rng, []string{"One", "Two words", "Three", "Threee", "Four"}) + "\n\n"
}

func (m *maze) text(name string) string {
	switch path.Base(name) {
	case ".gitignore", ".ignore", "_redirects", "docusaurus.config.js", "conf.py":
		other := pick(m.rng, mazeNames)
		return pick(m.rng, []string{"api/\n", other + ".*\n", "/guide/deep\n!" + other + ".md\n"})
	case "sitemap.xml":
		return "<urlset><url><loc>https://example.com/" + m.file() + "</loc></url></urlset>"
	}
	var b strings.Builder
	switch path.Ext(name) {
	case ".png", ".yml", ".toml":
		return "image"
	case ".css":
		return "body { background: url(" + pick(m.rng, mazeNames) + ".png) }"
	}
	for range 2 + m.rng.IntN(4) {
		b.WriteString(m.piece(name))
	}
	return b.String()
}

func (m *maze) piece(name string) string {
	piece := m.heading()
	if m.rng.IntN(4) > 0 {
		piece = m.link(name)
	}
	switch path.Ext(name) {
	case ".html":
		if m.rng.IntN(6) == 0 {
			return "<link rel=stylesheet href=" + pick(m.rng, mazeNames) + ".css>\n\n"
		}
		return strings.NewReplacer("[link](", "<a href=\"", ")\n", "\">x</a>\n", "# ", "<h1 id=one>").Replace(piece)
	case ".rst":
		heading, is := strings.CutPrefix(piece, "# ")
		other := pick(m.rng, mazeNames)
		switch m.rng.IntN(5) {
		case 0:
			return ".. image:: /" + other + ".png\n\n"
		case 1:
			return ":doc:`" + other + "` and :ref:`" + other + "`\n\n"
		case 2:
			return ".. _" + other + ":\n\nText.\n\n"
		}
		if is {
			return strings.TrimSpace(heading) + "\n==========\n\n"
		}
		return strings.NewReplacer("[link](", "`link <", ")\n", ">`_\n").Replace(piece)
	case ".mdx":
		if m.rng.IntN(4) == 0 {
			return "import x from './" + pick(m.rng, mazeNames) + "'\n\n"
		}
	}
	return piece
}

// names returns the files, sorted: all, or those whose names satisfy a condition.
func (m *maze) names(where func(string) bool) (all []string) {
	for name := range m.texts {
		if where(name) {
			all = append(all, name)
		}
	}
	slices.Sort(all)
	return all
}

func isText(name string) bool {
	switch path.Ext(name) {
	case ".md", ".html", ".rst", ".mdx":
		return true
	}
	return false
}

func newMaze(rng *rand.Rand, files int) *maze {
	m := &maze{rng, map[string]string{}, rng.IntN(2) == 0}
	for range files {
		name := m.file()
		m.texts[name] = m.text(name)
	}
	return m
}

// suggested returns the findings of check in a directory with what is suggested, in the form of withMeant.
func suggested(t *testing.T, dir string) []string {
	t.Helper()
	cmd := exec.Command(program, "check", ".", "-f", "json", "--external", "skip")
	cmd.Dir = dir
	out, err := cmd.Output()
	var report struct {
		Results []struct {
			Verdict, Code, Message string
			Suggestions            []struct{ URL string }
			Warnings               []struct{ Code, Message, Proposal string }
			References             []struct {
				Page         string
				Line, Column int
				Unaffected   []string
			}
		}
	}
	if jsonErr := json.Unmarshal(out, &report); jsonErr != nil {
		t.Fatalf("check: %v, %v: %s", err, jsonErr, out)
	}
	all := []string{}
	add := func(page string, line, column int, code, message, meant string) {
		message = strings.ReplaceAll(message, dir, "")
		if meant != "" {
			message += "; did you mean " + meant + "?"
		}
		all = append(all, fmt.Sprintf("%s:%d:%d %s %s", page, line, column, code, message))
	}
	for _, r := range report.Results {
		meant := ""
		if len(r.Suggestions) > 0 {
			meant = r.Suggestions[0].URL
		}
		for _, ref := range r.References {
			if r.Verdict == "broken" || r.Verdict == "unverified" {
				add(ref.Page, ref.Line, ref.Column, r.Code, r.Message, meant)
			}
			for _, w := range r.Warnings {
				if w.Code != "fragment-duplicate" && !slices.Contains(ref.Unaffected, w.Code) {
					add(ref.Page, ref.Line, ref.Column, w.Code, w.Message, w.Proposal)
				}
			}
		}
	}
	slices.Sort(all)
	return all
}

// withMeant returns the findings in an editor with what is suggested.
func withMeant(dir string, texts map[string]string, findings map[string][]found) []string {
	all := []string{}
	for at, list := range findings {
		name, _ := filepath.Rel(uri(dir, ""), at)
		lines := strings.Split(texts[filepath.ToSlash(name)], "\n")
		for _, f := range list {
			if f.Code == "fragment-duplicate" {
				continue
			}
			start := f.Range.Start
			if start.Line >= len(lines) {
				return []string{"findings of an earlier text"}
			}
			column := len(string(utf16.Decode(utf16.Encode([]rune(lines[start.Line]))[:start.Character]))) + 1
			all = append(all, fmt.Sprintf("%s:%d:%d %s %s", filepath.ToSlash(name), start.Line+1, column, f.Code, strings.ReplaceAll(f.Message, dir, "")))
		}
	}
	slices.Sort(all)
	return all
}

// TestSuggestionsEqualCheck tests that after random edits, and after files came, went and were renamed, an editor
// shows the suggestions that check makes with all documents saved, and that fixing all of a document makes what
// fix writes.
func TestSuggestionsEqualCheck(t *testing.T) {
	meant, fixed, edits := 0, 0, 0
	const rounds = 25
	trees := crawlertest.Count(5, 200)
	for seed := range uint64(trees) {
		rng := rand.New(rand.NewPCG(43, seed))
		m := newMaze(rng, 12)
		if seed%5 == 4 { // some are judged apart
			for _, name := range m.names(isText)[:2] {
				m.texts[name] += strings.Repeat("Some text.\n", 60_000)
			}
		}
		dir, saved := filepath.Join(t.TempDir(), "folder"), filepath.Join(t.TempDir(), "folder")
		m.save(t, dir)
		m.save(t, saved)
		capabilities := pulling()
		capabilities["workspace"] = map[string]any{"workspaceEdit": map[string]any{"documentChanges": true}, "didChangeWatchedFiles": map[string]any{"dynamicRegistration": true}}
		e := start(t, dir, capabilities)
		want := suggested(t, saved)
		compare(t, fmt.Sprintf("seed %d, at first", seed), withMeant(dir, m.texts, e.pulled()), want)
		open := map[string]bool{}
		for round := range rounds {
			what := m.change(t, e, dir, open)
			edits++
			m.save(t, saved)
			want = suggested(t, saved)
			compare(t, fmt.Sprintf("seed %d, round %d, %s", seed, round, what), withMeant(dir, m.texts, e.pulled()), want)
			meant += strings.Count(strings.Join(want, "\n"), "; did you mean ")
			if round%5 == 4 {
				fixed += m.compareFixes(t, e, dir, open, fmt.Sprintf("seed %d, round %d, %s", seed, round, what))
			}
		}
	}
	t.Logf("%d trees, %d changes, %d suggestions, %d edits of fix", trees, edits, meant, fixed)
	if meant < 500 || fixed < 1 {
		t.Errorf("there were %d suggestions and %d edits of fix: too few to tell", meant, fixed)
	}
}

// TestSheetsOfLargeDocuments tests that style sheets are read which only a large document names, which is judged apart.
func TestSheetsOfLargeDocuments(t *testing.T) {
	dir := t.TempDir()
	filler := strings.Repeat("Some text.\n", 60_000)
	write(t, dir, "a.md", "[x](a.css)\n[y](later.css)\n\n"+filler)
	write(t, dir, "b.html", "<link rel=stylesheet href=b.css>\n"+filler)
	write(t, dir, "a.css", "body { background: url(none.png) }\n")
	write(t, dir, "b.css", "body { background: url(none.png) }\n")
	capabilities := pulling()
	capabilities["workspace"] = map[string]any{"didChangeWatchedFiles": map[string]any{"dynamicRegistration": true}}
	e := start(t, dir, capabilities)
	want := func(names ...string) {
		t.Helper()
		all := e.pulled()
		for _, name := range names {
			if got := all[uri(dir, name)]; len(got) != 1 || got[0].Code != "file-missing" {
				t.Errorf("%s has the findings %+v, want one", name, got)
			}
		}
	}
	want("a.css", "b.css", "a.md") // later.css is missing
	write(t, dir, "later.css", "body { background: url(none.png) }\n")
	e.notify("workspace/didChangeWatchedFiles", map[string]any{"changes": []any{map[string]any{"uri": uri(dir, "later.css"), "type": 1}}})
	want("a.css", "b.css", "later.css")
}

// change changes an open document, or opens one, closes one, or changes files on disk.
func (m *maze) change(t *testing.T, e *editor, dir string, open map[string]bool) string {
	opened, all := m.names(func(name string) bool { return open[name] }), m.names(func(string) bool { return true })
	watched := func(kind int, names ...string) {
		var changes []any
		for _, name := range names {
			changes = append(changes, map[string]any{"uri": uri(dir, name), "type": kind})
		}
		e.notify("workspace/didChangeWatchedFiles", map[string]any{"changes": changes})
	}
	remove := func(name string) {
		delete(m.texts, name)
		at := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.Remove(at); err != nil {
			t.Fatal(err)
		}
		for at = filepath.Dir(at); at != dir && os.Remove(at) == nil; at = filepath.Dir(at) { // directories that are empty
		}
	}
	switch kind := m.rng.IntN(14); {
	case len(opened) == 0 || kind == 0:
		name := pick(m.rng, m.names(isText))
		if !open[name] {
			e.open(dir, name, m.texts[name])
		}
		open[name] = true
		return "opened " + name
	case kind == 1:
		name := m.file()
		if m.rng.IntN(3) == 0 {
			name = pick(m.rng, mazeDirs) + pick(m.rng, mazeRules)
		}
		if m.isTaken(name) {
			return "nothing"
		}
		m.texts[name] = m.text(name)
		write(t, dir, name, m.texts[name])
		watched(1, name)
		return "created " + name
	case kind == 2:
		name := pick(m.rng, all)
		if open[name] || len(all) < 5 {
			return "nothing"
		}
		remove(name)
		watched(3, name)
		return "deleted " + name
	case kind == 3:
		from, to := pick(m.rng, all), m.file()
		if m.isTaken(to) || open[from] || isText(from) != isText(to) || strings.HasPrefix(to, from+"/") {
			return "nothing"
		}
		m.texts[to] = m.texts[from]
		write(t, dir, to, m.texts[to])
		remove(from)
		watched(3, from)
		watched(1, to)
		return "renamed " + from + " to " + to
	case kind == 4:
		name := pick(m.rng, m.names(isText))
		if open[name] {
			return "nothing"
		}
		m.texts[name] = m.text(name)
		write(t, dir, name, m.texts[name])
		watched(2, name)
		return "written " + name
	case kind == 5:
		name := pick(m.rng, opened)
		delete(open, name)
		m.texts[name] = string(must(os.ReadFile(filepath.Join(dir, filepath.FromSlash(name)))))
		e.notify("textDocument/didClose", map[string]any{"textDocument": map[string]any{"uri": uri(dir, name)}})
		return "closed " + name
	case kind == 6:
		from, to := pick(m.rng, mazeDirs[1:]), pick(m.rng, append(mazeDirs[1:], "moved/", "guide/moved/"))
		if m.isTaken(strings.TrimSuffix(to, "/")) || !m.isDirectory(strings.TrimSuffix(from, "/")) || strings.HasPrefix(to, from) || len(m.names(func(name string) bool { return open[name] && strings.HasPrefix(name, from) })) > 0 {
			return "nothing"
		}
		for _, name := range all {
			if rest, below := strings.CutPrefix(name, from); below {
				m.texts[to+rest] = m.texts[name]
				delete(m.texts, name)
			}
		}
		at := filepath.Join(dir, filepath.FromSlash(strings.TrimSuffix(to, "/")))
		if err := os.MkdirAll(filepath.Dir(at), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.Rename(filepath.Join(dir, filepath.FromSlash(strings.TrimSuffix(from, "/"))), at); err != nil {
			t.Fatal(err)
		}
		watched(3, strings.TrimSuffix(from, "/"))
		watched(1, strings.TrimSuffix(to, "/"))
		return "moved " + from + " to " + to
	}
	name := pick(m.rng, opened)
	pieces := strings.SplitAfter(m.texts[name], "\n\n")
	at := m.rng.IntN(len(pieces))
	if m.rng.IntN(3) > 0 {
		pieces[at] = m.piece(name) + pieces[at]
	} else {
		pieces[at] = ""
	}
	m.texts[name] = strings.Join(pieces, "")
	e.notify("textDocument/didChange", map[string]any{"textDocument": map[string]any{"uri": uri(dir, name), "version": 2}, "contentChanges": []any{map[string]any{"text": m.texts[name]}}})
	return "changed " + name
}

// save makes a directory hold the files.
func (m *maze) save(t *testing.T, dir string) {
	t.Helper()
	if err := os.RemoveAll(dir); err != nil {
		t.Fatal(err)
	}
	for name, text := range m.texts {
		write(t, dir, name, text)
	}
	if m.git {
		write(t, dir, ".git/HEAD", "ref: refs/heads/main\n")
	}
}

// isTaken reports whether something is at a path, or a file would be a directory.
func (m *maze) isTaken(at string) bool {
	for above := path.Dir(at); above != "."; above = path.Dir(above) {
		if _, is := m.texts[above]; is {
			return true
		}
	}
	_, is := m.texts[at]
	return is || m.isDirectory(at)
}

// isDirectory reports whether a file is in a directory with a path.
func (m *maze) isDirectory(path string) bool {
	return len(m.names(func(name string) bool { return strings.HasPrefix(name, path+"/") })) > 0
}

// compareFixes compares what fixing all of each open document makes with what fix writes, and returns the number
// of edits.
func (m *maze) compareFixes(t *testing.T, e *editor, dir string, open map[string]bool, what string) (edits int) {
	copied := filepath.Join(t.TempDir(), "folder")
	m.save(t, copied)
	cmd := exec.Command(program, "check", ".", "--external", "skip", "--fix", "--write")
	cmd.Dir = copied
	_ = cmd.Run() // the status is that of the findings
	for name := range open {
		got := m.texts[name]
		if all := e.actions(dir, name, "source.fixAll"); len(all) > 0 {
			got = applied(got, all[0].Edit.DocumentChanges[0].Edits)
			edits += len(all[0].Edit.DocumentChanges[0].Edits)
		}
		if want := string(must(os.ReadFile(filepath.Join(copied, filepath.FromSlash(name))))); got != want {
			t.Errorf("%s: %s fixed is\n%s, want\n%s", what, name, got, want)
		}
	}
	return edits
}
