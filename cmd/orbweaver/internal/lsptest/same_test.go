package lsptest

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// TestSameAnswers tests that the answers about a folder are the same bytes whatever the number of workers and the
// order in which its files were written.
func TestSameAnswers(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "folder")
	w := newTree(rand.New(rand.NewPCG(50, 1)), 40)
	var first []string
	for _, workers := range []string{"1", "64"} {
		if err := os.RemoveAll(dir); err != nil {
			t.Fatal(err)
		}
		slices.Reverse(w.names)
		for _, name := range w.names {
			write(t, dir, name, w.texts[name])
		}
		capabilities := pulling()
		capabilities["workspace"] = map[string]any{"workspaceEdit": map[string]any{"documentChanges": true}}
		e := start(t, dir, capabilities, "--concurrency", workers)
		answers := []string{string(e.request("workspace/diagnostic", map[string]any{"previousResultIds": []any{}}).Result),
			string(e.request("workspace/symbol", map[string]any{"query": ""}).Result)}
		for _, name := range slices.Sorted(slices.Values(w.names)) {
			params := at(dir, name, "", 0)
			params["context"] = map[string]any{"includeDeclaration": true, "diagnostics": []any{}}
			params["range"] = map[string]any{"start": map[string]any{"line": 0, "character": 0}, "end": map[string]any{"line": 999, "character": 0}}
			for _, method := range []string{"references", "documentLink", "documentSymbol", "codeLens", "codeAction", "completion", "diagnostic"} {
				answers = append(answers, string(e.request("textDocument/"+method, params).Result))
			}
		}
		answers = append(answers, string(e.request("workspace/willRenameFiles", map[string]any{"files": []any{map[string]any{"oldUri": uri(dir, "guide"), "newUri": uri(dir, "moved")}}}).Result))
		if first == nil {
			first = answers
		}
		for i, answer := range answers {
			if answer != first[i] {
				t.Errorf("with %s workers, answer %d is\n%.2000s, want\n%.2000s", workers, i, answer, first[i])
			}
		}
	}
	if n := len(fmt.Sprint(first)); n < 20_000 {
		t.Errorf("the answers are %d bytes: too few to tell", n)
	}
}
