package references

import (
	"maps"
	"os"
	"path/filepath"
	"slices"

	"github.com/orbweaver/orbweaver/crawler/extract"
	"github.com/orbweaver/orbweaver/crawler/fetch/disk"
	"github.com/orbweaver/orbweaver/crawler/internal/judging"
	"github.com/orbweaver/orbweaver/crawler/internal/scope"
	"github.com/orbweaver/orbweaver/urinorm"
)

// crossReferences tells what the cross-references of a document stand for.
type crossReferences struct {
	sphinx   *disk.Sphinx // that builds the document; nil for none
	document urinorm.URL  // on the site of its project
	unknown  bool         // Sphinx may build the document, but its configuration is not known
}

func newCrossReferences(r *resolver) crossReferences {
	m := r.membership()
	if m.project != nil {
		if sphinx := m.project.Sphinx(); sphinx != nil {
			return crossReferences{sphinx: sphinx, document: m.document}
		}
	}
	page := scope.URLOf(r.page.url)
	site := r.page.scope.Sites.Of(page)
	return crossReferences{unknown: !r.page.source.Local || site == nil || inSphinx(site.PathOf(page))}
}

// links returns the links that cross-references stand for: those to documents and files, and those to
// what nothing defines for certain.
func (c crossReferences) links(all []extract.CrossReference) []extract.Link {
	var links []extract.Link
	suggested := 0
	for _, x := range all {
		l, ok := c.link(x)
		if !ok {
			continue
		}
		if x.Role == extract.RoleLabel {
			if suggested++; suggested <= maxNearLabels {
				l.Flaw.Cause += nearLabel(c.sphinx.Labels(), x.Ref)
			}
		}
		links = append(links, l)
	}
	return links
}

func (c crossReferences) link(x extract.CrossReference) (l extract.Link, ok bool) {
	switch {
	case c.sphinx == nil:
		return x.Link, x.Role == extract.RoleName && !c.unknown
	case x.Role == extract.RoleName:
		return x.Link, c.sphinx.OwnNames(c.document)
	case x.Role == extract.RoleLabel:
		labels := c.sphinx.Labels()
		if _, ok := labels[disk.LabelKey(x.Ref)]; ok || labels == nil {
			return l, false
		}
		return undefined(x.Link, "no document defines the label "+x.Ref), true
	case x.Role == extract.RoleDocument:
		target, missing := c.sphinx.Document(c.document, x.Ref)
		if missing {
			return undefined(x.Link, "there is no document "+x.Ref), true
		}
		l = x.Link
		l.Ref = target
		return l, target != ""
	}
	target, ok := c.sphinx.File(c.document, x.Ref)
	l = x.Link
	l.Ref = target
	return l, ok
}

// undefined returns a link to what is not there. The reference is as it is written.
func undefined(l extract.Link, cause string) extract.Link {
	l.Flaw = &extract.Flaw{Kind: string(judging.CodeReferenceUndefined), Cause: cause}
	return l
}

// Limits of suggestions: how many labels of a document get one, and among how many labels.
const (
	maxNearLabels    = 20
	maxLabelsToGuess = 5000
)

// nearLabel returns the question whether a similar label was meant, or "".
func nearLabel(labels map[string]string, name string) string {
	if len(labels) > maxLabelsToGuess {
		return ""
	}
	all := judging.Outcome{Content: judging.Content{Names: judging.PackNames(slices.Sorted(maps.Keys(labels)))}}
	guess, ok := all.SuggestFragment(name, judging.EffortOf(1000))
	if !ok {
		return ""
	}
	return ", did you mean " + guess.Name + "?"
}

// inSphinx reports whether the file at a path is below the sources of a site of Sphinx.
func inSphinx(file string) bool {
	for dir := filepath.Dir(file); ; dir = filepath.Dir(dir) {
		if info, err := os.Lstat(filepath.Join(dir, "conf.py")); err == nil && info.Mode().IsRegular() {
			return true
		}
		if dir == filepath.Dir(dir) {
			return false
		}
	}
}
