package lsptest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"
)

// TestMessages tests that each request gets one response, whatever it contains, and that the next
// message is read.
func TestMessages(t *testing.T) {
	e := launch(t)
	for _, row := range []struct {
		body string
		code int // of the answer; 0 for a result
		null bool
	}{
		{`{"jsonrpc":"2.0","id":1,"method":"textDocument/hover","params":{}}`, -32002, false},
		{`{"jsonrpc":"2.0","id":2,"method":"initialize","params":{"capabilities":7}}`, -32602, false},
		{`{"jsonrpc":"2.0","id":3,"method":"initialize","params":{"capabilities":{"general":{"positionEncodings":["x","utf-32","utf-8"]}},"unknown":[]}}`, 0, false},
		{`{"jsonrpc":"2.0","id":4,"method":"initialize","params":{"capabilities":{}}}`, -32600, false},
		{`{"jsonrpc":"2.0","id":"a","method":"$/nothing"}`, -32601, false},
		{`{"jsonrpc":"2.0","id":5,"method":"textDocument/diagnostic","params":{"textDocument":"x"}}`, -32602, false},
		{`{"jsonrpc":"2.0","id":6,"method":"textDocument/diagnostic","params":[1]}`, -32602, false},
		{`{"jsonrpc":"2.0","id":7,"method":"workspace/diagnostic","params":{"previousResultIds":[]}}`, 0, false},
		{`{"jsonrpc":"2.0","id":14,"method":"textDocument/hover","params":{"textDocument":{"uri":"file:///x"}}}`, -32602, false},
		{`{"jsonrpc":"2.0","id":15,"method":"textDocument/references","params":{"textDocument":{"uri":"file:///x"},"position":{"line":1}}}`, -32602, false},
		{`{"jsonrpc":"2.0","id":17,"method":"workspace/willRenameFiles"}`, -32602, false},
		{`{"jsonrpc":"2.0","id":18,"method":"textDocument/hover","params":{"textDocument":{"uri":"file:///x"},"position":{"line":1,"character":0}}}`, 0, false},
		{`{"jsonrpc":"2.0","id":8,"method":9}`, -32600, false},
		{`{"jsonrpc":"2.0",`, -32700, true},
		{"{\"a\":\"\xff\"}", -32700, true},
		{strings.Repeat("[", 100_000) + strings.Repeat("]", 100_000), -32700, true},
		{`[{"jsonrpc":"2.0","id":10,"method":"shutdown"}]`, -32600, true},
		{`7`, -32600, true},
		{`{"jsonrpc":"2.0","id":{},"method":"shutdown"}`, -32600, true},
		{`{"jsonrpc":"2.0","method":"workspace/unknown","params":5}`, 0, true},
		{`{"jsonrpc":"2.0","method":"textDocument/didChange","params":{"textDocument":{"uri":"file:///x","version":1},"contentChanges":[]}}`, 0, true},
		{`{"jsonrpc":"2.0","id":11,"method":"shutdown"}`, 0, false},
		{`{"jsonrpc":"2.0","id":12,"method":"shutdown"}`, -32600, false},
		{`{"jsonrpc":"2.0","id":13,"method":"nothing"}`, -32600, false},
	} {
		answers := e.nobody
		if !row.null {
			var m struct{ ID json.RawMessage }
			if err := json.Unmarshal([]byte(row.body), &m); err != nil {
				t.Fatal(err)
			}
			answers = make(chan answer, 1)
			e.mu.Lock()
			e.waiting[string(m.ID)] = answers
			e.mu.Unlock()
		}
		e.body([]byte(row.body))
		if row.null && row.code == 0 {
			continue // a notification
		}
		if got := e.await(answers).code(); got != row.code {
			t.Errorf("%.80s: the code is %d, want %d", row.body, got, row.code)
		}
	}
	e.notify("exit", nil)
	if code := e.ended(); code != 0 || len(e.nobody) > 0 {
		t.Errorf("after shutdown and exit: status %d, %d more responses", code, len(e.nobody))
	}
}

// TestFrames tests the ends of a conversation.
func TestFrames(t *testing.T) {
	hello := `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"capabilities":{}}}`
	frame := func(header, body string) string {
		return fmt.Sprintf(header+"Content-Length: %d\r\n\r\n%s", len(body), body)
	}
	for _, row := range []struct {
		name, input string
		answers     bool
		errs        string
	}{
		{"the end of the input", "", false, "without shutdown"},
		{"exit alone", frame("", `{"jsonrpc":"2.0","method":"exit"}`), false, "without shutdown"},
		{"no length", "X: 1\r\n\r\n{}", false, "Content-Length"},
		{"a length that is no number", "Content-Length: x\r\n\r\n{}", false, "Content-Length"},
		{"a length beyond the limit", "Content-Length: 67108865\r\n\r\n{}", false, "64 MiB"},
		{"an endless header", strings.Repeat("x", 20<<10), false, "longer than"},
		{"an unknown encoding", frame("Content-Type: application/vscode-jsonrpc; charset=latin1\r\n", hello), false, "utf-8"},
		{"an old encoding", frame("Content-Type: application/vscode-jsonrpc; charset=utf8\r\n", hello), true, "without shutdown"},
		{"half a message", frame("", hello) + "Content-Length: 50\r\n\r\n{", true, "unexpected EOF"},
	} {
		t.Run(row.name, func(t *testing.T) {
			e := launch(t)
			answers := make(chan answer, 1)
			e.waiting["1"] = answers
			e.raw(row.input)
			if row.answers {
				e.await(answers)
			}
			e.in.Close()
			if code := e.ended(); code != 1 {
				t.Errorf("the exit status is %d", code)
			}
			if text := e.errs.String(); !strings.Contains(text, row.errs) || strings.Count(text, "\n") != 1 {
				t.Errorf("standard error is %q, want one line with %q", text, row.errs)
			}
		})
	}
}

// TestEditorIsGone tests that the server ends when the process of its editor has, and its input goes on.
func TestEditorIsGone(t *testing.T) {
	other, e := launch(t), launch(t)
	if a := e.request("initialize", map[string]any{"processId": other.cmd.Process.Pid, "capabilities": map[string]any{}}); a.code() != 0 {
		t.Fatal(a.Error)
	}
	other.in.Close()
	other.ended()
	if code := e.ended(); code != 1 {
		t.Errorf("the exit status is %d, want 1", code)
	}
}

// TestCapabilities tests that what an editor must declare is offered only if it did.
func TestCapabilities(t *testing.T) {
	yes := map[string]any{"dynamicRegistration": true}
	full := map[string]any{
		"workspace": map[string]any{"workspaceFolders": true, "fileOperations": map[string]any{"willRename": true, "didRename": true}},
		"textDocument": map[string]any{"codeLens": yes, "diagnostic": yes, "rename": map[string]any{"prepareSupport": true},
			"codeAction": map[string]any{"resolveSupport": map[string]any{"properties": []string{"edit"}}}},
	}
	for _, row := range []struct {
		declared map[string]any
		offered  bool
	}{{map[string]any{}, false}, {full, true}} {
		e := launch(t)
		a := e.request("initialize", map[string]any{"processId": nil, "capabilities": row.declared, "rootUri": uri(t.TempDir(), "")})
		for _, word := range []string{"resolveProvider", "prepareProvider", "workspaceFolders", "willRename", "didRename", "codeLensProvider", "diagnosticProvider"} {
			if offered := strings.Contains(string(a.Result), `"`+word+`"`); offered != row.offered {
				t.Errorf("declared %v: %s is offered: %v: %s", row.declared, word, offered, a.Result)
			}
		}
	}
}

// TestPushedAndPulled tests versions, ids of results, and findings that are gone.
func TestPushedAndPulled(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, "a.md", "# A\n")
	write(t, dir, "b.md", "[a](a.md#a) 😀 [x](none.md)\n")
	pull, push := start(t, dir, pulling()), start(t, dir, map[string]any{})
	at := map[string]any{"textDocument": map[string]any{"uri": uri(dir, "b.md")}}
	var first struct {
		Kind, ResultID string
		Items          []found
	}
	read := func(a answer) {
		t.Helper()
		first.Items, first.Kind = nil, ""
		if err := json.Unmarshal(a.Result, &first); err != nil {
			t.Fatalf("%s: %v", a.Result, err)
		}
	}
	read(pull.request("textDocument/diagnostic", at))
	if first.Kind != "full" || len(first.Items) != 1 || first.Items[0].Code != "file-missing" || first.Items[0].Range.Start.Character != 19 || first.Items[0].Range.End.Character != 26 {
		t.Fatalf("the findings are %+v", first)
	}
	at["previousResultId"] = first.ResultID
	read(pull.request("textDocument/diagnostic", at))
	if first.Kind != "unchanged" || first.Items != nil {
		t.Errorf("asked again: %+v", first)
	}
	// The heading that b.md refers to changes, without a save.
	for _, e := range []*editor{pull, push} {
		e.open(dir, "a.md", "# A\n")
		e.notify("textDocument/didChange", map[string]any{"textDocument": map[string]any{"uri": uri(dir, "a.md"), "version": 2}, "contentChanges": []any{map[string]any{"text": "# B\n"}}})
	}
	read(pull.request("textDocument/diagnostic", at))
	if first.Kind != "full" || len(first.Items) != 2 {
		t.Errorf("after the heading changed: %+v", first)
	}
	push.until("the finding of the other document follows", func() bool {
		return len(push.findings[uri(dir, "b.md")]) == 2 && push.versions[uri(dir, "a.md")] == "2"
	})
	// All is repaired.
	for _, e := range []*editor{pull, push} {
		e.open(dir, "b.md", "[a](a.md)\n")
	}
	push.until("findings are cleared", func() bool {
		f, known := push.findings[uri(dir, "b.md")]
		return known && len(f) == 0 && push.versions[uri(dir, "b.md")] == "1"
	})
	a := pull.request("workspace/diagnostic", map[string]any{"previousResultIds": []any{map[string]any{"uri": uri(dir, "b.md"), "value": first.ResultID}}})
	if got := string(a.Result); !strings.Contains(got, `"items":[]`) || strings.Count(got, `"uri"`) != 1 || !strings.Contains(got, `"version":1`) {
		t.Errorf("the workspace after the repair: %s", got)
	}
}

// TestPartialResults tests that the parts of a streamed answer are those of a whole one.
func TestPartialResults(t *testing.T) {
	dir := t.TempDir()
	for i := range 250 {
		write(t, dir, fmt.Sprintf("d%d.md", i), "[x](none.md)\n")
	}
	e := start(t, dir, pulling())
	type reports struct{ Items []json.RawMessage }
	var whole, last reports
	var all []json.RawMessage
	if err := json.Unmarshal(e.request("workspace/diagnostic", map[string]any{"previousResultIds": []any{}}).Result, &whole); err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(e.request("workspace/diagnostic", map[string]any{"previousResultIds": []any{}, "partialResultToken": "t"}).Result, &last); err != nil {
		t.Fatal(err)
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	for _, part := range e.streamed {
		var p struct {
			Token string
			Value reports
		}
		if err := json.Unmarshal(part, &p); err != nil || p.Token != "t" {
			t.Errorf("the part %.100s: %v, want the token t", part, err)
		}
		all = append(all, p.Value.Items...)
	}
	if len(e.streamed) < 2 || len(whole.Items) != 250 || len(last.Items) != 0 || fmt.Sprintf("%s", all) != fmt.Sprintf("%s", whole.Items) {
		t.Errorf("%d parts with %d reports, and %d at the end; want the %d of the whole answer", len(e.streamed), len(all), len(last.Items), len(whole.Items))
	}
}

// TestByteOrderMark tests that a byte order mark of an opened text is a character of its first line, and no column of
// the findings.
func TestByteOrderMark(t *testing.T) {
	dir := t.TempDir()
	text := "[x](gone.md) [y](a.md#no)\n\n[z](gone.md)\n"
	write(t, dir, "a.md", "\ufeff"+text)
	e := start(t, dir, pulling())
	for _, mark := range []string{"", "\ufeff"} {
		e.open(dir, "a.md", mark+text)
		var got []int
		for _, f := range e.pulled()[uri(dir, "a.md")] {
			got = append(got, f.Range.Start.Line, f.Range.Start.Character)
		}
		first := utf8.RuneCountInString(mark)
		if want := []int{0, first + 4, 0, first + 17, 2, 4}; !slices.Equal(got, want) {
			t.Errorf("text with the mark %q: findings at %v, want %v", mark, got, want)
		}
	}
}

// TestConfiguration tests that a wrong configuration is one finding, and its correction brings the
// others back.
func TestConfiguration(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, "b.md", "[x](none.md)\n")
	write(t, dir, "orbweaver.toml", "# c\nhost-stile = \"plain\"\n")
	e := start(t, dir, pulling())
	got := e.pulled()
	if f := got[uri(dir, "orbweaver.toml")]; len(got) != 1 || len(f) != 1 || f[0].Code != "config" || f[0].Severity != 1 || f[0].Range.Start.Line != 1 || !strings.Contains(f[0].Message, "did you mean host-style") {
		t.Fatalf("the findings are %+v", got)
	}
	write(t, dir, "orbweaver.toml", "exclude = [\"none\"]\n")
	changed := map[string]any{"changes": []any{map[string]any{"uri": uri(dir, "orbweaver.toml"), "type": 2}}}
	e.notify("workspace/didChangeWatchedFiles", changed)
	if got := e.pulled(); len(got) != 0 {
		t.Errorf("with the link excluded: %+v", got)
	}
	write(t, dir, "orbweaver.toml", "")
	e.notify("workspace/didChangeWatchedFiles", changed)
	if got := e.pulled(); len(got) != 1 || got[uri(dir, "b.md")][0].Code != "file-missing" {
		t.Errorf("with the file empty: %+v", got)
	}
}

// TestConfigurationAsCheck tests that a configuration is wrong exactly if check refuses it, also where
// the server has its own values, and where only a run notices it.
func TestConfigurationAsCheck(t *testing.T) {
	for _, config := range []string{
		`external = "skip"`, `external = "cache"`, `history = "h.db"`, `history = "/elsewhere.db"`,
		`cache = "c.db"`, `cache = "b.md/c.db"`, `cache = "/elsewhere.db"`, `max-age = "1h"`,
		`root = "."`, `root = "sub"`, `root = "none"`, `root = ".."`,
		`sources = "sub"`, `sources = "none"`, `sources = "b.md"`,
		`baseline = "sub/base.json"`, `baseline = "base.json"`, `baseline = "b.md"`,
		`check = ["virus"]`, // unless there is a clamd
	} {
		dir := t.TempDir()
		write(t, dir, "b.md", "[x](none.md)\n")
		write(t, dir, "sub/base.json", `{"schema": "orbweaver.report/1", "results": []}`)
		write(t, dir, "orbweaver.toml", "# c\n"+config+"\n")
		cmd := exec.Command(program, "check", ".")
		cmd.Dir = dir
		var errs bytes.Buffer
		cmd.Stderr = &errs
		_ = cmd.Run() // its status says what is wrong
		want := strings.TrimSpace(strings.TrimPrefix(errs.String(), "orbweaver: "))
		all := start(t, dir, pulling()).pulled()
		wrong, finding := all[uri(dir, "orbweaver.toml")], all[uri(dir, "b.md")]
		switch code := cmd.ProcessState.ExitCode(); {
		case code == 1 && (len(wrong) != 0 || len(finding) != 1):
			t.Errorf("%s: %+v, want the finding of b.md", config, all)
		case code == 2 && (len(wrong) != 1 || wrong[0].Code != "config" || wrong[0].Message != want || len(finding) != 0):
			t.Errorf("%s: %+v, want %q", config, all, want)
		case code != 1 && code != 2:
			t.Errorf("%s: the exit status of check is %d: %s", config, code, errs.String())
		}
	}
}

// TestRefusedFolder tests that a folder whose configuration only a run can refuse has its findings when that is no
// longer so, and not before.
func TestRefusedFolder(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, "a.md", "[x](none.md)\n")
	write(t, dir, "orbweaver.toml", "root = \"sub\"\n")
	e := start(t, dir, map[string]any{})
	e.until("the finding of the configuration", func() bool {
		f := e.findings[uri(dir, "orbweaver.toml")]
		return len(f) == 1 && f[0].Range.Start.Line == 0 && f[0].Range.End.Character == 12 && len(e.findings[uri(dir, "a.md")]) == 0
	})
	correct := func(config string) {
		write(t, dir, "orbweaver.toml", config)
		e.notify("workspace/didChangeWatchedFiles", map[string]any{"changes": []any{map[string]any{"uri": uri(dir, "orbweaver.toml"), "type": 2}}})
	}
	correct("root = \".\"\n")
	e.until("the finding of the document alone", func() bool {
		return len(e.findings[uri(dir, "orbweaver.toml")]) == 0 && len(e.findings[uri(dir, "a.md")]) == 1
	})
	correct("root = \"sub\"\n")
	e.until("the finding of the configuration alone", func() bool {
		return len(e.findings[uri(dir, "orbweaver.toml")]) == 1 && len(e.findings[uri(dir, "a.md")]) == 0
	})
}

// TestRefusedWithoutFile tests that what is wrong is a message where no file of a folder has it: settings of the
// editor, and the configuration beside a document in no folder.
func TestRefusedWithoutFile(t *testing.T) {
	dir, outside := t.TempDir(), t.TempDir()
	write(t, dir, "a.md", "[x](none.md)\n")
	write(t, dir, "file", "")
	write(t, outside, "orbweaver.toml", "rooot = 1\n")
	e := launch(t)
	e.request("initialize", map[string]any{"capabilities": map[string]any{}, "rootUri": uri(dir, ""), "initializationOptions": map[string]any{"root": "file"}})
	e.notify("initialized", map[string]any{})
	e.open(outside, "o.md", "[x](none.md)\n")
	for _, word := range []string{"--root: file is not a directory", "unknown key rooot"} {
		e.until("a message with "+word, func() bool {
			return slices.ContainsFunc(e.messages, func(m string) bool { return strings.Contains(m, word) })
		})
	}
	if len(e.findings) > 0 {
		t.Errorf("the findings are %v", e.findings)
	}
}

// TestBaseline tests that what the baseline of a folder has is no finding, wherever the server was started, and that
// messages name files as those of check do.
func TestBaseline(t *testing.T) {
	dir := t.TempDir()
	texts := map[string]string{"a.md": "[x](gone.md)\n\n[y](b.md#no)\n", "b.md": "# B\n\n[x](gone.md)\n", "orbweaver.toml": "baseline = \"base.json\"\n"}
	write(t, dir, "a.md", texts["a.md"])
	write(t, dir, "b.md", texts["b.md"])
	cmd := exec.Command(program, "check", ".", "-o", "base.json")
	cmd.Dir = dir
	_ = cmd.Run() // it has findings
	texts["a.md"] += "\n[z](new.md)\n"
	for name, text := range texts {
		write(t, dir, name, text)
	}
	for _, wd := range []string{t.TempDir(), dir} {
		t.Chdir(wd)
		e := start(t, dir, pulling())
		compare(t, "at first", shown(dir, texts, e.pulled()), checked(t, dir))
		e.open(dir, "b.md", texts["b.md"])
		e.notify("textDocument/didChange", map[string]any{"textDocument": map[string]any{"uri": uri(dir, "b.md"), "version": 2}, "contentChanges": []any{map[string]any{"text": texts["b.md"] + "\n[w](more.md)\n"}}})
		if got := e.pulled(); len(got[uri(dir, "a.md")]) != 1 || len(got[uri(dir, "b.md")]) != 1 || got[uri(dir, "b.md")][0].Message != "more.md: there is no such file" {
			t.Errorf("started in %s, after a change: %+v", wd, got)
		}
	}
}

// TestNestedFolders tests that a document belongs to the innermost folder, also when folders are removed
// and added.
func TestNestedFolders(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, "a.md", "[x](none.md)\n")
	write(t, dir, "in/b.md", "[x](none.md)\n")
	write(t, dir, "in/orbweaver.toml", "level = [\"file-missing=warning\"]\n")
	e := start(t, dir, map[string]any{})
	folder := func(name string) []any { return []any{map[string]any{"uri": uri(dir, name), "name": name}} }
	has := func(name string, severity int) {
		t.Helper()
		e.until(fmt.Sprintf("%s has severity %d", name, severity), func() bool {
			f := e.findings[uri(dir, name)]
			return len(f) == 1 && f[0].Severity == severity || len(f) == 0 && severity == 0
		})
	}
	has("in/b.md", 1)
	for range 2 {
		e.notify("workspace/didChangeWorkspaceFolders", map[string]any{"event": map[string]any{"added": folder("in"), "removed": []any{}}})
		has("in/b.md", 2)
		e.notify("workspace/didChangeWorkspaceFolders", map[string]any{"event": map[string]any{"added": []any{}, "removed": folder("in")}})
		has("in/b.md", 1)
	}
	e.notify("workspace/didChangeWorkspaceFolders", map[string]any{"event": map[string]any{"added": folder("in"), "removed": []any{}}})
	has("in/b.md", 2)
	e.notify("workspace/didChangeWorkspaceFolders", map[string]any{"event": map[string]any{"added": []any{}, "removed": folder("")}})
	has("a.md", 0)
	has("in/b.md", 2)
}

// TestUsage tests flags that are wrong here.
func TestUsage(t *testing.T) {
	for _, args := range [][]string{{"x.md"}, {"--format", "json"}, {"--output", "json:x"}, {"--fix"}, {"--write"}, {"--state", "x"}, {"--watch"}, {"--ci", "none"}, {"--server", "http://x"}, {"--baseline", "x"}, {"--external", "sometimes"}, {"--level", "x"}} {
		e := launch(t, args...)
		if code := e.ended(); code != 2 {
			t.Errorf("%v: the exit status is %d: %s", args, code, e.errs.String())
		}
	}
}

// TestFilesOnDisk tests that files which come, change and go renew the findings of documents that refer
// to them, whether or not the editor watches files.
func TestFilesOnDisk(t *testing.T) {
	for _, watches := range []bool{false, true} {
		dir := t.TempDir()
		write(t, dir, "b.md", "[x](new.md#one)\n")
		e := start(t, dir, map[string]any{"workspace": map[string]any{"didChangeWatchedFiles": map[string]any{"dynamicRegistration": watches}}})
		has := func(code string) func() bool {
			return func() bool {
				f, known := e.findings[uri(dir, "b.md")]
				return known && (code == "" && len(f) == 0 || len(f) == 1 && f[0].Code == code)
			}
		}
		e.until("the file is missing", has("file-missing"))
		told := func(kind int) {
			if watches {
				e.notify("workspace/didChangeWatchedFiles", map[string]any{"changes": []any{map[string]any{"uri": uri(dir, "new.md"), "type": kind}}})
			}
		}
		write(t, dir, "new.md", "# Two\n")
		told(1)
		e.until("the fragment is missing", has("fragment-missing"))
		write(t, dir, "new.md", "# One\n")
		told(2)
		e.until("nothing is missing", has(""))
		if err := os.Remove(filepath.Join(dir, "new.md")); err != nil {
			t.Fatal(err)
		}
		told(3)
		e.until("the file is missing again", has("file-missing"))
		asks := false
		e.mu.Lock()
		for _, method := range e.sent {
			asks = asks || method == "client/registerCapability"
		}
		e.mu.Unlock()
		if asks != watches {
			t.Errorf("dynamic registration %v: the server registers: %v", watches, asks)
		}
	}
}

// TestOpenedFileThatIsNew tests that a document which came after its folder was listed is known when it
// is opened, although nobody told of its file: its findings, and links to it.
func TestOpenedFileThatIsNew(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, "b.md", "[x](sub/new.md#one)\n")
	can := pulling()
	can["workspace"] = map[string]any{"didChangeWatchedFiles": map[string]any{"dynamicRegistration": true}} // it is never used
	e := start(t, dir, can)
	if f := e.pulled()[uri(dir, "b.md")]; len(f) != 1 || f[0].Code != "file-missing" {
		t.Fatalf("before: %v, want file-missing", f)
	}
	text := "# One\n\n[x](none.md)\n"
	write(t, dir, "sub/new.md", text)
	e.open(dir, "sub/new.md", text)
	all := e.pulled()
	if f := all[uri(dir, "b.md")]; len(f) != 0 {
		t.Errorf("the link to the new document: %v, want nothing", f)
	}
	if f := all[uri(dir, "sub/new.md")]; len(f) != 1 || f[0].Code != "file-missing" {
		t.Errorf("the new document: %v, want file-missing", f)
	}
}

// TestOtherDocuments tests documents that are in no folder, and those that no request may read.
func TestOtherDocuments(t *testing.T) {
	dir, outside := t.TempDir(), t.TempDir()
	write(t, outside, "o.md", "[x](none.md)\n")
	write(t, outside, "b.md", "# A\n")
	e := start(t, dir, pulling())
	at := func(name string) map[string]any {
		return map[string]any{"textDocument": map[string]any{"uri": uri(outside, name)}, "position": map[string]any{"line": 0, "character": 5}}
	}
	for _, method := range []string{"textDocument/hover", "textDocument/definition", "textDocument/rename"} {
		params := at("o.md")
		params["newName"] = "x"
		if a := e.request(method, params); string(a.Result) != "null" {
			t.Errorf("%s outside the folders: %s %+v", method, a.Result, a.Error)
		}
	}
	for _, method := range []string{"textDocument/references", "textDocument/documentLink", "textDocument/documentSymbol", "textDocument/codeAction"} {
		if a := e.request(method, at("o.md")); string(a.Result) != "[]" {
			t.Errorf("%s outside the folders: %s", method, a.Result)
		}
	}
	e.open(outside, "o.md", "[x](none.md) [y](b.md#a) [z](b.md#b)\n")
	var report struct{ Items []found }
	if a := e.request("textDocument/diagnostic", at("o.md")); json.Unmarshal(a.Result, &report) != nil || len(report.Items) != 2 || report.Items[0].Code != "file-missing" || report.Items[1].Code != "fragment-missing" {
		t.Errorf("an open document outside the folders: %s", a.Result)
	}
	if a := e.request("textDocument/hover", at("o.md")); string(a.Result) == "null" {
		t.Error("no hover in an open document outside the folders")
	}
}
