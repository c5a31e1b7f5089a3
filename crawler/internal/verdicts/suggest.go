package verdicts

import (
	"cmp"
	"context"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/orbweaver/orbweaver/crawler/check"
	"github.com/orbweaver/orbweaver/crawler/internal/frontier"
	"github.com/orbweaver/orbweaver/crawler/internal/judging"
	"github.com/orbweaver/orbweaver/crawler/result"
	"github.com/orbweaver/orbweaver/urinorm"
)

// suggester suggests replacements for targets and fragments that do not exist. It scans the
// targets once, and only if a missing target is shown.
type suggester struct {
	crawl     *Crawl
	ctx       context.Context
	targets   *targets
	details   *detailCache
	again     *rereader
	effort    judging.Effort // for each suggestion of a fragment
	guesser   judging.PathGuesser
	questions map[frontier.ID]*judging.PathQuestion
	byHTTPS   map[string]frontier.ID      // broken http targets, by their https URLs
	onHTTPS   map[frontier.ID]frontier.ID // the existing https target of a broken http target
	pending   *pendingSuggestions         // nil unless results are streamed
	search    result.Search
}

// prepare collects the targets that may replace those of the pairs.
func (s *suggester) prepare(pairs []*pair) error {
	s.search.Fragments = countBrokenFragments(pairs)
	s.effort = judging.EffortOf(s.search.Fragments)
	s.questions, s.byHTTPS, s.onHTTPS = map[frontier.ID]*judging.PathQuestion{}, map[string]frontier.ID{}, map[frontier.ID]frontier.ID{}
	missing := s.missing(pairs)
	if s.targets.streaming {
		s.pending = &pendingSuggestions{suggester: s, possible: map[frontier.ID]bool{}}
		if err := s.pending.begin(missing); err != nil {
			return err
		}
	}
	if len(missing) == 0 && s.pending.none() {
		return s.details.err
	}
	var listings listings
	for _, a := range missing {
		if https := a.https(); https != "" {
			s.byHTTPS[normalized(https)] = a.id
		}
		if !a.path {
			continue
		}
		plain, _, _ := strings.Cut(a.url.String(), "?")
		s.questions[a.id] = s.guesser.Ask(normalized(plain))
		if s.crawl.Scope.Sites.Of(a.url) != nil {
			listings.add(a.url, s.questions[a.id])
		}
	}
	for _, l := range listings.all {
		s.list(l)
	}
	err := s.crawl.Store.Scan(s.ctx, frontier.PartJob, func(rec *frontier.Record) error {
		if err := s.pending.consider(rec); err != nil {
			return err
		}
		if !s.targets.known(rec.ID) || s.targets.of(rec.ID)&(exists|redirects) == 0 {
			return nil
		}
		job, err := frontier.DecodeJob(rec.Job)
		if err != nil {
			return fmt.Errorf("target %d: %w", rec.ID, err)
		}
		url := normalized(string(job.URL))
		if job.Internal && !job.Verbatim {
			s.guesser.Consider(url, uint32(rec.ID))
		}
		if of, ok := s.byHTTPS[url]; ok {
			s.onHTTPS[of] = rec.ID
		}
		return nil
	})
	if err != nil {
		return err
	}
	s.pending.end()
	if s.search.Paths = max(s.guesser.Used(), float64(len(listings.all))/maxListed); listings.full {
		s.search.Paths++
	}
	return s.details.err
}

// normalized returns the form of a URL that is compared. The stored form of a target's URL
// is that of the first reference.
func normalized(url string) string {
	if strings.IndexByte(url, '%') < 0 {
		return url
	}
	u, _, err := urinorm.ParseWeb(url)
	if err != nil || u.HasUserinfo() {
		return url
	}
	return u.Printed()
}

// countBrokenFragments counts the pairs with a fragment that is missing, or may be.
func countBrokenFragments(pairs []*pair) (n int) {
	for _, p := range pairs {
		if p.hasFragment && (p.open || p.judgement.Verdict == check.Broken || p.judgement.Verdict == check.Unverified) {
			n++
		}
	}
	return n
}

// missingTarget is a broken target for which a replacement is searched.
type missingTarget struct {
	id   frontier.ID
	url  urinorm.URL // without fragment
	path bool        // similar paths are searched
}

// https returns the https URL to look for, or "".
func (a *missingTarget) https() string {
	if rest, ok := strings.CutPrefix(a.url.String(), "http://"); ok {
		return "https://" + rest
	}
	return ""
}

// missing lists the missing targets of pairs, sorted by URL, as only the first ones are
// processed if there are too many.
func (s *suggester) missing(pairs []*pair) []missingTarget {
	wanted := func(p *pair) bool {
		return !p.open && (p.judgement.Verdict == check.Broken || p.judgement.Verdict == check.Unverified) && isShown(s.crawl.Show, &p.judgement)
	}
	n := 0 // there may be very many
	for _, p := range pairs {
		if wanted(p) {
			n++
		}
	}
	all, seen := make([]missingTarget, 0, n), s.targets.none()
	for _, p := range pairs {
		if !wanted(p) || seen.has(p.id) {
			continue
		}
		seen.set(p.id)
		d := s.details.get(p.id)
		if d.job.Verbatim {
			continue
		}
		if a := (missingTarget{p.id, d.url.WithoutFragment(), wantsPaths(p)}); a.path || a.https() != "" {
			all = append(all, a)
		}
	}
	slices.SortFunc(all, func(a, b missingTarget) int { return cmp.Compare(a.url.String(), b.url.String()) })
	return all
}

// wantsPaths reports whether a pair's target is internal and does not exist.
func wantsPaths(p *pair) bool {
	return p.judgement.Verdict == check.Broken && p.route.internal && len(p.route.hops) == 0 && isMissing(p.judgement.Code)
}

// isMissing reports whether a code means that the target does not exist.
func isMissing(c check.Code) bool {
	switch c {
	case check.CodeFileMissing, check.CodeFileCase, check.HTTPCode(404), check.HTTPCode(410):
		return true
	}
	return false
}

// maxListed is how many directories are listed for suggestions.
const maxListed = 2000

// listings are the directories of missing local targets, in which there may be files that no link leads to.
type listings struct {
	all    []*listing
	byPath map[string]*listing
	full   bool // others are not listed
}

// listing is a directory, given by one of the targets that are missing in it.
type listing struct {
	missing urinorm.URL
	of      map[*judging.PathQuestion]bool // the questions about all of them
}

// add adds the directory of a missing target. Its files answer no questions about other directories, so that what
// is suggested does not depend on what else is missing.
func (l *listings) add(u urinorm.URL, q *judging.PathQuestion) {
	if q == nil {
		return
	}
	dir := u.Authority() + path.Dir(strings.TrimSuffix(u.Path(), "/"))
	at := l.byPath[dir]
	if at == nil {
		if l.full = len(l.all) == maxListed; l.full {
			return
		}
		if l.byPath == nil {
			l.byPath = map[string]*listing{}
		}
		at = &listing{u, map[*judging.PathQuestion]bool{}}
		l.all, l.byPath[dir] = append(l.all, at), at
	}
	at.of[q] = true
}

// list lets the files of a directory answer the questions about it.
func (s *suggester) list(l *listing) {
	for _, file := range s.crawl.Scope.Sites.Of(l.missing).Siblings(l.missing) {
		s.guesser.ConsiderFor(l.of, file.String(), 0)
	}
}

// suggestions returns URLs that may replace that of a pair.
func (s *suggester) suggestions(p *pair) []check.Suggestion {
	if c := p.judgement.Code; c == check.CodeFragmentMissing || c == check.CodeFragmentUnverified {
		return s.otherFragment(p)
	}
	if p.judgement.Verdict != check.Broken && p.judgement.Verdict != check.Unverified {
		return nil
	}
	all := s.overHTTPS(p)
	if wantsPaths(p) {
		if with, ok := judging.MissingScheme(s.details.get(p.id).url); ok {
			if p.hasFragment {
				with.URL += "#" + p.fragment
			}
			all = append(all, with)
		}
		all = append(all, s.paths(p)...)
	}
	return all
}

// otherFragment suggests the id that is closest to a missing fragment. If the page has moved
// permanently, the suggestion has the new URL.
func (s *suggester) otherFragment(p *pair) []check.Suggestion {
	at, moved := p.id, true
	for _, id := range p.route.hops {
		o := &s.details.get(id).outcome
		if strings.Contains(o.Next, "#") {
			return nil // the redirect's fragment is missing, not the reference's
		}
		moved = moved && judging.IsPermanent(o.Status)
	}
	if moved {
		at = p.route.end
	}
	guess, ok := s.nearest(p.route.end, p.fragment)
	if !ok {
		return nil
	}
	return []check.Suggestion{{URL: s.crawl.Print.Place(&s.details.get(at).job, guess.Name, true), Why: "closest id", Unique: guess.Unique}}
}

// nearest returns the anchor of a page that is closest to a fragment.
func (s *suggester) nearest(id frontier.ID, fragment string) (judging.Guess, bool) {
	d := s.details.get(id)
	if o := &d.outcome; o.Names == "" && len(d.anchors) > 0 && o.Path != "" && s.crawl.ReadAgain && !d.reread {
		o.Names, d.reread = s.again.names(d), true
		d.size += len(o.Names)
		s.details.size += len(o.Names)
	}
	s.search.Fragment = max(s.search.Fragment, d.outcome.MaxUse(fragment))
	return d.outcome.SuggestFragment(fragment, s.effort)
}

// existing returns the target that exists for another one: itself, or the one that it
// permanently redirects to. It returns 0 if there is none.
func (s *suggester) existing(id frontier.ID) frontier.ID {
	if s.targets.of(id)&clean != 0 {
		return id
	}
	route := s.targets.follow(id)
	if route.end == 0 || slices.Contains(route.hops, route.end) {
		return 0
	}
	for _, hop := range route.hops {
		if !judging.IsPermanent(s.details.get(hop).outcome.Status) {
			return 0
		}
	}
	if s.details.get(route.end).outcome.Code != check.CodeOK {
		return 0
	}
	return route.end
}

// currentURL returns the URL under which a target exists. The ID of a file that is not a
// target is 0.
func (s *suggester) currentURL(id uint32, url string) (string, bool) {
	if id == 0 {
		return url, true
	}
	end := s.existing(frontier.ID(id))
	switch {
	case end == 0:
		return "", false
	case end == frontier.ID(id):
		return url, true
	}
	return normalized(s.details.get(end).url.WithoutFragment().String()), s.targets.of(end)&internal != 0
}

// overHTTPS suggests the same URL over https, if it is a target and exists.
func (s *suggester) overHTTPS(p *pair) []check.Suggestion {
	id, ok := s.onHTTPS[p.id]
	if !ok || s.existing(id) != id {
		return nil
	}
	return []check.Suggestion{{URL: s.crawl.Print.Place(&s.details.get(id).job, p.fragment, p.hasFragment), Why: "the same address over https",
		Unique: !p.hasFragment || s.hasFragment(id, p.fragment)}}
}

// hasFragment reports whether a page is known to have a fragment.
func (s *suggester) hasFragment(id frontier.ID, fragment string) bool {
	d := s.details.get(id)
	q := judging.Question{Internal: true, URL: d.url, Fragment: fragment, HasFragment: true, IgnoreFragment: s.crawl.Judging.IgnoreFragment, ExactCase: s.crawl.exactCase()}
	return d.outcome.Read && d.outcome.JudgeIn(q, d.anchors).Verdict == check.OK
}

// paths are targets of the site that are written in nearly the same route.
func (s *suggester) paths(p *pair) []check.Suggestion {
	u := s.details.get(p.id).url
	query, hasQuery := u.Query()
	var all []check.Suggestion
	for _, guess := range s.questions[p.id].Guesses(s.currentURL) {
		to, unique := guess.URL, guess.Unique
		if hasQuery {
			to += "?" + query
			unique = unique && s.crawl.Scope.Sites.Of(u) != nil // a directory ignores the query
		}
		fragment := p.fragment
		if p.hasFragment {
			var same bool
			fragment, same = s.fragmentOn(frontier.ID(guess.ID), p.fragment)
			unique = unique && same
		}
		all = append(all, check.Suggestion{URL: s.printed(to, fragment, p.hasFragment && fragment != ""), Why: guess.Why, Unique: unique})
	}
	return all
}

// fragmentOn returns the fragment to suggest for a page, and whether the page is known to
// have the original one.
func (s *suggester) fragmentOn(id frontier.ID, fragment string) (string, bool) {
	if id == 0 {
		return fragment, false
	}
	if id = s.existing(id); id == 0 || s.targets.of(id)&readable == 0 {
		return fragment, false
	}
	if s.hasFragment(id, fragment) {
		return fragment, true
	}
	guess, _ := s.nearest(id, fragment)
	return guess.Name, false
}

func (s *suggester) printed(url, fragment string, has bool) string {
	return s.crawl.Print.Place(&frontier.Job{URL: []byte(url)}, fragment, has)
}
