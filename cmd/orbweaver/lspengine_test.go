package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/textproto"
	"net/url"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"github.com/orbweaver/orbweaver/cmd/orbweaver/internal/lsp"
	"github.com/orbweaver/orbweaver/cmd/orbweaver/internal/option"
	"github.com/orbweaver/orbweaver/cmd/orbweaver/internal/workspace"
	"github.com/orbweaver/orbweaver/crawler/result"
)

// pipedEditor is a client of the language server over pipes.
type pipedEditor struct {
	t     testing.TB
	to    io.Writer
	from  *bufio.Reader
	dir   string
	last  int
	shown []string // messages for the user
}

// editorOf returns an engine for editors with the flags of a command line without any.
func editorOf(t testing.TB) *editorEngine {
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	cmd := &cobra.Command{}
	e, err := newEditorEngine(cmd, addFlags(cmd, option.Editor), &editorFlags{external: "cache"})
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// openEditor starts a server with a folder.
func openEditor(t testing.TB, engine lsp.Engine, dir string) *pipedEditor {
	in, to := io.Pipe()
	from, out := io.Pipe()
	ended := make(chan error, 1)
	go func() { ended <- lsp.New(engine, lsp.Config{Note: t.Logf}).Serve(context.Background(), in, out) }()
	p := &pipedEditor{t: t, to: to, from: bufio.NewReaderSize(from, 1<<20), dir: dir}
	t.Cleanup(func() {
		p.ask("shutdown", nil)
		go io.Copy(io.Discard, p.from)
		p.send(map[string]any{"method": "exit"})
		if err := <-ended; err != nil {
			t.Errorf("the server ends with %v", err)
		}
	})
	p.ask("initialize", map[string]any{"workspaceFolders": []any{map[string]any{"uri": p.uri(""), "name": "folder"}}, "capabilities": map[string]any{
		"textDocument": map[string]any{"diagnostic": map[string]any{}},
		"workspace":    map[string]any{"workspaceEdit": map[string]any{"documentChanges": true}, "didChangeWatchedFiles": map[string]any{"dynamicRegistration": true}}}})
	p.send(map[string]any{"method": "initialized", "params": map[string]any{}})
	return p
}

func (p *pipedEditor) uri(name string) string {
	return (&url.URL{Scheme: "file", Path: filepath.ToSlash(filepath.Join(p.dir, name))}).String()
}

func (p *pipedEditor) send(m map[string]any) {
	m["jsonrpc"] = "2.0"
	body, err := json.Marshal(m)
	if err != nil {
		p.t.Fatal(err)
	}
	fmt.Fprintf(p.to, "Content-Length: %d\r\n\r\n%s", len(body), body)
}

// ask returns the result of a request.
func (p *pipedEditor) ask(method string, params any) json.RawMessage {
	p.t.Helper()
	p.last++
	request := map[string]any{"id": p.last, "method": method}
	if params != nil {
		request["params"] = params
	}
	go p.send(request)
	for {
		header, err := textproto.NewReader(p.from).ReadMIMEHeader()
		if err != nil {
			p.t.Fatal(err)
		}
		n, err := strconv.Atoi(header.Get("Content-Length"))
		if err != nil {
			p.t.Fatal(err)
		}
		body := make([]byte, n)
		if _, err := io.ReadFull(p.from, body); err != nil {
			p.t.Fatal(err)
		}
		var m struct {
			ID     json.RawMessage
			Method string
			Params struct{ Message string }
			Result json.RawMessage
			Error  any
		}
		if err := json.Unmarshal(body, &m); err != nil {
			p.t.Fatalf("%s: %v", body, err)
		}
		switch {
		case m.Method == "window/showMessage":
			p.shown = append(p.shown, m.Params.Message)
		case m.Method == "" && string(m.ID) == strconv.Itoa(p.last):
			if m.Error != nil {
				p.t.Fatalf("%s: %v", method, m.Error)
			}
			return m.Result
		}
	}
}

// findings returns the findings of all documents as they are sent.
func (p *pipedEditor) findings() string {
	return string(p.ask("workspace/diagnostic", map[string]any{"previousResultIds": []any{}}))
}

// at returns the parameters of a request at a position of a document.
func (p *pipedEditor) at(name string, line, character int) map[string]any {
	return map[string]any{"textDocument": map[string]any{"uri": p.uri(name)}, "position": map[string]any{"line": line, "character": character}, "context": map[string]any{"includeDeclaration": true}}
}

// TestEditorOfManyDocuments tests that a folder is read up to a number of documents, and that the editor is told.
func TestEditorOfManyDocuments(t *testing.T) {
	dir := t.TempDir()
	for i := range 5 {
		writeFiles(t, dir, map[string]string{fmt.Sprintf("d%d.md", i): "[x](d4.md#no) [y](gone.md)\n"})
	}
	engine := editorOf(t)
	engine.maxDocuments = 3
	p := openEditor(t, engine, dir)
	all := p.findings()
	if n := strings.Count(all, `"uri"`); n != 3 || !strings.Contains(all, "fragment-missing") {
		t.Errorf("%d documents have findings, want 3: %s", n, all)
	}
	if !slices.ContainsFunc(p.shown, func(m string) bool { return strings.Contains(m, "only the first 3 documents") }) {
		t.Errorf("the editor was told %q, want that only the first 3 documents are read", p.shown)
	}
}

// heldEngine judges no whole folder until it is told to go on.
type heldEngine struct {
	*editorEngine
	goOn chan struct{}
}

type heldJudge struct {
	editorJudge
	goOn chan struct{}
}

func (e *heldEngine) Open(dir, file string, client map[string]any) (workspace.Judge, error) {
	judge, err := e.editorEngine.Open(dir, file, client)
	return &heldJudge{judge, e.goOn}, err
}

func (j *heldJudge) Judge(ctx context.Context, texts map[string][]byte, some, beside []string, add func(workspace.Found)) (result.Search, error) {
	if some == nil {
		<-j.goOn
	}
	return j.editorJudge.Judge(ctx, texts, some, beside, add)
}

// TestEditorBeforeTheIndex tests that symbols and links of an open document are there before its folder was
// judged, and are the same afterwards.
func TestEditorBeforeTheIndex(t *testing.T) {
	dir := t.TempDir()
	writeFiles(t, dir, map[string]string{"sub/a.md": "# On disk\n", "sub/b.md": "# B\n", "docs/index.html": "<p id=x>", "orbweaver.toml": "exclude = [\"skipped\"]\n",
		".gitignore": "c.md\n", "sub/c.md": "# C\n"})
	engine := &heldEngine{editorOf(t), make(chan struct{})}
	p := openEditor(t, engine, dir)
	text := "# First\n\n## Second\n\n[b](b.md#b) [gone](gone.md) [d](../docs/) [s](skipped.md) [w](https://example.com/#x) [c](c.md) [up](../../x.md) [self](#second) [new](new.md)\n"
	p.ask("textDocument/documentLink", map[string]any{"textDocument": map[string]any{"uri": "untitled:none"}}) // what the server registers is read
	for name, text := range map[string]string{"sub/a.md": text, "sub/new.md": text} {                          // the file of the second does not exist
		p.send(map[string]any{"method": "textDocument/didOpen", "params": map[string]any{"textDocument": map[string]any{"uri": p.uri(name), "languageId": "markdown", "version": 1, "text": text}}})
	}
	answers := func() (all []string) {
		for _, method := range []string{"textDocument/documentSymbol", "textDocument/documentLink"} {
			all = append(all, string(p.ask(method, p.at("sub/a.md", 0, 0))))
		}
		return all
	}
	before := answers()
	close(engine.goOn)
	p.findings()
	if after := answers(); !slices.Equal(before, after) || !strings.Contains(before[0], "Second") || strings.Count(before[1], "range") != 9 {
		t.Errorf("before:\n%s\nafter:\n%s", before, after)
	}
}

// countedJudge notes which documents are judged again; nil stands for all.
type countedJudge struct {
	editorJudge
	judged [][]string
}

type editorJudge = workspace.Judge

func (j *countedJudge) Judge(ctx context.Context, texts map[string][]byte, some, beside []string, add func(workspace.Found)) (result.Search, error) {
	j.judged = append(j.judged, some)
	return j.editorJudge.Judge(ctx, texts, some, beside, add)
}

// TestEditorJudgesFew tests how many documents are judged again after a change: those that it may concern.
func TestEditorJudgesFew(t *testing.T) {
	dir, files := t.TempDir(), map[string]string{"a.md": "# A\n\n[b](b.md)\n", "b.md": "# B\n"}
	for i := range 100 {
		files[fmt.Sprintf("d%d.md", i)] = fmt.Sprintf("# D\n\n[next](d%d.md#d)\n", (i+1)%100)
	}
	files["d7.md"] = "# D\n\n[a](a.md#a)\n"
	writeFiles(t, dir, files)
	opened, err := editorOf(t).Open(dir, "", nil)
	if err != nil {
		t.Fatal(err)
	}
	defer opened.Close()
	judge := &countedJudge{editorJudge: opened}
	judge.Speak(nil)
	f := workspace.Folder{Judge: judge}
	texts := map[string][]byte{}
	index, _, err := f.Update(t.Context(), nil, texts, workspace.Change{})
	if err != nil {
		t.Fatal(err)
	}
	for _, row := range []struct {
		path, text string
		want       [][]string
	}{
		{"a.md", files["a.md"], nil}, // it is opened
		{"a.md", "# A\n\n[b](b.md) and more text\n", [][]string{{"a.md"}}},
		{"a.md", "# A\n\n[b](b.md#no) [x](gone.md)\n", [][]string{{"a.md"}}},
		{"a.md", "# Other\n\n[b](b.md#no) [x](gone.md)\n", [][]string{{"a.md", "d7.md"}}}, // what refers to it
		{"b.md", "# C\n", [][]string{{"a.md", "b.md"}}},
		{"d9.md", "", [][]string{{"d8.md", "d9.md"}}},            // it is written
		{"new.md", "", [][]string{{"a.md", "new.md"}}},           // it may be what a broken link means
		{"a.md", strings.Repeat("text\n", workspace.Large), nil}, // judged apart
	} {
		judge.judged = nil
		change := workspace.Change{Number: 1}
		if texts = maps.Clone(texts); row.text == "" {
			writeFiles(t, dir, map[string]string{row.path: "# Written\n"})
			change.Written = []string{row.path}
		} else {
			texts[row.path] = []byte(row.text)
			change.Paths = []string{row.path}
		}
		if index, _, err = f.Update(t.Context(), index, texts, change); err != nil {
			t.Fatal(err)
		}
		if !slices.EqualFunc(judge.judged, row.want, slices.Equal) {
			t.Errorf("%s as %.40q: judged %q, want %q", row.path, row.text, judge.judged, row.want)
		}
	}
	if due := slices.Sorted(maps.Keys(index.Due)); !slices.Equal(due, []string{"a.md", "d7.md"}) {
		t.Errorf("due are %q, want a.md, and d7.md that refers to it", due)
	}
}

// largeFolder writes 10,000 documents of 4 kB with 20 references each, 1,000 of them in the directory d0.
func largeFolder(t testing.TB) string {
	dir := t.TempDir()
	for i := range 10_000 {
		var b strings.Builder
		fmt.Fprintf(&b, "# Title\n\n## Part %d\n\n", i)
		for k := range 20 {
			to := (i*7 + k*131) % 10_000
			fmt.Fprintf(&b, "See [some text](../d%d/f%d.md#part-%d) and what is said there.\n%s\n\n", to/1000, to, to+k/19, strings.Repeat("More words. ", 10))
		}
		writeFiles(t, dir, map[string]string{fmt.Sprintf("d%d/f%d.md", i/1000, i): b.String()})
	}
	return dir
}

// BenchmarkEditor measures the answers about a large folder: the index with all findings, a change with the
// findings of the document, requests, the move of 1,000 documents, and a burst of changes.
func BenchmarkEditor(b *testing.B) {
	dir := largeFolder(b)
	var p *pipedEditor
	b.Run("Index", func(b *testing.B) {
		for b.Loop() {
			p = openEditor(b, editorOf(b), dir)
			p.findings()
		}
		var m runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&m)
		b.ReportMetric(float64(m.HeapAlloc)/(1<<20), "MiB-live")
	})
	p = openEditor(b, editorOf(b), dir)
	p.findings()
	text, err := os.ReadFile(filepath.Join(dir, "d3/f3000.md"))
	if err != nil {
		b.Fatal(err)
	}
	p.send(map[string]any{"method": "textDocument/didOpen", "params": map[string]any{"textDocument": map[string]any{"uri": p.uri("d3/f3000.md"), "languageId": "markdown", "version": 1, "text": string(text)}}})
	version := 1
	change := func() {
		version++
		p.send(map[string]any{"method": "textDocument/didChange", "params": map[string]any{"textDocument": map[string]any{"uri": p.uri("d3/f3000.md"), "version": version},
			"contentChanges": []any{map[string]any{"range": map[string]any{"start": map[string]any{"line": 1}, "end": map[string]any{"line": 1}}, "text": "x"}}}})
	}
	run := func(name string, changed int, method string, params any) {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				for range changed {
					change()
				}
				p.ask(method, params)
			}
		})
	}
	at := p.at("d3/f3000.md", 4, 8)
	run("Change", 1, "textDocument/diagnostic", at)
	run("Hover", 0, "textDocument/hover", at)
	run("Definition", 0, "textDocument/definition", at)
	run("Completion", 0, "textDocument/completion", p.at("d3/f3000.md", 4, 28))
	run("DocumentLinks", 0, "textDocument/documentLink", at)
	run("References", 0, "textDocument/references", p.at("d3/f3000.md", 2, 4))
	named := p.at("d3/f3000.md", 2, 4)
	named["newName"] = "Another part"
	run("Rename", 0, "textDocument/rename", named)
	run("Move", 0, "workspace/willRenameFiles", map[string]any{"files": []any{map[string]any{"oldUri": p.uri("d0"), "newUri": p.uri("moved/here")}}})
	b.Run("Written", func(b *testing.B) {
		for b.Loop() {
			p.send(map[string]any{"method": "workspace/didChangeWatchedFiles", "params": map[string]any{"changes": []any{map[string]any{"uri": p.uri("d4/f4000.md"), "type": 2}}}})
			p.ask("textDocument/diagnostic", p.at("d4/f4000.md", 0, 0))
		}
	})
	told := func(changes ...any) {
		p.send(map[string]any{"method": "workspace/didChangeWatchedFiles", "params": map[string]any{"changes": changes}})
		p.ask("textDocument/diagnostic", at)
	}
	file := func(name string, kind int) map[string]any { return map[string]any{"uri": p.uri(name), "type": kind} }
	b.Run("CreatedAndDeleted", func(b *testing.B) {
		for b.Loop() {
			writeFiles(b, dir, map[string]string{"d5/new.md": "# New\n\n[x](f5000.md#part-5000) [y](gone.md)\n"})
			told(file("d5/new.md", 1))
			if err := os.Remove(filepath.Join(dir, "d5/new.md")); err != nil {
				b.Fatal(err)
			}
			told(file("d5/new.md", 3))
		}
	})
	b.Run("RenamedThereAndBack", func(b *testing.B) {
		for b.Loop() {
			for _, names := range [][2]string{{"d5/f5001.md", "d5/other.md"}, {"d5/other.md", "d5/f5001.md"}} {
				if err := os.Rename(filepath.Join(dir, names[0]), filepath.Join(dir, names[1])); err != nil {
					b.Fatal(err)
				}
				told(file(names[0], 3), file(names[1], 1))
			}
		}
	})
	run("Burst", 1000, "textDocument/diagnostic", at)
}
