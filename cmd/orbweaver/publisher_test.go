package main

import (
	"os"
	"path/filepath"
	"testing"
)

// The program that publishes a document is found by what is in the directories around it, and its
// rule for anchors is known.
func TestPublisherRules(t *testing.T) {
	const github, gitlab = "[remote \"origin\"]\n\turl = https://github.com/owner/name.git\n", "[remote \"origin\"]\n\turl = git@gitlab.com:owner/name.git\n"
	for _, c := range []struct {
		document string
		files    map[string]string // next to docs, or in it
		want     string
	}{
		{"docs/a.md", nil, "auto"},
		{"docs/a.md", map[string]string{"docusaurus.config.ts": ""}, "docusaurus"},
		{"docs/a.md", map[string]string{"docs/.vitepress/config.js": ""}, "vitepress"},
		{"docs/a.md", map[string]string{"docs/.vuepress/config.js": ""}, "vuepress"},
		{"docs/a.md", map[string]string{"astro.config.mjs": ""}, "starlight"},
		{"docs/a.md", map[string]string{"book.toml": ""}, "mdbook"},
		{"docs/a.md", map[string]string{"mkdocs.yml": ""}, "mkdocs"},
		{"docs/a.md", map[string]string{"mkdocs.yaml": ""}, "mkdocs"},
		{"docs/a.md", map[string]string{"_quarto.yml": ""}, "pandoc"},
		{"docs/a.md", map[string]string{"hugo.toml": ""}, "hugo"},
		{"docs/a.md", map[string]string{"docs/conf.py": ""}, "sphinx"},
		{"docs/a.md", map[string]string{"_config.yml": ""}, "jekyll"},
		{"docs/a.md", map[string]string{"mkdocs.yml": "", "docs/book.toml": ""}, "mdbook"},
		{"docs/a.md", map[string]string{".git/HEAD": "", ".git/config": github}, "github"},
		{"docs/a.md", map[string]string{".git/HEAD": "", ".git/config": gitlab}, "gitlab"},
		{"docs/a.md", map[string]string{".git/HEAD": "", ".gitlab-ci.yml": ""}, "gitlab"},
		{"docs/a.md", map[string]string{".git/HEAD": "", ".github/x.yml": ""}, "github"},
		{"docs/a.md", map[string]string{".git/HEAD": "", ".git/config": github, "mkdocs.yml": ""}, "mkdocs"},
		{"docs/README.md", map[string]string{".git/HEAD": "", ".git/config": github, "mkdocs.yml": ""}, "github"},
		{"docs/a.md", map[string]string{"docs/.git/HEAD": "", "mkdocs.yml": ""}, "auto"},
	} {
		dir := t.TempDir()
		for name, text := range c.files {
			path := filepath.Join(dir, name)
			if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
				t.Fatal(err)
			}
		}
		if got := newPublisher()(filepath.Join(dir, c.document)).String(); got != c.want {
			t.Errorf("the rule of %s beside %v: got %s, want %s", c.document, c.files, got, c.want)
		}
	}
}
