package disk

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/orbweaver/orbweaver/urinorm"
)

// sphinxSite opens a directory with sources of Sphinx, whose configuration and further files are given.
func sphinxSite(t *testing.T, config string, files map[string]string) (*Sphinx, urinorm.URL) {
	t.Helper()
	dir := t.TempDir()
	all := map[string]string{"doc/conf.py": config, "doc/index.rst": ".. _top:\n", "doc/a.rst": ".. _A Label: x\n.. _`b:c`:\n:name: fig\n.. code-block:: c\n   :name: some  *C* code\n\n", "doc/sub/b.md": "(c-label)=\n", "CHANGES.rst": ""}
	for name, text := range files {
		all[name] = text
	}
	for name, text := range all {
		file := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	base, _, err := urinorm.ParseWeb("https://1.site.invalid/")
	if err != nil {
		t.Fatal(err)
	}
	s, err := OpenSite(SiteConfig{Dir: dir, Base: base})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	document, err := s.URLOf("doc/sub/b.md")
	if err != nil {
		t.Fatal(err)
	}
	p := ProjectOf(s, document)
	if p == nil || p.Sphinx() == nil {
		t.Fatalf("no project of Sphinx with the configuration %q", config)
	}
	return p.Sphinx(), document
}

func TestSphinx(t *testing.T) {
	s, document := sphinxSite(t, "extensions = ['sphinx.ext.todo', # a comment, 'x'\n 'myst_parser']\n", nil)
	want := []string{"a label", "b:c", "c-label", "fig", "some *c* code", "top"}
	for _, label := range want {
		if labels := s.Labels(); labels[LabelKey(label)] == "" {
			t.Errorf("label %s: not in %v", label, labels)
		}
	}
	for _, c := range []struct {
		name, target string
		missing      bool
	}{
		{"../a", "doc/a.rst", false},
		{"/a", "doc/a.rst", false},
		{"b", "doc/sub/b.md", false},
		{"/sub/b.md", "doc/sub/b.md", false},
		{"/nope", "", true},
		{"nope", "", true},
		{"../../x", "", false},  // outside of the sources
		{"/other/x", "", false}, // made with its directory
		{"/changes", "", false}, // probably copied from around the sources
		{"/modules", "", false}, // made by sphinx-apidoc
		{"/api_x", "", false},
	} {
		target, missing := s.Document(document, c.name)
		if target = strings.TrimPrefix(target, "https://1.site.invalid/"); target != c.target || missing != c.missing {
			t.Errorf("document %s: got %q, missing %v, want %q, %v", c.name, target, missing, c.target, c.missing)
		}
	}
	for ref, want := range map[string]string{"#a%20label": "doc/a.rst", "c-label": "doc/sub/b.md", "b%3Ac": "doc/a.rst", "#nope": "", "nope": "", "x#top": "", "http:x": "", "genindex": "", "#": ""} {
		target, _ := s.LabelTarget(document, ref)
		if want != "" {
			want = "https://1.site.invalid/" + want
		}
		if target != want && want != "" || want == "" && strings.Contains(target, ".rst") {
			t.Errorf("label of %s: got %q, want %q", ref, target, want)
		}
	}
	if target, ok := s.File(document, "/x y.zip"); !ok || target != "https://1.site.invalid/doc/x%20y.zip" {
		t.Errorf("file /x y.zip: got %s, %v", target, ok)
	}
	if target, ok := s.File(document, "../../x"); ok {
		t.Errorf("file ../../x: got %s", target)
	}
	if !s.OwnNames(document) {
		t.Error("names of a document that nothing else has a part in: not its own")
	}
}

// TestSphinxUncertain checks what is missing for certain, by the configuration and the documents.
func TestSphinxUncertain(t *testing.T) {
	for _, c := range []struct {
		config, index string
		certain       string // of: names labels documents
	}{
		{"", "", "names labels documents"},
		{"extensions = []", "", "names labels documents"},
		{"extensions = ['sphinx.ext.intersphinx', 'sphinx.ext.autodoc']", "", "names documents"},
		{"extensions = ['sphinx.ext.autosectionlabel']", "", "names documents"},
		{"extensions = ['sphinx.ext.autosummary']", "", "names"},
		{"extensions = ['mine']", "", "names"},
		{"extensions = mine()", "", "names"},
		{"extensions.append('mine')", "", "names"},
		{"extensions += ('sphinx.ext.todo',)", "", "names labels documents"},
		{"# extensions = ['mine']", "", "names labels documents"},
		{"from base import *", "", "names"},
		{"def setup(app):\n    app.connect('missing-reference', f)", "", "names"},
		{"rst_epilog = '.. |x| replace:: y'", "", "labels documents"},
		{"", ".. include:: made.inc\n", "names documents"},
		{"", ".. include:: sub/b.md\n", "labels documents"},
		{"", ".. literalinclude:: made.c\n", "names labels documents"},
	} {
		s, document := sphinxSite(t, c.config, map[string]string{"doc/index.rst": c.index})
		var certain []string
		if s.OwnNames(document) {
			certain = append(certain, "names")
		}
		if s.Labels() != nil {
			certain = append(certain, "labels")
		}
		if _, missing := s.Document(document, "nope"); missing {
			certain = append(certain, "documents")
		}
		if want := strings.Fields(c.certain); !slices.Equal(certain, want) {
			t.Errorf("certain with %q and %q: got %v, want %v", c.config, c.index, certain, want)
		}
	}
}
