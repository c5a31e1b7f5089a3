package disk

import (
	"path"
	"strings"
	"sync"

	"github.com/orbweaver/orbweaver/urinorm"
)

// Project is a directory with the Markdown sources of a site, in which a generator gives references
// a meaning of their own. Other generators are in the table generators, as their references lead
// to pages that have the names of their sources.
type Project struct {
	place *place
	files *directoryIndex
	root  string // the directory of the site
	dir   string // the path of the directory from that of the site, with a final '/' unless it is empty
	kind  projectKind

	once   sync.Once
	routes docusaurusRoutes // at the first use

	sphinxOnce sync.Once
	sphinx     *Sphinx // at the first use
}

// projectMarks are the names by which the directory of a project is recognized: one of marks, and
// one of beside, unless it is empty. A name that ends in a dot stands for one with any extension.
var projectMarks = []struct {
	marks, beside []string
	kind          projectKind
}{
	{[]string{"docusaurus.config."}, nil, docusaurusProject},
	{[]string{"myst.yml"}, nil, mystProject},
	{[]string{"conf.py", "_toc.yml"}, []string{"index.", "intro."}, mystProject},
	{[]string{"Home.", "home."}, []string{"_Sidebar.", "_Footer."}, wikiProject},
}

// projectKind says what gives the references in a project their meaning.
type projectKind uint8

const (
	docusaurusProject projectKind = iota
	mystProject
	wikiProject // of GitHub, GitLab or Gitea
)

// ProjectOf returns the project that a document of the site belongs to, which is in the
// innermost directory that has the marks of one, or nil.
func ProjectOf(s *Site, document urinorm.URL) *Project {
	rel, ok := s.fileAt(document)
	if !ok {
		return nil
	}
	return projectAt(s, rel[:strings.LastIndexByte(rel, '/')+1])
}

// projectAt returns the project of a directory, whose path is empty or ends in '/'.
func projectAt(s *Site, dir string) *Project {
	if known, ok := s.projects.Load(dir); ok {
		return known.(*Project)
	}
	p := newProject(s, dir)
	if p == nil && dir != "" {
		p = projectAt(s, dir[:strings.LastIndexByte(dir[:len(dir)-1], '/')+1])
	}
	known, _ := s.projects.LoadOrStore(dir, p) // another goroutine may have been faster
	return known.(*Project)
}

// newProject returns the project that has its marks in a directory, or nil.
func newProject(s *Site, dir string) *Project {
	l := s.locator.index.list(strings.TrimSuffix(dir, "/"))
	if l.err != nil {
		return nil
	}
	l.mu.RLock()
	defer l.mu.RUnlock()
	for i := range projectMarks {
		m := &projectMarks[i]
		if l.hasAny(m.marks) && (m.beside == nil || l.hasAny(m.beside)) {
			return &Project{place: &s.place, files: s.locator.index, root: s.dir, dir: dir, kind: m.kind}
		}
	}
	return nil
}

// hasAny reports whether one of the names exists. Callers hold mu.
func (l *listing) hasAny(names []string) bool {
	for _, name := range names {
		if !strings.HasSuffix(name, ".") {
			if l.kinds[name] != entryNone {
				return true
			}
			continue
		}
		for have := range l.kinds {
			if strings.HasPrefix(have, name) {
				return true
			}
		}
	}
	return false
}

// Lead returns the URL of the file that a reference in a document of the project leads to. ok is false for a
// reference that leads to what it leads to anywhere else, or to nothing that is known.
func (p *Project) Lead(document urinorm.URL, ref string) (target string, ok bool) {
	end := len(ref)
	if i := strings.IndexAny(ref, "?#"); i >= 0 {
		end = i
	}
	page, ok1 := p.pageOf(document)
	name, ok2 := decodeReference(ref[:end])
	if end == 0 || !ok1 || !ok2 {
		return "", false
	}
	file, ok := p.lead(page, name)
	if !ok {
		return "", false
	}
	return p.address(file) + ref[end:], true
}

// lead returns the file that a reference in a page leads to, if the project gives it a meaning.
func (p *Project) lead(page, name string) (file string, ok bool) {
	switch p.kind {
	case docusaurusProject:
		return p.docusaurus(page, name)
	case mystProject:
		return p.myst(page, name)
	default:
		return p.wiki(page, name)
	}
}

// pageOf returns the path of a document from the project's directory.
func (p *Project) pageOf(document urinorm.URL) (page string, ok bool) {
	rel, ok := p.place.fileAt(document)
	return strings.TrimPrefix(rel, p.dir), ok
}

// address returns the URL of a file of the project.
func (p *Project) address(file string) string { return p.place.address(p.dir + file) }

// decodeReference percent-decodes the path of a reference, which may have dot segments.
func decodeReference(name string) (string, bool) {
	up := ""
	for {
		if rest, ok := strings.CutPrefix(name, "../"); ok {
			up, name = up+"../", rest
		} else if rest, ok := strings.CutPrefix(name, "./"); ok {
			name = rest
		} else {
			break
		}
	}
	if strings.HasPrefix(name, "//") {
		return "", false // it has a host
	}
	decoded, ok := decodePath(name)
	return up + decoded, ok
}

// isFile reports whether there is a file at a path from the project's directory.
func (p *Project) isFile(rel string) bool {
	return rel != "" && !strings.HasPrefix(rel, "../") && p.files.isFile(p.dir+rel)
}

// isAt reports whether there is anything at a path from the project's directory.
func (p *Project) isAt(rel string) bool {
	at := p.files.walk("", strings.TrimSuffix(p.dir+rel, "/"), matchNorm)
	return at.kind == entryFile || at.kind == entryDir
}

// beside returns the path from the project's directory of a name relative to a document.
func beside(page, name string) string {
	joined := path.Join(path.Dir(page), name)
	if strings.HasSuffix(name, "/") {
		joined += "/"
	}
	return joined
}

// firstFile returns the first path that is a file.
func (p *Project) firstFile(paths ...string) (file string, ok bool) {
	for _, at := range paths {
		if p.isFile(at) {
			return at, true
		}
	}
	return "", false
}

// hasScheme reports whether a name begins with a scheme.
func hasScheme(name string) bool {
	colon := strings.IndexByte(name, ':')
	return colon > 0 && strings.IndexByte(name[:colon], '/') < 0
}

// mystExtensions are those of documents that a link may leave out.
var mystExtensions = [...]string{".md", ".rst", ".ipynb", ".myst", ".txt"}

// myst finds what a link in a document of MyST or Sphinx leads to
// (https://myst-parser.readthedocs.io/en/latest/syntax/cross-referencing.html): project:FILE and
// path:FILE are files, a name that begins with a slash starts at the root of the sources, and
// that of a document may lack its extension.
func (p *Project) myst(page, name string) (file string, ok bool) {
	explicit := false
	for _, scheme := range []string{"project:", "path:"} {
		if rest, is := strings.CutPrefix(name, scheme); is && rest != "" {
			name, explicit = rest, true
		}
	}
	if !explicit && hasScheme(name) {
		return "", false
	}
	at := beside(page, name)
	fromRoot := strings.HasPrefix(name, "/")
	if fromRoot {
		at = name[1:]
	}
	if p.isFile(at) {
		return at, explicit || fromRoot
	}
	if !p.isAt(at) {
		for _, extension := range mystExtensions {
			if p.isFile(at + extension) {
				return at + extension, true
			}
		}
	}
	return at, explicit && !strings.HasPrefix(at, "../")
}

// wikiPageExtensions are those of the pages of wikis on code hosts.
var wikiPageExtensions = [...]string{".md", ".markdown", ".rst", ".asciidoc", ".adoc", ".org", ".mediawiki", ".textile", ".rdoc", ".pod", ".creole"}

// wiki finds the page of a wiki that a link leads to: its name lacks the extension, and its directory
// does not matter.
func (p *Project) wiki(page, name string) (file string, ok bool) {
	name = strings.TrimSuffix(name, "/")
	if hasScheme(name) || p.isAt(beside(page, name)) {
		return "", false
	}
	for _, extension := range wikiPageExtensions {
		for _, at := range []string{beside(page, name), strings.TrimPrefix(name, "/"), path.Base(name)} {
			if p.isFile(at + extension) {
				return at + extension, true
			}
		}
		if p.dir != "" {
			continue
		}
		if file, ok := p.files.find(path.Base(name) + extension); ok {
			return file, true
		}
	}
	return "", false
}
