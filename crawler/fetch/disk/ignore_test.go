package disk

import (
	"path/filepath"
	"testing"
)

// TestIgnoreFiles: as in ripgrep, .ignore files need no work tree, come before what git says and
// count for what it tracks.
func TestIgnoreFiles(t *testing.T) {
	isolate(t)
	for _, work := range []bool{false, true} {
		top := t.TempDir()
		dir := filepath.Join(top, "site")
		for file, text := range map[string]string{
			"../.ignore": "*.above\n/site/docs/named.md\n", ".ignore": "drafts/\n*.tmp\n!keep.log\n!dist/\nA.md\n", "docs/.ignore": "!keep.tmp\n/own.md\n", ".gitignore": "*.log\ndist\nno.md\n",
			"docs/a.md": "", "a.md": "", "dist/a.md": "", "dist/b.log": "", "drafts/a.md": "", "drafts/.ignore": "!a.md\n",
		} {
			write(t, filepath.Join(dir, file), text)
		}
		if work {
			git(t, dir, "", "init", "-q", ".")
			git(t, dir, "", "add", "-f", "drafts/a.md", "a.md")
		}
		tree, err := OpenIgnore(dir)
		if err != nil {
			t.Fatal(err)
		}
		for path, want := range map[string]bool{
			"drafts": true, "drafts/a.md": true, "a.tmp": true, "docs/a.tmp": true, "docs/keep.tmp": false, "keep.tmp": true, "docs/own.md": true, "own.md": false,
			"docs/named.md": true, "x.above": true, "docs/x.above": true, "keep.log": false, "docs/keep.log": false, "a.md": false, "docs/a.md": false, "dist": false, "dist/a.md": false,
			"b.log": work, "dist/b.log": work, "no.md": work, "docs/no.md": work,
		} {
			if got := tree.Ignored(path, path == "drafts" || path == "dist"); got != want {
				t.Errorf("in a work tree %t: %s is ignored: %t, want %t", work, path, got, want)
			}
		}
		below, err := OpenIgnore(filepath.Join(dir, "docs"))
		if err != nil {
			t.Fatal(err)
		}
		for path, want := range map[string]bool{"own.md": true, "named.md": true, "keep.tmp": false, "a.tmp": true, "a.md": false} {
			if got := below.Ignored(path, false); got != want {
				t.Errorf("in a work tree %t: docs/%s is ignored: %t, want %t", work, path, got, want)
			}
		}
	}
}
