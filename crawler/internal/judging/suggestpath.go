package judging

import (
	"cmp"
	"math/bits"
	"path"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/cespare/xxhash/v2"
	"github.com/orbweaver/orbweaver/crawler/check"
)

// Limits of the search for paths that were probably meant.
const (
	// maxQuestions is the number of broken targets that a PathGuesser accepts.
	maxQuestions = 10_000
	// maxPathWork limits the pairs of names that one guesser compares, most of them with
	// a few instructions. If it is exceeded, no closest path is suggested at all, so that
	// the suggestions do not depend on the order of the targets.
	maxPathWork = 400_000_000
	// maxPathLetters limits the pairs of letters that are compared.
	maxPathLetters = 1 << 28
	// maxPath is the length of the longest URL that is compared, in bytes.
	maxPath = 1024
	// maxPathGuesses is the number of suggestions for one broken target.
	maxPathGuesses = 3
	// maxCandidates is the number of targets of each kind that are kept for a broken one.
	maxCandidates = 32
)

// PathGuesser finds, among the targets that exist, those that were probably meant by
// broken ones. Ask adds all broken targets first; then Consider compares each other
// target with them, and only close ones are kept. So the memory it takes depends on the
// number of broken targets, not on the size of the site. It is not safe for concurrent
// use.
//
// A URL has two parts:
//
//	https://example.com/guide/setup/install.html
//	└──────────── home ────────────┘└── name ──┘
//
// Targets with the same home are compared by their names; targets with the same name and
// the same number of directories are compared by their homes.
type PathGuesser struct {
	questions int
	homes     map[uint64][]*PathQuestion // by home
	stems     map[uint64][]*PathQuestion // by home and name without extension
	names     map[uint64][]*PathQuestion // by origin and name
	folded    map[uint64][]*PathQuestion // by the whole, letter case and hyphens aside

	work, letters int
	kept          int // candidates, over all questions
}

// PathQuestion is a broken target.
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

// candidates are targets that differ from a broken one in the same way: the closest.
type candidates struct {
	list []candidate
	more bool // others were left out
}

type candidate struct {
	path     indexedPath
	id       uint32
	distance int
	typo     bool // nothing but a typing error of one letter
}

func (c *candidates) add(p *indexedPath, id uint32, distance int, typo bool) {
	one := candidate{*p, id, distance, typo}
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

// compareCandidates orders by distance and URL, because targets come in any order. If a
// target occurs twice, also as a file, the one with an ID comes first.
func compareCandidates(a, b candidate) int {
	return cmp.Or(cmp.Compare(a.distance, b.distance), cmp.Compare(a.path.url, b.path.url), cmp.Compare(b.id, a.id))
}

// PathGuess is a target that was probably meant.
type PathGuess struct {
	URL string
	ID  uint32 // of the target, as passed to Consider
	Why string
	// Unique is true if no other target is as close, so that a program may write it into
	// the reference.
	Unique bool
}

// Reasons of a PathGuess.
const (
	whyLetterCase = "same name in different letter case"
	whyHyphens    = "same name with different hyphens"
	whyClosest    = "closest path"
	whyElsewhere  = "same name elsewhere"
)

// indexedPath is a URL in two parts.
type indexedPath struct {
	url    string
	home   string // up to the slash before the name
	name   string // of a directory without its slash
	folder bool   // the URL ends in a slash
	index  bool   // the URL is the index file of the directory with this name
	root   int    // offset of the path after its first slash
}

// indexNames are the files that all servers serve for their directory.
var indexNames = map[string]bool{"index.html": true, "index.htm": true}

// pageExtensions are extensions that the server's configuration, or the program that
// generates a site, may add or remove.
var pageExtensions = map[string]bool{
	"html": true, "htm": true, "xhtml": true, "php": true, "asp": true, "aspx": true, "jsp": true, "shtml": true,
	"md": true, "markdown": true, "mdx": true, "rst": true, "adoc": true, "asciidoc": true, "org": true, "ipynb": true,
}

// cutPath splits an absolute URL with an authority. It reports false for a URL with a
// query and for the root of a site.
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

// stem returns the name without an extension of pages, and that extension.
func (p *indexedPath) stem() (stem, extension string) {
	dot := strings.LastIndexByte(p.name, '.')
	if dot > 0 && pageExtensions[strings.ToLower(p.name[dot+1:])] {
		return p.name[:dot], strings.ToLower(p.name[dot+1:])
	}
	return p.name, ""
}

// page returns a URL that is the same for a directory with and without its index file.
func (p *indexedPath) page() string {
	if p.index || p.folder {
		return p.home + p.name + "/"
	}
	return p.home + p.name
}

// fold returns the URL without letter case, hyphens and underscores.
func (p *indexedPath) fold() string { return foldName(percentDecode(p.home + p.name)) }

// The keys of a question in the maps of a PathGuesser.

func (p *indexedPath) homeKey() uint64 { return xxhash.Sum64String(p.home) }

func (p *indexedPath) nameKey() uint64 {
	return xxhash.Sum64String(p.name) ^ xxhash.Sum64String(p.origin())*31
}

func (p *indexedPath) stemKey(stem string) uint64 {
	return xxhash.Sum64String(stem) ^ xxhash.Sum64String(p.home)*31
}

// foldKey is equal for paths with an equal fold, if their non-ASCII letters have the same
// case.
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

// charsOf returns the set of the characters of a name, in 64 classes.
func charsOf(name string) (set uint64) {
	for i := range len(name) {
		set |= 1 << (name[i] & 63)
	}
	return set
}

// Ask adds the URL of a broken target, without a fragment. It returns nil if no
// suggestions are possible: the URL has a query or is the root of a site, or there are
// too many questions.
func (g *PathGuesser) Ask(url string) *PathQuestion {
	p, ok := cutPath(url)
	if !ok {
		return nil
	}
	if g.questions++; g.questions > maxQuestions {
		return nil
	}
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

// Consider compares a target with the broken ones. The URL is absolute, without a
// fragment, of a target that exists or may exist. The id is returned with the guess.
// It reports whether the target may have been meant by any of them: all others make no
// difference to the guesses.
func (g *PathGuesser) Consider(url string, id uint32) (meant bool) {
	return g.ConsiderFor(nil, url, id)
}

// ConsiderFor is Consider for some of the broken targets, or for all of them if there are none.
func (g *PathGuesser) ConsiderFor(some map[*PathQuestion]bool, url string, id uint32) (meant bool) {
	p, ok := cutPath(url)
	if !ok || g.questions == 0 {
		return false
	}
	before := g.kept
	isAsked := func(q *PathQuestion) bool { return some == nil || some[q] }
	for _, q := range g.folded[p.foldKey()] {
		if isAsked(q) {
			q.spelledAlike(&p, id)
		}
	}
	stem, _ := p.stem()
	for _, q := range g.stems[p.stemKey(stem)] {
		if isAsked(q) && stem == q.stem && p.home == q.path.home && p.url != q.path.url {
			q.add(&q.forms, &p, id, 0, !q.path.folder || !check.IsSource(p.name)) // guide.md may be published as guide/
		}
	}
	if near := g.homes[p.homeKey()]; len(near) > 0 {
		g.nearName(near, isAsked, &p, id)
	}
	for _, q := range g.names[p.nameKey()] {
		if isAsked(q) {
			g.nearHome(q, &p, id)
		}
	}
	return g.kept > before
}

// Used returns which part of its limits a guesser has used: more than 1 if one is exceeded.
func (g *PathGuesser) Used() float64 {
	return max(float64(g.questions)/maxQuestions, float64(g.work)/maxPathWork, float64(g.letters)/maxPathLetters)
}

// add adds a candidate of one kind to a question.
func (q *PathQuestion) add(to *candidates, p *indexedPath, id uint32, distance int, typo bool) {
	q.of.kept++
	to.add(p, id, distance, typo)
}

// spelledAlike adds a target that differs in letter case or in hyphens only.
func (q *PathQuestion) spelledAlike(p *indexedPath, id uint32) {
	switch {
	case p.fold() != q.fold || p.page() == q.path.page() || p.home == q.path.home && p.name == q.path.name:
	case strings.EqualFold(p.home+p.name, q.path.home+q.path.name):
		q.add(&q.letterCase, p, id, 0, true)
	case withoutDigits(p.name) != withoutDigits(q.path.name) || p.home != q.path.home:
		q.add(&q.hyphens, p, id, 0, true)
	}
}

// nearName compares a target with broken ones of the same home by their names.
func (g *PathGuesser) nearName(questions []*PathQuestion, isAsked func(*PathQuestion) bool, p *indexedPath, id uint32) {
	name := percentDecode(p.name)
	chars := charsOf(name)
	if g.work += len(questions); g.exhausted() {
		return
	}
	for _, q := range questions {
		allowed := q.word.allowed
		if bits.OnesCount64(chars&^q.chars) > allowed || bits.OnesCount64(q.chars&^chars) > allowed || p.home != q.path.home || !isAsked(q) {
			continue
		}
		if distance := g.distance(q.word, name); distance > 0 && alikeBeforeDot(q.word.word, name, distance) {
			q.add(&q.near, p, id, distance, distance == 1 && isTypo(name, q.word.word) && path.Ext(p.name) == path.Ext(q.path.name))
		}
	}
}

// distance returns the number of differing letters, or 0 if there are none or too many.
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

// alikeBeforeDot reports whether file names with this many differing letters are still
// similar without their extensions, which most files share: a.html is not similar to
// i.html. If one of several words differs, so must that word be: git-p4 is not similar to
// git-am.
func alikeBeforeDot(a, b string, distance int) bool {
	a, b = strings.TrimSuffix(a, path.Ext(a)), strings.TrimSuffix(b, path.Ext(b))
	if a == b {
		return true
	}
	if 3*distance > max(utf8.RuneCountInString(a), utf8.RuneCountInString(b)) {
		return false
	}
	hyphen := func(c rune) bool { return c == '-' || c == '_' }
	words, others := strings.FieldsFunc(a, hyphen), strings.FieldsFunc(b, hyphen)
	if len(words) != len(others) || len(words) < 2 {
		return true
	}
	for i := range words {
		if words[i] != others[i] && 2*differingLetters(words[i], others[i]) > max(utf8.RuneCountInString(words[i]), utf8.RuneCountInString(others[i]))+1 {
			return false
		}
	}
	return true
}

// exhausted reports whether a limit of comparisons is exceeded.
func (g *PathGuesser) exhausted() bool { return g.work > maxPathWork || g.letters > maxPathLetters }

// nearHome compares a target with a broken one of the same name by their homes: one
// directory may be misspelled, or the target may be in another directory.
func (g *PathGuesser) nearHome(q *PathQuestion, p *indexedPath, id uint32) {
	if p.name != q.path.name || p.origin() != q.path.origin() || p.home == q.path.home {
		return
	}
	q.add(&q.elsewhere, p, id, 0, false)
	mine, other, ok := differingStep(q.steps, p.home[p.root:])
	if !ok {
		return
	}
	if g.work++; g.exhausted() {
		return
	}
	mine, other = percentDecode(mine), percentDecode(other)
	if distance := g.distance(newSpelling(mine), other); distance > 0 {
		q.add(&q.near, p, id, distance, distance == 1 && isTypo(mine, other))
	}
}

// differingStep returns the one name in which two directories differ. It reports false
// if they do not differ in exactly one.
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

// Considered reports whether there is any target that may have been meant.
func (q *PathQuestion) Considered() bool {
	return q != nil && len(q.letterCase.list)+len(q.hyphens.list)+len(q.forms.list)+len(q.near.list)+len(q.elsewhere.list) > 0
}

// Guesses returns the targets that were probably meant, the best first, at most three:
//
//   - the same path in different letter case, or with different hyphens and underscores;
//   - the same page in another form: page, page/, page.html. A suggestion for page.md is
//     never unique, nor is page.md for page/;
//   - the paths with the fewest differing letters in one of their names: at most one for
//     each four letters of the name, and at most three; of the last name without its
//     extension, at most a third. A name that differs in its digits only is never
//     suggested. A suggestion is unique if it is the only one and differs by a typing error;
//   - paths with the same last name in other directories, if they are few. They are never
//     unique.
//
// Targets of a later kind are returned only if there are none of an earlier one. The
// function there reports whether a candidate exists, and under which URL: another one if
// it has moved permanently.
func (q *PathQuestion) Guesses(there func(id uint32, url string) (to string, ok bool)) []PathGuess {
	if q == nil {
		return nil
	}

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
		{&q.forms, check.WhyForm, !check.IsSource(q.path.name)},
		{&q.near, whyClosest, true},
	} {
		if found := q.guesses(kind.of, kind.why, kind.unique, there); len(found) > 0 {
			return found
		}
	}
	const tooMany, shortest = 3, 5
	if len(q.elsewhere.list) > 2*tooMany || len(q.stem) < shortest { // a directory may occur with and without its index file
		return nil
	}
	found := q.guesses(&q.elsewhere, whyElsewhere, false, there)
	if len(found) > tooMany {
		return nil
	}
	return found
}

// guesses returns the suggestions for candidates of one kind. A directory and its index
// file are one suggestion.
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
			all = append(all, PathGuess{URL: url, ID: c.id, Why: why, Unique: c.typo})
		}
	}
	for i := range all {
		all[i].Unique = all[i].Unique && unique && !of.more && len(all) == 1
	}
	return all[:min(len(all), maxPathGuesses)]
}
