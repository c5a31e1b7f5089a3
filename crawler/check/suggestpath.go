package check

import (
	"cmp"
	"math/bits"
	"path"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/cespare/xxhash/v2"
)

// Limits of what finding suggestions for paths may cost.
const (
	// MaxQuestions is how many broken targets a PathGuesser takes.
	MaxQuestions = 10_000
	// maxPathWork bounds how many pairs of names one guesser looks at, most of them
	// for the time of a few instructions. Beyond it no closest path is suggested at
	// all, so that the order in which targets were met is not to be seen.
	maxPathWork = 400_000_000
	// maxPathLetters bounds the pairs of letters that are compared.
	maxPathLetters = 1 << 28
	// maxPath is the longest URL that takes part, in bytes.
	maxPath = 1024
	// maxPathGuesses is how many suggestions one broken target gets.
	maxPathGuesses = 3
	// maxCandidates is how many targets of each kind are kept for one broken one.
	maxCandidates = 32
)

// PathGuesser finds, among the targets that are there, those that were probably
// meant by others that are not. It is told of all that are broken first; then every
// target passes by once and is kept by none but those it is close to. So it takes
// memory for what is broken, however large the site is. It is not safe for
// concurrent use.
//
// A target that is written in almost the same way is known by one of its halves:
//
//	https://example.com/guide/setup/install.html
//	└──────────── home ────────────┘└── name ──┘
//
// those with the same home have their names compared; those with the same name, as
// deep in the site, their homes.
type PathGuesser struct {
	questions int
	homes     map[uint64][]*PathQuestion // by home
	stems     map[uint64][]*PathQuestion // by home and name without extension
	names     map[uint64][]*PathQuestion // by origin and name
	folded    map[uint64][]*PathQuestion // by the whole, letter case and hyphens aside

	work, letters int
}

// PathQuestion is a target that is not there.
type PathQuestion struct {
	path  indexedPath
	stem  string
	fold  string
	word  *spelling // the name
	chars uint64    // which characters the name has
	steps []string  // the names of the home's directories
	of    *PathGuesser

	letterCase, hyphens, forms, near, elsewhere candidates
}

// candidates are targets that may have been meant, all in the same way: the nearest.
type candidates struct {
	list []candidate
	more bool // some were left out
}

type candidate struct {
	path     indexedPath
	id       uint32
	distance int
	slip     bool // a slip of the hand, and nothing else
}

func (c *candidates) add(p *indexedPath, id uint32, distance int, slip bool) {
	one := candidate{*p, id, distance, slip}
	if len(c.list) < maxCandidates {
		c.list = append(c.list, one)
		return
	}
	c.more = true
	worst := 0
	for i := range c.list {
		if compareCandidates(c.list[i], c.list[worst]) > 0 {
			worst = i
		}
	}
	if compareCandidates(one, c.list[worst]) < 0 {
		c.list[worst] = one
	}
}

// compareCandidates orders by distance and URL: targets are met in no particular
// order. Of one that is met twice, as a file too, the one with a number counts.
func compareCandidates(a, b candidate) int {
	return cmp.Or(cmp.Compare(a.distance, b.distance), cmp.Compare(a.path.url, b.path.url), cmp.Compare(b.id, a.id))
}

// PathGuess is a target that was probably meant.
type PathGuess struct {
	URL string
	ID  uint32 // of the target, as Consider was given it
	Why string
	// Unique is true when nothing else is as close and a program may write it into
	// the reference.
	Unique bool
}

// Reasons of a PathGuess.
const (
	whyLetterCase = "same name in different letter case"
	whyHyphens    = "same name with different hyphens"
	whyClosest    = "closest path"
	whyElsewhere  = "same name elsewhere"

	// WhyForm is told of pages alone: what is missing may be no page.
	WhyForm = "same page in another form"
)

// indexedPath is a URL cut in two.
type indexedPath struct {
	url    string
	home   string // up to the slash before the name
	name   string // of a directory without its slash
	folder bool   // it ends in a slash
	index  bool   // it is the index file of the directory that name is
	root   int    // where the path begins, behind its first slash
}

// indexNames are files that answer for their directory everywhere.
var indexNames = map[string]bool{"index.html": true, "index.htm": true}

// pageExtensions are those that come and go with the server's configuration, or
// with the program that makes a site of its sources.
var pageExtensions = map[string]bool{
	"html": true, "htm": true, "xhtml": true, "php": true, "asp": true, "aspx": true, "jsp": true, "shtml": true,
	"md": true, "markdown": true, "mdx": true, "rst": true, "adoc": true, "asciidoc": true, "org": true, "ipynb": true,
}

// sourceForms are extensions of what pages are made from. Where one stands in a
// link, it is the program that makes the pages which should have written it anew.
var sourceForms = map[string]bool{
	"md": true, "markdown": true, "mdx": true, "rst": true, "adoc": true, "asciidoc": true, "org": true, "ipynb": true,
}

// IsSource reports whether a file of that name is what a page is made from, which
// browsers do not show as one.
func IsSource(name string) bool {
	return sourceForms[strings.ToLower(strings.TrimPrefix(path.Ext(name), "."))]
}

// cutPath cuts an absolute URL with an authority. One with a query is none that
// takes part, nor is the root of a site.
func cutPath(url string) (p indexedPath, ok bool) {
	at := strings.Index(url, "://")
	if at < 0 || len(url) > maxPath || strings.ContainsAny(url, "?#") {
		return p, false
	}
	slash := strings.IndexByte(url[at+3:], '/')
	if slash < 0 {
		return p, false
	}
	p.url, p.root = url, at+3+slash+1
	end := len(url)
	if last := strings.LastIndexByte(url, '/'); indexNames[url[last+1:]] && last >= p.root {
		p.index, end = true, last+1
	}
	if end > p.root && url[end-1] == '/' {
		p.folder, end = !p.index, end-1
	}
	if end <= p.root {
		return p, false
	}
	start := strings.LastIndexByte(url[:end], '/') + 1
	p.home, p.name = url[:start], url[start:end]
	return p, p.name != ""
}

// origin is scheme and authority.
func (p *indexedPath) origin() string { return p.url[:p.root-1] }

// stem is the name without an extension that pages have.
func (p *indexedPath) stem() (stem, extension string) {
	dot := strings.LastIndexByte(p.name, '.')
	if dot > 0 && pageExtensions[strings.ToLower(p.name[dot+1:])] {
		return p.name[:dot], strings.ToLower(p.name[dot+1:])
	}
	return p.name, ""
}

// page is the path without what does not tell two pages apart.
func (p *indexedPath) page() string {
	if p.index || p.folder {
		return p.home + p.name + "/"
	}
	return p.home + p.name
}

// fold is the whole as letter case, hyphens and underscores leave it.
func (p *indexedPath) fold() string { return foldName(percentDecode(p.home + p.name)) }

// The keys under which a question is found.

func (p *indexedPath) homeKey() uint64 { return xxhash.Sum64String(p.home) }

func (p *indexedPath) nameKey() uint64 {
	return xxhash.Sum64String(p.name) ^ xxhash.Sum64String(p.origin())*31
}

func (p *indexedPath) stemKey(stem string) uint64 {
	return xxhash.Sum64String(stem) ^ xxhash.Sum64String(p.home)*31
}

// foldKey is equal for what folds to the same, the case of letters beyond ASCII aside.
func (p *indexedPath) foldKey() uint64 {
	const prime = 1099511628211 // FNV-1a
	h := uint64(14695981039346656037)
	whole := p.url[:len(p.home)+len(p.name)]
	for i := 0; i < len(whole); i++ {
		c := whole[i]
		switch {
		case c == '-' || c == '_':
			continue
		case c == '%' && strings.HasPrefix(whole[i:], "%20"):
			i += 2
			continue
		case 'A' <= c && c <= 'Z':
			c |= 0x20
		}
		h = (h ^ uint64(c)) * prime
	}
	return h
}

// charsOf is the set of characters of a name, in 64 classes.
func charsOf(name string) (set uint64) {
	for i := range len(name) {
		set |= 1 << (name[i] & 63)
	}
	return set
}

// Ask takes in a URL that is not there, without a fragment. It returns nil for one
// that nothing can be found for: it has a query, or is the root of a site, or there
// are too many questions.
func (g *PathGuesser) Ask(url string) *PathQuestion {
	p, ok := cutPath(url)
	if !ok || g.questions == MaxQuestions {
		return nil
	}
	g.questions++
	if g.homes == nil {
		g.homes, g.stems = map[uint64][]*PathQuestion{}, map[uint64][]*PathQuestion{}
		g.names, g.folded = map[uint64][]*PathQuestion{}, map[uint64][]*PathQuestion{}
	}
	name := percentDecode(p.name)
	q := &PathQuestion{of: g, path: p, fold: p.fold(), word: newSpelling(name), chars: charsOf(name), steps: strings.Split(p.home[p.root:], "/")}
	q.stem, _ = p.stem()
	enter := func(in map[uint64][]*PathQuestion, key uint64) { in[key] = append(in[key], q) }
	enter(g.homes, p.homeKey())
	enter(g.stems, p.stemKey(q.stem))
	enter(g.names, p.nameKey())
	enter(g.folded, p.foldKey())
	return q
}

// Consider looks whether a target was meant by one that is broken: an absolute URL
// without a fragment that is there, or may be. The id comes back with the guess.
func (g *PathGuesser) Consider(url string, id uint32) {
	p, ok := cutPath(url)
	if !ok || g.questions == 0 {
		return
	}
	for _, q := range g.folded[p.foldKey()] {
		q.spelledAlike(&p, id)
	}
	stem, _ := p.stem()
	for _, q := range g.stems[p.stemKey(stem)] {
		if stem == q.stem && p.home == q.path.home && p.url != q.path.url {
			q.forms.add(&p, id, 0, !q.path.folder || !IsSource(p.name)) // guide/ is what guide.md may be published as
		}
	}
	if near := g.homes[p.homeKey()]; len(near) > 0 {
		g.nearName(near, &p, id)
	}
	for _, q := range g.names[p.nameKey()] {
		g.nearHome(q, &p, id)
	}
}

// spelledAlike takes what differs in letter case or in hyphens only.
func (q *PathQuestion) spelledAlike(p *indexedPath, id uint32) {
	switch {
	case p.fold() != q.fold || p.page() == q.path.page() || p.home == q.path.home && p.name == q.path.name:
	case strings.EqualFold(p.home+p.name, q.path.home+q.path.name):
		q.letterCase.add(p, id, 0, true)
	case withoutDigits(p.name) != withoutDigits(q.path.name) || p.home != q.path.home:
		q.hyphens.add(p, id, 0, true)
	}
}

// nearName compares the name with those that are asked for at the same home.
func (g *PathGuesser) nearName(questions []*PathQuestion, p *indexedPath, id uint32) {
	name := percentDecode(p.name)
	chars := charsOf(name)
	if g.work += len(questions); g.exhausted() {
		return
	}
	for _, q := range questions {
		allowed := q.word.allowed
		if bits.OnesCount64(chars&^q.chars) > allowed || bits.OnesCount64(q.chars&^chars) > allowed || p.home != q.path.home {
			continue
		}
		if distance := g.distance(q.word, name); distance > 0 && alikeBeforeDot(q.word.word, name, distance) {
			q.near.add(p, id, distance, distance == 1 && slip(name, q.word.word) && path.Ext(p.name) == path.Ext(q.path.name))
		}
	}
}

// distance is how many letters differ, 0 for none and for too many.
func (g *PathGuesser) distance(word *spelling, name string) int {
	if name == word.word || word.isFar(name) || withoutDigits(name) == word.digits {
		return 0
	}
	if g.letters += word.length * len(name); g.exhausted() {
		return 0
	}
	if d := differingLetters(name, word.word); d <= word.allowed {
		return d
	}
	return 0
}

// alikeBeforeDot reports whether file names that differ in so many letters are still
// alike where their extensions, which most files share, are left aside: a.html is not
// nearly i.html.
func alikeBeforeDot(a, b string, distance int) bool {
	a, b = strings.TrimSuffix(a, path.Ext(a)), strings.TrimSuffix(b, path.Ext(b))
	return a == b || 3*distance <= max(utf8.RuneCountInString(a), utf8.RuneCountInString(b))
}

// exhausted reports whether so much was compared that no more will be.
func (g *PathGuesser) exhausted() bool { return g.work > maxPathWork || g.letters > maxPathLetters }

// nearHome compares the homes of targets with the same name: one directory may be
// written in another way, or the target may be elsewhere altogether.
func (g *PathGuesser) nearHome(q *PathQuestion, p *indexedPath, id uint32) {
	if p.name != q.path.name || p.origin() != q.path.origin() || p.home == q.path.home {
		return
	}
	q.elsewhere.add(p, id, 0, false)
	mine, other, ok := differingStep(q.steps, p.home[p.root:])
	if !ok {
		return
	}
	if g.work++; g.exhausted() {
		return
	}
	mine, other = percentDecode(mine), percentDecode(other)
	if distance := g.distance(newSpelling(mine), other); distance > 0 {
		q.near.add(p, id, distance, distance == 1 && slip(mine, other))
	}
}

// differingStep returns the one name in which two directories differ; false when
// there is not just one.
func differingStep(steps []string, other string) (a, b string, ok bool) {
	if strings.Count(other, "/") != len(steps)-1 {
		return "", "", false
	}
	i := 0
	for step := range strings.SplitSeq(other, "/") {
		if step != steps[i] {
			if ok {
				return "", "", false
			}
			a, b, ok = steps[i], step, true
		}
		i++
	}
	return a, b, ok
}

// Considered reports whether any target was met that may have been meant.
func (q *PathQuestion) Considered() bool {
	return q != nil && len(q.letterCase.list)+len(q.hyphens.list)+len(q.forms.list)+len(q.near.list)+len(q.elsewhere.list) > 0
}

// Guesses returns the targets that were probably meant, the best first, at most three:
//
//   - the same but for letter case, or for hyphens and underscores;
//   - the same page under another of the names that servers give pages: page,
//     page/, page.html; one for page.md is never unique, nor is page.md for page/;
//   - the ones with the fewest differing letters, one for each four letters of the
//     part that differs and three at most, in the last part of the path or in one before it.
//     Of a name no more than a third may differ, its extension aside. Such that differ in
//     their digits only are other places. One is unique if it is the only one, and a slip away;
//   - those of the same name elsewhere, if they are few. They are never unique.
//
// Targets of a later kind are given where there are none of an earlier one. There
// says of a target that is a candidate whether it is there, and under which URL:
// another one where it has moved permanently.
func (q *PathQuestion) Guesses(there func(id uint32, url string) (to string, ok bool)) []PathGuess {
	if q == nil {
		return nil
	}
	_, extension := q.path.stem()
	if q.of.exhausted() {
		q.near = candidates{}
	}
	for _, kind := range []struct {
		of     *candidates
		why    string
		unique bool
	}{
		{&q.letterCase, whyLetterCase, true},
		{&q.hyphens, whyHyphens, true},
		{&q.forms, WhyForm, !sourceForms[extension]},
		{&q.near, whyClosest, true},
	} {
		if found := q.guesses(kind.of, kind.why, kind.unique, there); len(found) > 0 {
			return found
		}
	}
	const tooMany, shortest = 3, 5
	if len(q.elsewhere.list) > 2*tooMany || len(q.stem) < shortest { // each may be there with and without its index file
		return nil
	}
	found := q.guesses(&q.elsewhere, whyElsewhere, false, there)
	if len(found) > tooMany {
		return nil
	}
	return found
}

// guesses makes suggestions of candidates that were found in the same way. Those that
// are one page, such as a directory and its index file, are one.
func (q *PathQuestion) guesses(of *candidates, why string, unique bool, there func(uint32, string) (string, bool)) []PathGuess {
	slices.SortFunc(of.list, compareCandidates)
	var all []PathGuess
	seen := map[string]bool{}
	for _, c := range of.list {
		to, ok := there(c.id, c.path.url)
		if !ok {
			continue
		}
		p := c.path
		if to != p.url {
			if p, ok = cutPath(to); !ok {
				continue
			}
		}
		url := p.url
		if (p.index || p.folder) && !q.path.index {
			url = p.home + p.name + "/"
		}
		if page := p.page(); !seen[page] && url != q.path.url {
			seen[page] = true
			all = append(all, PathGuess{URL: url, ID: c.id, Why: why, Unique: c.slip})
		}
	}
	for i := range all {
		all[i].Unique = all[i].Unique && unique && !of.more && len(all) == 1
	}
	return all[:min(len(all), maxPathGuesses)]
}
