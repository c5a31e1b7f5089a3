package sources

import (
	"html"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/orbweaver/orbweaver/crawler/extract"
	"github.com/orbweaver/orbweaver/crawler/fetch"
	"github.com/orbweaver/orbweaver/crawler/result"
	"github.com/orbweaver/orbweaver/urinorm"
)

type place struct {
	file int
	link extract.Link
}

// Map finds the sources of the references of a result and sets their Source. It finds
// links, so the findings of content checks keep their places on the pages.
func (t *Tree) Map(r *result.Result) {
	if r.Kind != result.KindTarget {
		return
	}
	for i := 0; i < len(r.References); {
		j := i + 1
		for j < len(r.References) && r.References[j].Page == r.References[i].Page {
			j++
		}
		t.mapPage(r, r.References[i:j])
		i = j
	}
}

// mapPage maps the references of one page to one target, which are sorted by place.
func (t *Tree) mapPage(r *result.Result, refs []result.Reference) {
	page := refs[0].Page
	if page == result.CommandLine || page == "-" || page == "" {
		return
	}
	candidates := t.candidates(page)
	for _, group := range groupAlike(refs) {
		if !t.mapGroup(r, candidates, group) {
			t.mapUnique(group)
		}
	}
}

// groupAlike groups references with the same spelling and text. Only their order tells
// them apart.
func groupAlike(refs []result.Reference) [][]*result.Reference {
	var groups [][]*result.Reference
next:
	for i := range refs {
		r := &refs[i]
		for g := range groups {
			if first := groups[g][0]; first.Raw == r.Raw && first.Text == r.Text {
				groups[g] = append(groups[g], r)
				continue next
			}
		}
		groups = append(groups, []*result.Reference{r})
	}
	return groups
}

// matcher returns the links of a source that a reference may have been generated from.
type matcher func(t *Tree, r *result.Result, id int, ref *result.Reference) []place

// mapGroup searches for a group in the possible sources of its page, with the most
// reliable matcher first. It fails if more than one source matches.
func (t *Tree) mapGroup(r *result.Result, candidates []int, group []*result.Reference) bool {
	for _, look := range []matcher{(*Tree).sameSpelling, (*Tree).sameTarget, (*Tree).uniqueText} {
		var found []place
		for _, id := range candidates {
			links := look(t, r, id, group[0])
			if len(links) > 0 && found != nil {
				return false // ambiguous
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

func (t *Tree) sameSpelling(_ *result.Result, id int, ref *result.Reference) []place {
	plain := html.UnescapeString(ref.Raw)
	return t.matching(id, ref, func(l *extract.Link) bool { return l.Raw == ref.Raw || l.Ref == plain })
}

func (t *Tree) sameTarget(r *result.Result, id int, ref *result.Reference) []place {
	within := r.Internal || sameSite(ref.Page, r.URL)
	return t.matching(id, ref, func(l *extract.Link) bool { return t.leadsTo(id, ref.Page, l, r.URL, within) })
}

// sameSite reports whether a target and a page are on the same host, or are both local.
func sameSite(page, target string) bool { return siteOf(page) == siteOf(target) }

// siteOf returns the scheme and authority of a printed URL, or "" for a local file.
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

// matching returns the links that match. If some of them have the text of the reference,
// it returns only these.
func (t *Tree) matching(id int, ref *result.Reference, is func(*extract.Link) bool) []place {
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

// uniqueText returns the only link within the site that has the text of a reference.
func (t *Tree) uniqueText(_ *result.Result, id int, ref *result.Reference) []place {
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

// sameText compares link texts without typography, since generators replace quotes and
// dashes in the source.
func sameText(a, b string) bool { return a == b || normalizedText(a) == normalizedText(b) }

var typography = strings.NewReplacer("’", "'", "‘", "'", "“", `"`, "”", `"`, "–", "--", "—", "---", "…", "...", "`", "", "*", "", "_", "", "\u00a0", " ", "¶", "")

func normalizedText(s string) string {
	return strings.ToLower(strings.Join(strings.Fields(typography.Replace(html.UnescapeString(s))), " "))
}

// assign gives each reference of a group its place, in order. If there are more
// references than places, as when a menu adds some, it chooses the nearest place by
// order.
func (t *Tree) assign(group []*result.Reference, found []place) {
	for i, ref := range group {
		at := i
		if len(group) != len(found) {
			at = min(i*len(found)/len(group), len(found)-1)
		}
		t.set(ref, found[at])
	}
}

func (t *Tree) set(ref *result.Reference, p place) {
	ref.Source = &result.Place{File: t.name(p.file), Line: p.link.Line, Column: p.link.Column, Raw: p.link.Raw}
}

// leadsTo reports whether a link of a source leads to a target: to the same URL, or to
// the source of the target's page. A relative link never leads outside the site.
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
	if percentDecoded(fragment) != percentDecoded(targetFragment) {
		return false
	}
	want := pageKey(t.sitePath(targetPage))
	if name == "" {
		return fragment != "" && same(want, pageKey(t.sitePath(page)))
	}
	if decoded, err := url.PathUnescape(name); err == nil {
		name = decoded
	}
	if !strings.HasPrefix(name, "/") {
		name = path.Join(path.Dir(t.files[id].rel), name)
	}
	for _, have := range sourceKeys(name, frontMatter{}) {
		n := commonNames(have, want)
		if n == len(want) && n == len(have) || n > 0 && (n == len(want) || n == len(have) || n > 1) {
			return true
		}
	}
	return false
}

func percentDecoded(s string) string {
	if decoded, err := url.PathUnescape(s); err == nil {
		return decoded
	}
	return s
}

// mapUnique searches for a reference in all sources, including templates. A spelling that
// occurs only once there must be the source. Relative references often have the same
// spelling in many places, so their text must be the same too.
func (t *Tree) mapUnique(group []*result.Reference) {
	ref := group[0]
	if ref.Raw == "" || strings.HasPrefix(ref.Raw, "#") {
		return
	}
	t.readAll()
	found := t.byRef[html.UnescapeString(ref.Raw)]
	if !t.complete || len(found) != 1 {
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

// Limits of the references that are kept of all sources.
const (
	maxReferences = 1_000_000 // references
	maxPerRaw     = 2         // two places already make a reference ambiguous
)

// readAll reads all sources on its first call.
func (t *Tree) readAll() {
	if t.byRef != nil {
		return
	}
	t.byRef, t.complete = map[string][]place{}, true
	n := 0
	for id := range t.files {
		links := t.read(id)
		for i := range links {
			l := links[i]
			if len(t.byRef[l.Ref]) >= maxPerRaw || l.Line == 0 {
				continue
			}
			if n++; n > maxReferences {
				t.complete = false
				return
			}
			t.byRef[l.Ref] = append(t.byRef[l.Ref], place{id, l})
		}
	}
}

// cache has the links of the files that were read last.
type cache struct {
	sources map[int][]extract.Link
	pages   map[string][]int // possible sources of each page
	links   int
}

// maxCached is the maximum number of links in the cache. If it is exceeded, the cache is
// emptied.
const maxCached = 500_000

// links returns the references of a source that have a place.
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

// read extracts the links of a source. A template in its own language is read as HTML,
// since most of it is HTML.
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
	if info, err := os.Stat(name); err != nil || !info.Mode().IsRegular() || info.Size() > maxSource {
		return nil, os.ErrInvalid
	}
	return os.ReadFile(name)
}

// candidates returns the possible sources of a page: the source that the page links to,
// or else the sources with a matching path.
func (t *Tree) candidates(page string) []int {
	if known, ok := t.cache.pages[page]; ok {
		return known
	}
	if t.cache.pages == nil || len(t.cache.pages) > maxCached {
		t.cache.pages = map[string][]int{}
	}
	found := t.linkedSources(page)
	if found == nil {
		found = t.sourcesByPath(page)
	}
	t.cache.pages[page] = found
	return found
}

// linkedSources returns the source that a local page links to: to edit it, to show it, or
// as the copy that Sphinx publishes.
func (t *Tree) linkedSources(page string) []int {
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

// editLink parses links such as https://github.com/owner/name/edit/main/docs/guide.md and
// _sources/guide.rst.txt, and returns the source.
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
	named := strings.TrimSuffix(percentDecoded(ref[at:]), ".txt")
	if !isSource(path.Base(named)) {
		named += ".txt"
	}
	best, most := -1, 0
	for _, m := range t.byLastName[pageKey(named).last()] {
		rel := t.files[m.file].rel
		if path.Base(rel) != path.Base(named) {
			continue
		}
		n := commonNames(strings.Split(rel, "/"), strings.Split(named, "/"))
		switch {
		case n > most:
			best, most = m.file, n
		case n == most && m.file != best:
			best = -1
		}
	}
	return best, best >= 0
}
