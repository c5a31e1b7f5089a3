package disk

import (
	"bytes"
	"io"
	"io/fs"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/orbweaver/orbweaver/crawler/internal/lazy"
	"github.com/orbweaver/orbweaver/urinorm"
)

// Sphinx is what the documents of a site of Sphinx may refer to by a name. Its configuration is a program,
// and extensions may add to everything, so what it does not have is missing for certain only if nothing
// that is not known has a part in the site.
type Sphinx struct {
	project   *Project
	own       bool // the configuration adds nothing to the text of the documents
	only      bool // no program makes documents
	hasLabels bool // no program makes labels

	once     sync.Once
	included map[string]bool   // documents that others include, by path; at the first use
	labels   map[string]string // in lower case, with the document that has each; at the first use
	files    int
	room     int64 // bytes that may still be read
}

// Limits of what is read to know the labels.
const (
	maxSphinxFiles  = 50_000
	maxSphinxLabels = 500_000
	maxSphinxFile   = 8 << 20
	maxSphinxRead   = 1 << 30
)

// sphinxText are the extensions of the files that are searched for labels.
var sphinxText = map[string]bool{".rst": true, ".md": true, ".txt": true, ".inc": true, ".rest": true, ".myst": true, ".ipynb": true, ".include": true}

// What the documents and the configuration say. A label is whatever looks like one, wherever it is.
var (
	sphinxLabel     = lazy.Regexp("(?m)\\.\\. _(?:`([^`\n]+)`|((?:[^:\n\\\\]|:[^\\s]|\\\\.)+)):(?:\\s|$)|_`([^`\n]+)`|\\(([^()\\s]+)\\)=|\\{#([^\\s}]+)|\\b(?:name|label):[ \t]*[\"']?([^\n\"']+)")
	sphinxInclude   = lazy.Regexp(`(?:^|[^l])include(?:::|\})[ \t]+([^\s<>]+)`)
	sphinxComment   = lazy.Regexp(`(?m)(^|\s)#.*$`)
	sphinxExtension = lazy.Regexp(`\bextensions\s*(?:\+?=|\.append\(|\.extend\(|\.insert\(\s*\d+\s*,)\s*(.?)`)
	quotedWord      = lazy.Regexp(`["']([\w.-]+)["']`)
	addsText        = lazy.Regexp(`rst_prolog|rst_epilog|source-read|substitutions|include-read`)
	addsAnything    = lazy.Regexp(`missing-reference|add_transform|add_post_transform|add_domain|add_directive|add_crossref_type|add_object_type|source-read|builder-inited|env-|import \*|\bexec\(|execfile|subprocess|os\.system|shutil|\.write|makedirs|globals\(\)|tags\.`)
)

// quietExtensions are extensions of Sphinx that add no documents, and no labels either unless the value is
// true. Extensions that are not in it may add anything.
var quietExtensions = map[string]bool{
	"sphinx.ext.todo": false, "sphinx.ext.mathjax": false, "sphinx.ext.imgmath": false, "sphinx.ext.ifconfig": false, "sphinx.ext.extlinks": false,
	"sphinx.ext.githubpages": false, "sphinx.ext.graphviz": false, "sphinx.ext.doctest": false, "sphinx.ext.coverage": false, "sphinx.ext.duration": false,
	"sphinx.ext.viewcode": false, "sphinx.ext.linkcode": false, "sphinx_rtd_theme": false, "sphinx_copybutton": false, "sphinx_design": false,
	"sphinx_inline_tabs": false, "sphinx_tabs.tabs": false, "sphinx_sitemap": false, "sphinxext.opengraph": false, "notfound.extension": false,
	"sphinx_reredirects": false, "sphinxext.rediraffe": false, "myst_parser": false, "sphinxcontrib.mermaid": false, "sphinxcontrib.plantuml": false,
	"sphinxcontrib.spelling": false, "sphinxcontrib.images": false, "sphinx_last_updated_by_git": false, "furo": false, "sphinx_issues": false,
	"sphinx.ext.intersphinx": true, "sphinx.ext.autosectionlabel": true, "sphinx.ext.autodoc": true, "sphinx.ext.napoleon": true,
	"sphinx.ext.inheritance_diagram": true, "numpydoc": true, "sphinx_autodoc_typehints": true, "sphinxcontrib.httpdomain": true, "sphinx_click": true,
}

// Sphinx returns what the documents of the project may refer to, or nil if Sphinx does not build it.
func (p *Project) Sphinx() *Sphinx {
	p.sphinxOnce.Do(func() {
		if config, ok := p.readFile("conf.py", maxConfig); ok {
			p.sphinx = p.readSphinx(string(sphinxComment().ReplaceAll(config, nil)))
		}
	})
	return p.sphinx
}

// readSphinx reads the configuration of the project, without its comments.
func (p *Project) readSphinx(config string) *Sphinx {
	quiet, labels := extensionsOf(config)
	ruled := !addsAnything().MatchString(config)
	return &Sphinx{project: p, own: !addsText().MatchString(config), only: quiet && ruled, hasLabels: quiet && ruled && !labels,
		labels: map[string]string{"genindex": "", "modindex": "", "py-modindex": "", "search": ""}, included: map[string]bool{}, room: maxSphinxRead}
}

// read reads the documents, once.
func (s *Sphinx) read() { s.once.Do(func() { s.addLabels("", 0) }) }

// extensionsOf reports whether the configuration names no extension that may add documents, and whether
// it names one that may add labels.
func extensionsOf(config string) (quiet, labels bool) {
	for _, m := range sphinxExtension().FindAllStringSubmatchIndex(config, -1) {
		rest := config[m[2]:]
		end := 0
		switch {
		case rest == "":
			return false, true
		case rest[0] == '[':
			end = strings.IndexByte(rest, ']')
		case rest[0] == '(':
			end = strings.IndexByte(rest, ')')
		case rest[0] == '"' || rest[0] == '\'':
			end = strings.IndexByte(rest, '\n')
		}
		if end <= 0 {
			return false, true
		}
		for _, word := range quotedWord().FindAllStringSubmatch(rest[:end], -1) {
			adds, known := quietExtensions[word[1]]
			if !known {
				return false, true
			}
			labels = labels || adds
		}
	}
	return true, labels
}

// addLabels adds the labels of the documents in a directory, whose path is empty or ends in '/'.
func (s *Sphinx) addLabels(dir string, depth int) {
	entries, err := s.project.files.readDir(strings.TrimSuffix(s.project.dir+dir, "/"))
	if err != nil || depth > maxRouteDepth {
		s.hasLabels = false
		return
	}
	for _, entry := range entries {
		at := dir + entry.Name()
		switch {
		case entry.IsDir():
			if !versionControl[entry.Name()] {
				s.addLabels(at+"/", depth+1)
			}
		case sphinxText[path.Ext(at)]:
			s.addFile(at)
		case entry.Type()&fs.ModeSymlink != 0:
			s.hasLabels = false // it may be a directory
		}
	}
}

// addFile adds the labels in a file, and what it includes.
func (s *Sphinx) addFile(at string) {
	s.files++
	text, ok := s.project.readFile(at, maxSphinxFile)
	s.room -= int64(len(text))
	if !ok || len(text) == maxSphinxFile || s.files > maxSphinxFiles || len(s.labels) > maxSphinxLabels || s.room < 0 {
		s.hasLabels = false
		return
	}
	for _, m := range sphinxLabel().FindAllSubmatch(text, -1) {
		for _, name := range m[1:] {
			if len(name) > 0 {
				s.labels[LabelKey(string(bytes.ReplaceAll(name, []byte("\\"), nil)))] = at
			}
		}
	}
	for _, m := range sphinxInclude().FindAllSubmatch(text, -1) {
		file := s.locate(at, string(m[1]))
		known := s.included[file]
		s.included[file] = true
		switch {
		case !s.project.isFile(file):
			s.hasLabels = false // it is made, or outside of the sources
		case !known && !sphinxText[path.Ext(file)]:
			s.addFile(file)
		}
	}
}

// LabelKey returns a label as labels are compared.
func LabelKey(name string) string { return strings.ToLower(strings.Join(strings.Fields(name), " ")) }

// readFile reads a file of the project, up to a number of bytes. Named pipes are not opened.
func (p *Project) readFile(rel string, most int64) (text []byte, ok bool) {
	if !p.isFile(rel) {
		return nil, false
	}
	f, err := p.files.tree.Open(p.dir + rel)
	if err != nil {
		return nil, false
	}
	defer f.Close()
	text, err = io.ReadAll(io.LimitReader(f, most))
	return text, err == nil
}

// locate returns the path, from the directory of the project, of a name in a document. One that begins with
// a slash starts at the root of the sources.
func (s *Sphinx) locate(page, name string) string {
	if rest, ok := strings.CutPrefix(name, "/"); ok {
		return path.Clean(rest)
	}
	return beside(page, name)
}

// OwnNames reports whether a document has a target for each of its names (name_) itself: no other
// document includes it, and the configuration adds no text to it.
func (s *Sphinx) OwnNames(document urinorm.URL) bool {
	page, ok := s.project.pageOf(document)
	if !ok || !s.own {
		return false
	}
	s.read()
	return !s.included[page]
}

// Labels are all names that the ref role may have, in lower case, with the path of the document that has each.
// It is nil if others may exist.
func (s *Sphinx) Labels() map[string]string {
	if !s.hasLabels {
		return nil
	}
	if s.read(); !s.hasLabels {
		return nil
	}
	return s.labels
}

// LabelTarget returns the URL of the document that has the label which a link of MyST names: "#label", or
// "label" if there is no such file.
func (s *Sphinx) LabelTarget(document urinorm.URL, ref string) (target string, ok bool) {
	page, ok := s.project.pageOf(document)
	name, isFragment := strings.CutPrefix(ref, "#")
	if !ok || name == "" || !isFragment && (strings.ContainsAny(name, "?#:") || s.project.isAt(s.locate(page, name))) {
		return "", false
	}
	if name, ok = decodeReference(name); !ok {
		return "", false
	}
	s.read()
	file := s.labels[LabelKey(name)]
	return s.project.address(file), file != ""
}

// File returns the URL of a file that a document names.
func (s *Sphinx) File(document urinorm.URL, name string) (target string, ok bool) {
	page, ok := s.project.pageOf(document)
	file := s.locate(page, name)
	if !ok || strings.HasPrefix(file, "../") {
		return "", false
	}
	return s.project.address(file), true
}

// Document returns the URL of another document that a document names, without its extension. missing is set
// if there is none for certain.
func (s *Sphinx) Document(document urinorm.URL, name string) (target string, missing bool) {
	page, ok := s.project.pageOf(document)
	at := s.locate(page, name)
	if !ok || strings.HasPrefix(at, "../") {
		return "", false
	}
	candidates := []string{at}
	for _, extension := range mystExtensions {
		candidates = append(candidates, at+extension)
	}
	if file, ok := s.project.firstFile(candidates...); ok {
		return s.project.address(file), false
	}
	return "", s.only && !s.isMade(at)
}

// isMade reports whether a document that is not in the tree may be made when the site is built, or is
// there by another name: some projects copy documents from around the sources, and list the documents of
// an interface by programs of their own.
func (s *Sphinx) isMade(at string) bool {
	dir, base := path.Split(at)
	top, _, _ := strings.Cut(at, "/")
	if base == "modules" || strings.HasPrefix(top, "_") || strings.Contains(at, "generated") || strings.Contains(at, "api") || strings.Contains(at, "auto") {
		return true
	}
	l := s.project.files.list(strings.TrimSuffix(s.project.dir+dir, "/"))
	if l.err != nil {
		return true // the directory is not there
	}
	l.mu.RLock()
	defer l.mu.RUnlock()
	return l.hasAny([]string{base + "."}) || isAround(pathIn(s.project.root, strings.TrimSuffix(s.project.dir, "/")), base)
}

// isAround reports whether one of the four directories around another one has a file with a name and
// any extension, in any letter case.
func isAround(dir, base string) bool {
	around := filepath.Dir(dir)
	for range 4 {
		if slices.ContainsFunc(namesIn(around), func(name string) bool {
			return strings.EqualFold(strings.TrimSuffix(name, filepath.Ext(name)), base)
		}) {
			return true
		}
		around = filepath.Dir(around)
	}
	return false
}
