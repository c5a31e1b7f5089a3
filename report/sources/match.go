package sources

import (
	"html"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/orbweaver/orbweaver/crawler"
	"github.com/orbweaver/orbweaver/crawler/extract"
	"github.com/orbweaver/orbweaver/crawler/fetch"
	"github.com/orbweaver/orbweaver/urinorm"
)

// place is a reference in a source.
type place struct {
	file int
	link extract.Link
}

// Map finds the sources of a result's references and sets their Source.
func (t *Tree) Map(r *crawler.Result) {
	for i := 0; i < len(r.References); {
		j := i + 1
		for j < len(r.References) && r.References[j].Page == r.References[i].Page {
			j++
		}
		t.mapPage(r, r.References[i:j])
		i = j
	}
}

// mapPage maps the references of one page to one target, which are in the order of
// their places.
func (t *Tree) mapPage(r *crawler.Result, refs []crawler.Reference) {
	page := refs[0].Page
	if page == crawler.CommandLine || page == "-" || page == "" {
		return
	}
	candidates := t.candidates(page)
	for _, group := range alike(refs) {
		if !t.mapGroup(r, candidates, group) {
			t.mapUnique(group)
		}
	}
}

// alike groups references that are written alike and have the same text: their order
// is all that tells them apart.
func alike(refs []crawler.Reference) [][]*crawler.Reference {
	var groups [][]*crawler.Reference
next:
	for i := range refs {
		r := &refs[i]
		for g := range groups {
			if first := groups[g][0]; first.Raw == r.Raw && first.Text == r.Text {
				groups[g] = append(groups[g], r)
				continue next
			}
		}
		groups = append(groups, []*crawler.Reference{r})
	}
	return groups
}

// how a link of a source may be known as the one that a reference was made from, the
// surest way first.
type how func(t *Tree, r *crawler.Result, id int, ref *crawler.Reference) []place

// mapGroup looks for a group in the sources that its page may be made from. Only one
// of them may hold it.
func (t *Tree) mapGroup(r *crawler.Result, candidates []int, group []*crawler.Reference) bool {
	for _, look := range []how{(*Tree).writtenAlike, (*Tree).leadingAlike, (*Tree).readingAlike} {
		var found []place
		for _, id := range candidates {
			links := look(t, r, id, group[0])
			if len(links) > 0 && found != nil {
				return false // two sources might be meant
			}
			found = append(found, links...)
		}
		if found != nil {
			t.assign(group, found)
			return true
		}
	}
	return false
}

// writtenAlike are the links of a source that are written as a reference is.
func (t *Tree) writtenAlike(_ *crawler.Result, id int, ref *crawler.Reference) []place {
	plain := html.UnescapeString(ref.Raw)
	return t.matching(id, ref, func(l *extract.Link) bool { return l.Raw == ref.Raw || l.Ref == plain })
}

// leadingAlike are those that lead where it leads.
func (t *Tree) leadingAlike(r *crawler.Result, id int, ref *crawler.Reference) []place {
	within := r.Internal || sameSite(ref.Page, r.URL)
	return t.matching(id, ref, func(l *extract.Link) bool { return t.leadsTo(id, ref.Page, l, r.URL, within) })
}

// sameSite reports whether a target lies where a page does: in the directory, or on
// the host.
func sameSite(page, target string) bool { return siteOf(page) == siteOf(target) }

// siteOf is the scheme and authority of what is printed as a URL, else nothing.
func siteOf(printed string) string {
	at := strings.Index(printed, "://")
	if at < 0 {
		return ""
	}
	if end := strings.IndexByte(printed[at+3:], '/'); end >= 0 {
		return printed[:at+3+end]
	}
	return printed
}

// matching are the links that match, and only those with the reference's text when
// there are such.
func (t *Tree) matching(id int, ref *crawler.Reference, is func(*extract.Link) bool) []place {
	var all, texts []place
	links := t.links(id)
	for i := range links {
		if l := &links[i]; is(l) {
			all = append(all, place{id, *l})
			if sameText(l.Text, ref.Text) {
				texts = append(texts, place{id, *l})
			}
		}
	}
	if texts != nil {
		return texts
	}
	return all
}

// readingAlike is the only link within the site that has a reference's text.
func (t *Tree) readingAlike(_ *crawler.Result, id int, ref *crawler.Reference) []place {
	const shortest = 4
	if len(ref.Text) < shortest || strings.Contains(ref.Raw, "://") {
		return nil
	}
	var found []place
	links := t.links(id)
	for i := range links {
		if l := &links[i]; sameText(l.Text, ref.Text) && (l.Element == "img") == (ref.Element == "img") && !strings.Contains(l.Ref, "://") {
			found = append(found, place{id, *l})
		}
	}
	if len(found) != 1 {
		return nil
	}
	return found
}

// sameText compares link texts as they read: generators make quotes and dashes of
// what stands in the source.
func sameText(a, b string) bool { return a == b || readable(a) == readable(b) }

var typography = strings.NewReplacer("’", "'", "‘", "'", "“", `"`, "”", `"`, "–", "--", "—", "---", "…", "...", "`", "", "*", "", "_", "", "\u00a0", " ", "¶", "")

func readable(s string) string {
	return strings.ToLower(strings.Join(strings.Fields(typography.Replace(html.UnescapeString(s))), " "))
}

// assign gives each reference of a group its place: in their order, and where there
// are more references than places, which a menu may add, the nearest by order.
func (t *Tree) assign(group []*crawler.Reference, found []place) {
	for i, ref := range group {
		at := i
		if len(group) != len(found) {
			at = min(i*len(found)/len(group), len(found)-1)
		}
		t.set(ref, found[at])
	}
}

func (t *Tree) set(ref *crawler.Reference, p place) {
	ref.Source = &crawler.Place{File: t.name(p.file), Line: p.link.Line, Column: p.link.Column, Raw: p.link.Raw}
}

// leadsTo reports whether a link of a source leads to a target: to the same URL, or
// to what the target's page is made from. A relative one leads to nothing beyond the
// site, whatever its path is called.
func (t *Tree) leadsTo(id int, page string, l *extract.Link, target string, within bool) bool {
	if u, _, err := urinorm.ParseWeb(l.Ref); err == nil {
		return u.Printed() == target
	}
	if !within {
		return false
	}
	name, fragment, _ := strings.Cut(l.Ref, "#")
	name, _, _ = strings.Cut(name, "?")
	targetPage, targetFragment, _ := strings.Cut(target, "#")
	targetPage, _, _ = strings.Cut(targetPage, "?")
	if unescaped(fragment) != unescaped(targetFragment) {
		return false
	}
	want := pageKey(t.below(targetPage))
	if name == "" {
		return fragment != "" && same(want, pageKey(t.below(page)))
	}
	if decoded, err := url.PathUnescape(name); err == nil {
		name = decoded
	}
	if !strings.HasPrefix(name, "/") {
		name = path.Join(path.Dir(t.files[id].rel), name)
	}
	for _, have := range sourceKeys(name, frontMatter{}) {
		n := shared(have, want)
		if n == len(want) && n == len(have) || n > 0 && (n == len(want) || n == len(have) || n > 1) {
			return true
		}
	}
	return false
}

func unescaped(s string) string {
	if decoded, err := url.PathUnescape(s); err == nil {
		return decoded
	}
	return s
}

// mapUnique looks for a reference among those of all sources, templates included:
// one that is written once can have come from nowhere else. Relative ones are
// written alike in many places, so that their text must be the same too.
func (t *Tree) mapUnique(group []*crawler.Reference) {
	ref := group[0]
	if ref.Raw == "" || strings.HasPrefix(ref.Raw, "#") {
		return
	}
	t.gather()
	found := t.all[html.UnescapeString(ref.Raw)]
	if !t.whole || len(found) != 1 {
		return
	}
	absolute := strings.Contains(ref.Raw, "://") || strings.HasPrefix(ref.Raw, "/")
	if !absolute && (ref.Text == "" || !sameText(found[0].link.Text, ref.Text)) {
		return
	}
	for _, ref := range group {
		t.set(ref, found[0])
	}
}

// Limits of what is kept of all sources.
const (
	maxGathered = 1_000_000 // references
	maxPerRaw   = 2         // a third place makes a reference no more ambiguous
)

// gather reads every source, once.
func (t *Tree) gather() {
	if t.all != nil {
		return
	}
	t.all, t.whole = map[string][]place{}, true
	n := 0
	for id := range t.files {
		links := t.read(id)
		for i := range links {
			l := links[i]
			if len(t.all[l.Ref]) >= maxPerRaw || l.Line == 0 {
				continue
			}
			if n++; n > maxGathered {
				t.whole = false
				return
			}
			t.all[l.Ref] = append(t.all[l.Ref], place{id, l})
		}
	}
}

// cache keeps the links of the files that were read last.
type cache struct {
	sources map[int][]extract.Link
	pages   map[string][]int // the sources of a page, as far as the page itself names one
	links   int
}

// maxCached is how many links are kept; beyond it the cache begins anew.
const maxCached = 500_000

// links are the references of a source that have a place.
func (t *Tree) links(id int) []extract.Link {
	if links, ok := t.cache.sources[id]; ok {
		return links
	}
	links := t.read(id)
	if t.cache.links += len(links); t.cache.sources == nil || t.cache.links > maxCached {
		t.cache.sources, t.cache.links = map[int][]extract.Link{}, len(links)
	}
	t.cache.sources[id] = links
	return links
}

// read extracts a source. A template in a language of its own is read as the HTML
// that most of it is.
func (t *Tree) read(id int) []extract.Link {
	name := t.files[id].rel
	body, err := readFile(filepath.Join(t.dir, filepath.FromSlash(name)))
	if err != nil {
		return nil
	}
	in := extract.Input{Body: body, ContentType: fetch.TypeByName(name), Name: path.Base(name)}
	if _, ok := extract.Readable(in.ContentType, in.Name, nil); !ok {
		in.ContentType = "text/html"
	}
	return slices.DeleteFunc(extract.Extract(in).Links, func(l extract.Link) bool { return l.Line == 0 })
}

func readFile(name string) ([]byte, error) {
	if info, err := os.Stat(name); err != nil || info.Size() > maxSource {
		return nil, os.ErrInvalid
	}
	return os.ReadFile(name)
}

// candidates are the sources that a page may be made from: the one that it names
// itself, else those that its path tells.
func (t *Tree) candidates(page string) []int {
	if known, ok := t.cache.pages[page]; ok {
		return known
	}
	if t.cache.pages == nil || len(t.cache.pages) > maxCached {
		t.cache.pages = map[string][]int{}
	}
	found := t.named(page)
	if found == nil {
		found = t.of(page)
	}
	t.cache.pages[page] = found
	return found
}

// named is the source that a local page links to: to edit it, to show it, or as the
// copy that Sphinx publishes.
func (t *Tree) named(page string) []int {
	if strings.Contains(page, "://") {
		return nil
	}
	body, err := readFile(filepath.FromSlash(page))
	if err != nil {
		return nil
	}
	doc := extract.Extract(extract.Input{Body: body, ContentType: fetch.TypeByName(page), Name: path.Base(page)})
	for i := range doc.Links {
		if id, ok := t.editLink(doc.Links[i].Ref); ok {
			return []int{id}
		}
	}
	return nil
}

// editLink reads links such as https://github.com/owner/name/edit/main/docs/guide.md
// and _sources/guide.rst.txt.
func (t *Tree) editLink(ref string) (id int, ok bool) {
	ref, _, _ = strings.Cut(ref, "#")
	ref, _, _ = strings.Cut(ref, "?")
	at := -1
	for _, mark := range []string{"/edit/", "/_edit/", "_sources/"} {
		if i := strings.Index(ref, mark); i >= 0 {
			at = i + len(mark)
		}
	}
	if at < 0 || !isSource(path.Base(ref)) {
		return 0, false
	}
	named := strings.TrimSuffix(unescaped(ref[at:]), ".txt")
	if !isSource(path.Base(named)) {
		named += ".txt"
	}
	best, most := -1, 0
	for _, m := range t.last[pageKey(named).last()] {
		rel := t.files[m.file].rel
		if path.Base(rel) != path.Base(named) {
			continue
		}
		n := shared(strings.Split(rel, "/"), strings.Split(named, "/"))
		switch {
		case n > most:
			best, most = m.file, n
		case n == most && m.file != best:
			best = -1
		}
	}
	return best, best >= 0
}
