package scope

import (
	"net/url"
	"path"
	"path/filepath"
	"strings"

	"github.com/orbweaver/orbweaver/crawler/fetch/disk"
	"github.com/orbweaver/orbweaver/crawler/internal/frontier"
	"github.com/orbweaver/orbweaver/urinorm"
)

// Printer prints URLs for reports: normalized and without passwords. Local documents are
// printed as paths relative to the working directory, so that reports are the same on all
// machines. Other files keep their file: URL.
type Printer struct {
	local []localSite
	sites Sites
	wd    string
}

// localSite is a directory without a published address.
type localSite struct {
	origin string // scheme://authority/path/ of the directory
	prefix string // the directory, relative to the working directory, percent-encoded, with its slash
}

// NewPrinter returns a Printer for the sites and the working directory of a run.
func NewPrinter(sites Sites, wd string) *Printer {
	p := &Printer{sites: sites, wd: wd}
	for _, s := range sites {
		if !s.Synthetic() {
			continue
		}
		p.addParents(s.Dir(), func(rel string) (urinorm.URL, error) { return s.URLOf(rel) })
		p.local = append(p.local, localSite{origin: s.Base().String(), prefix: p.prefix(s.Dir())})
	}
	root := filepath.VolumeName(wd) + string(filepath.Separator)
	p.addParents(root, func(rel string) (urinorm.URL, error) { return disk.FileURL(root + rel) })
	return p
}

// addParents adds the working directory and its parent directories up to root. A file in
// one of them is printed with "../", not with its path from root. urlOf returns the URL of
// a path relative to root.
func (p *Printer) addParents(root string, urlOf func(rel string) (urinorm.URL, error)) {
	if p.wd == "" {
		return
	}
	if !filepath.IsAbs(root) {
		root = filepath.Join(p.wd, root)
	}
	rel, err := filepath.Rel(root, p.wd)
	if err != nil || !filepath.IsLocal(rel) {
		return
	}
	prefix := ""
	for rel = filepath.ToSlash(rel); rel != "."; rel = path.Dir(rel) {
		if u, err := urlOf(rel); err == nil {
			p.local = append(p.local, localSite{origin: strings.TrimSuffix(u.Printed(), "/") + "/", prefix: prefix})
		}
		prefix += "../"
	}
}

func (p *Printer) prefix(dir string) string {
	rel := path.Clean(p.Path(dir)) // completing a name in a shell adds a slash
	if rel == "." {
		return ""
	}
	segments := strings.Split(rel, "/")
	for i, s := range segments {
		segments[i] = url.PathEscape(s)
	}
	if rel == "/" {
		return "/"
	}
	return strings.Join(segments, "/") + "/"
}

// Path returns a file's path relative to the working directory, with slashes.
func (p *Printer) Path(file string) string {
	if file == "-" {
		return file
	}
	absolute := filepath.IsAbs(file)
	if p.wd != "" && (absolute || filepath.VolumeName(file) != "" || strings.HasPrefix(file, string(filepath.Separator))) {
		if !absolute { // some Windows paths depend on the current drive
			if abs, err := filepath.Abs(file); err == nil {
				file = abs
			}
		}
		if rel, err := filepath.Rel(p.wd, file); err == nil {
			file = rel
		}
	}
	return filepath.ToSlash(file)
}

// Href prints a URL.
func (p *Printer) Href(v Href) string {
	printed := string(urinorm.AppendPrinted(nil, v.Bytes, v.Offsets))
	return p.Shorten(printed)
}

// URL prints a URL.
func (p *Printer) URL(u urinorm.URL) string { return p.Shorten(u.Printed()) }

// Shorten replaces the address of a local directory at the beginning of a printed URL by
// its path.
func (p *Printer) Shorten(printed string) string {
	for i := range p.local {
		if rest, ok := strings.CutPrefix(printed, p.local[i].origin); ok {
			if s := p.local[i].prefix + rest; s != "" {
				return s
			}
			return "./"
		}
	}
	return printed
}

// Message shortens the addresses of local documents within a sentence.
func (p *Printer) Message(m string) string {
	for i := range p.local {
		if strings.Contains(m, p.local[i].origin) {
			m = strings.ReplaceAll(m, p.local[i].origin, p.local[i].prefix)
		}
	}
	return m
}

// Job prints a target.
func (p *Printer) Job(j *frontier.Job) string {
	if j.Verbatim {
		return urinorm.Redact(string(j.URL))
	}
	u, _, err := urinorm.ParseWeb(string(j.URL))
	if err != nil {
		return urinorm.Redact(string(j.URL))
	}
	return p.URL(u)
}

// Place prints a target with a fragment.
func (p *Printer) Place(j *frontier.Job, fragment string, has bool) string {
	if !has || j.Verbatim {
		return p.Job(j)
	}
	u, _, err := urinorm.ParseWeb(string(j.URL) + "#" + fragment)
	if err != nil {
		return p.Job(j) + "#" + fragment
	}
	return p.URL(u)
}
