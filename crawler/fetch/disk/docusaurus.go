package disk

import (
	"bufio"
	"io"
	"io/fs"
	"path"
	"strings"

	"github.com/orbweaver/orbweaver/crawler/internal/lazy"
)

// docusaurusRoutes are the addresses of the pages that Docusaurus builds from documents, without
// slashes at their ends.
type docusaurusRoutes struct {
	files    map[string]string // the document, by address
	of       map[string]string // the address, by document
	contents []string          // the directories of documents, with a final '/'
	base     string            // baseUrl, with slashes at both ends
}

// docusaurus finds what a link in a document of Docusaurus leads to
// (https://docusaurus.io/docs/markdown-features/links): @site/ is the directory of the project, /FILE a file in
// static, and a document is named by its file or by the address of its page, which usually is its path
// without extension.
func (p *Project) docusaurus(page, name string) (file string, ok bool) {
	if rest, is := strings.CutPrefix(name, "@site/"); is {
		return rest, true
	}
	if rest, is := strings.CutPrefix(name, "pathname://"); is {
		return p.firstFile("static/" + strings.Trim(rest, "/"))
	}
	if hasScheme(name) {
		return "", false
	}
	p.once.Do(p.readRoutes)
	r := &p.routes
	if rest, is := strings.CutPrefix(name, "/"); is {
		return p.docusaurusRoot(rest)
	}
	if at := beside(page, name); p.isFile(at) {
		return "", false
	}
	if isMarkdownName(name) {
		for _, dir := range r.contents {
			if p.isFile(dir + name) {
				return dir + name, true
			}
		}
		return p.firstFile(name)
	}
	address, known := r.of[page]
	if !known {
		address = strings.TrimSuffix(page, path.Ext(page))
	}
	for _, base := range []string{address, address + "/index"} {
		if file, ok := r.files[strings.Trim(beside(base, name), "/")]; ok {
			return file, true
		}
	}
	return "", false
}

// docusaurusRoot finds what a link leads to that begins with a slash, which name lacks.
func (p *Project) docusaurusRoot(name string) (file string, ok bool) {
	r := &p.routes
	for _, at := range []string{name, strings.TrimPrefix("/"+name, r.base)} {
		if p.isFile("static/" + at) {
			return "static/" + at, true
		}
		if file, ok := r.files[strings.Trim(strings.TrimSuffix(at, ".html"), "/")]; ok {
			return file, true
		}
		if !isMarkdownName(at) {
			continue
		}
		for _, dir := range r.contents {
			if p.isFile(dir + at) {
				return dir + at, true
			}
		}
		if p.isFile(at) {
			return at, true
		}
	}
	return "", false
}

func isMarkdownName(name string) bool {
	return strings.HasSuffix(name, ".md") || strings.HasSuffix(name, ".mdx")
}

// Limits of what is read to know the addresses of pages.
const (
	maxRoutes      = 100_000
	maxRouteDepth  = 32
	maxFrontMatter = 8 << 10
	maxConfig      = 1 << 20
)

// What the configuration, which is a program, says of addresses. Every value is tried, whatever part of
// the configuration it belongs to.
var (
	routeBasePath = lazy.Regexp(`\brouteBasePath:\s*['"` + "`" + `]([^'"` + "`" + `\n]*)`)
	contentPath   = lazy.Regexp(`\bpath:\s*['"` + "`" + `]([^'"` + "`" + `\n]+)`)
	baseURL       = lazy.Regexp(`\bbaseUrl:\s*['"` + "`" + `](/[^'"` + "`" + `\n]*)`)
)

// readRoutes reads the documents of the project as far as they say where their pages are.
func (p *Project) readRoutes() {
	r := &p.routes
	r.files, r.of, r.base = map[string]string{}, map[string]string{}, "/"
	dirs, bases := []string{"docs", "blog"}, []string{}
	config := p.readConfig()
	for _, m := range contentPath().FindAllStringSubmatch(config, -1) {
		dirs = append(dirs, strings.Trim(path.Clean(m[1]), "/"))
	}
	for _, m := range routeBasePath().FindAllStringSubmatch(config, -1) {
		bases = append(bases, strings.Trim(m[1], "/"))
	}
	if m := baseURL().FindStringSubmatch(config); m != nil {
		r.base = "/" + strings.Trim(m[1], "/") + "/"
	}
	for _, dir := range dirs {
		p.addContents(dir, append([]string{dir}, bases...))
	}
	p.addContents("src/pages", []string{""})
	versions := p.files.list(strings.TrimSuffix(p.dir+"versioned_docs", "/"))
	if versions.err != nil {
		return
	}
	versions.mu.RLock()
	defer versions.mu.RUnlock()
	for name := range versions.kinds {
		if version, is := strings.CutPrefix(name, "version-"); is {
			p.addContents("versioned_docs/"+name, []string{"docs/" + version, "docs"})
		}
	}
}

// readConfig returns the text of the configuration.
func (p *Project) readConfig() string {
	for _, extension := range []string{"js", "ts", "mjs", "cjs", "mts", "cts"} {
		name := "docusaurus.config." + extension
		if !p.isFile(name) { // opening a named pipe would wait for its writer
			continue
		}
		if f, err := p.files.tree.Open(p.dir + name); err == nil {
			defer f.Close()
			text, _ := io.ReadAll(io.LimitReader(f, maxConfig)) // what can be read says something
			return string(text)
		}
	}
	return ""
}

// addContents adds the addresses of the documents in a directory, each below all bases.
func (p *Project) addContents(dir string, bases []string) {
	if dir == "" || dir == "." || strings.HasPrefix(dir, "..") || !p.isAt(dir) {
		return
	}
	p.routes.contents = append(p.routes.contents, dir+"/")
	var walk func(in string, depth int)
	walk = func(in string, depth int) {
		if depth > maxRouteDepth || len(p.routes.files) > maxRoutes {
			return
		}
		entries, err := p.files.readDir(p.dir + in)
		if err != nil {
			return
		}
		for _, entry := range entries {
			at := in + "/" + entry.Name()
			switch {
			case entry.IsDir():
				walk(at, depth+1)
			case isDocusaurusPage(at):
				p.addRoute(dir, at, entry, bases)
			}
		}
	}
	walk(dir, 0)
}

// isDocusaurusPage reports whether a page is built from a file.
func isDocusaurusPage(file string) bool {
	switch path.Ext(file) {
	case ".md", ".mdx":
		return true
	case ".js", ".jsx", ".ts", ".tsx":
		return strings.HasPrefix(file, "src/pages/") && !strings.Contains(file, ".test.") && !strings.Contains(file, ".d.ts")
	}
	return false
}

// blogDate is the date in the name of a post: 2021-08-26-welcome, or 2021/08/26/welcome.
var blogDate = lazy.Regexp(`^(\d{4})[-/](\d{1,2})[-/](\d{1,2})[-/](.+)$`)

// numberPrefix is a number that orders the documents of a directory.
var numberPrefix = lazy.Regexp(`^\d+\s*[-_.]+\s*`)

// addRoute adds the addresses of one document in the directory dir.
func (p *Project) addRoute(dir, file string, entry fs.DirEntry, bases []string) {
	name := strings.TrimPrefix(strings.TrimSuffix(file, path.Ext(file)), dir+"/")
	parent, last := path.Split(name)
	if last == "index" || last == "README" || last == path.Base(parent) && parent != "" {
		name = strings.TrimSuffix(parent, "/")
	}
	segments := strings.Split(name, "/")
	for i, s := range segments {
		if !blogDate().MatchString(s) {
			segments[i] = numberPrefix().ReplaceAllString(s, "")
		}
	}
	names := []string{name, strings.Join(segments, "/")}
	if m := blogDate().FindStringSubmatch(name); m != nil {
		names = append(names, strings.Join(m[1:], "/"))
	}
	slug, id := "", ""
	if entry.Type().IsRegular() && isMarkdownName(file) {
		slug, id = p.readSlug(file)
	}
	at := strings.TrimSuffix(path.Dir(names[1]), ".")
	if id != "" {
		names = append(names, path.Join(at, id))
	}
	if slug != "" {
		names = []string{path.Join(at, slug)}
		if strings.HasPrefix(slug, "/") || blogDate().MatchString(name) {
			names[0] = slug
		}
	}
	for _, base := range bases {
		for _, name := range names {
			address := strings.Trim(path.Join(base, name), "/")
			if address == "." {
				address = ""
			}
			if _, exists := p.routes.files[address]; !exists {
				p.routes.files[address] = file
			}
			if _, exists := p.routes.of[file]; !exists {
				p.routes.of[file] = address
			}
		}
	}
}

// readSlug reads slug and id in the front matter of a document.
func (p *Project) readSlug(file string) (slug, id string) {
	f, err := p.files.tree.Open(p.dir + file)
	if err != nil {
		return "", ""
	}
	defer f.Close()
	scan := bufio.NewScanner(io.LimitReader(f, maxFrontMatter))
	for first := true; scan.Scan(); first = false {
		line := strings.TrimRight(scan.Text(), " \t\r")
		switch {
		case first && strings.TrimPrefix(line, "\ufeff") != "---":
			return "", ""
		case !first && line == "---":
			return slug, id
		}
		key, value, _ := strings.Cut(line, ":")
		value = strings.Trim(strings.TrimSpace(value), `"'`)
		switch key {
		case "slug":
			slug = value
		case "id":
			id = value
		}
	}
	return slug, id
}
