package verdicts

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/orbweaver/orbweaver/crawler/check"
	"github.com/orbweaver/orbweaver/crawler/frontier"
	"github.com/orbweaver/orbweaver/urinorm"
)

// A suggester finds what was probably meant by references to what is not there. It
// goes through the targets once, and only when there is such a reference to show.
type suggester struct {
	*join
	guesser   check.PathGuesser
	questions map[frontier.ID]*check.PathQuestion
	twins     map[string]frontier.ID      // https URLs by which a dead http target may answer
	alive     map[frontier.ID]frontier.ID // of those targets, the twin that is there
	later     *outstanding                // nil unless the run goes on
}

// suggest looks for the targets that were meant by those that are not there.
func (j *join) suggest() error {
	j.effort = check.EffortOf(j.astray())
	s := &suggester{join: j, questions: map[frontier.ID]*check.PathQuestion{}, twins: map[string]frontier.ID{}, alive: map[frontier.ID]frontier.ID{}}
	j.meant = s
	asking := s.asking()
	if j.streaming {
		s.later = &outstanding{suggester: s, may: map[frontier.ID]bool{}}
		if err := s.later.begin(asking); err != nil {
			return err
		}
	}
	if len(asking) == 0 && s.later.none() {
		return j.dossiers.err
	}
	listed := map[string]bool{}
	for _, a := range asking {
		if a.secure != "" {
			s.twins[spelled(a.secure)] = a.id
		}
		if !a.path {
			continue
		}
		plain, _, _ := strings.Cut(a.url.String(), "?")
		s.questions[a.id] = s.guesser.Ask(spelled(plain))
	}
	for _, a := range asking {
		if a.path {
			s.list(&s.guesser, a.url, listed)
		}
	}
	err := j.Store.Scan(j.ctx, frontier.PartJob, func(rec *frontier.Record) error {
		if err := s.later.consider(rec); err != nil {
			return err
		}
		if int(rec.ID) > len(j.states) || j.states[rec.ID-1]&(existing|redirects) == 0 {
			return nil
		}
		job, err := frontier.DecodeJob(rec.Job)
		if err != nil {
			return fmt.Errorf("target %d: %w", rec.ID, err)
		}
		url := spelled(string(job.URL))
		if job.Internal && !job.Verbatim {
			s.guesser.Consider(url, uint32(rec.ID))
		}
		if of, ok := s.twins[url]; ok {
			s.alive[of] = rec.ID
		}
		return nil
	})
	if err != nil {
		return err
	}
	s.later.end()
	return j.dossiers.err
}

// spelled is the one spelling of a URL that it is compared in: which of several a target
// is known by hangs on which page was read first.
func spelled(url string) string {
	if strings.IndexByte(url, '%') < 0 {
		return url
	}
	u, _, err := urinorm.ParseWeb(url)
	if err != nil || u.HasUserinfo() {
		return url
	}
	return u.Printed()
}

// astray counts the fragments that are not there, or on a page that is not.
func (j *join) astray() (n int) {
	for _, p := range j.flagged {
		if p.hasFragment && (p.open || p.judgement.Verdict == check.Broken || p.judgement.Verdict == check.Unverified) {
			n++
		}
	}
	return n
}

// asking is a target that is not there.
type asking struct {
	id     frontier.ID
	url    urinorm.URL // without fragment
	path   bool        // one that is written alike is looked for
	secure string      // its https twin; "" where there is none to look for
}

// asking lists them in order of their URLs, as of too many the first are answered.
func (s *suggester) asking() []asking {
	var all []asking
	seen := map[frontier.ID]bool{}
	for _, p := range s.flagged {
		if p.open || seen[p.id] || !s.judge.shown(&p.judgement) {
			continue
		}
		a := asking{id: p.id, path: s.wantsPaths(p)}
		wantsTwin := p.judgement.Verdict == check.Broken || p.judgement.Verdict == check.Unverified
		if !a.path && !wantsTwin {
			continue
		}
		seen[p.id] = true
		d := s.dossiers.get(p.id)
		if d.job.Verbatim {
			continue
		}
		a.url = d.url.WithoutFragment()
		if rest, ok := strings.CutPrefix(a.url.String(), "http://"); ok && wantsTwin {
			a.secure = "https://" + rest
		}
		if a.path || a.secure != "" {
			all = append(all, a)
		}
	}
	slices.SortFunc(all, func(a, b asking) int { return cmp.Compare(a.url.String(), b.url.String()) })
	return all
}

// wantsPaths reports whether a pair is a broken target of our own that there is
// nothing at.
func (j *join) wantsPaths(p *pair) bool {
	return p.judgement.Verdict == check.Broken && p.route.internal && len(p.route.hops) == 0 && notThere(p.judgement.Code)
}

// notThere reports whether a code says that there is nothing at an address.
func notThere(c check.Code) bool {
	switch c {
	case check.CodeFileMissing, check.CodeFileCase, check.HTTPCode(404), check.HTTPCode(410):
		return true
	}
	return false
}

// maxListed bounds the directories that are listed for suggestions.
const maxListed = 2000

// list lets a guesser consider the files of a local target's directory: nothing may
// refer to them.
func (s *suggester) list(guesser *check.PathGuesser, u urinorm.URL, listed map[string]bool) {
	site := s.Scope.SiteOf(u)
	dir := u.Authority() + u.Directory()
	if site == nil || listed[dir] || len(listed) >= maxListed {
		return
	}
	listed[dir] = true
	for _, file := range site.Siblings(u) {
		guesser.Consider(file.String(), 0)
	}
}

// suggestions are URLs that may have been meant.
func (j *join) suggestions(p *pair) []check.Suggestion {
	if c := p.judgement.Code; c == check.CodeFragmentMissing || c == check.CodeFragmentUnverified {
		return j.otherFragment(p)
	}
	if j.meant == nil || p.judgement.Verdict != check.Broken && p.judgement.Verdict != check.Unverified {
		return nil
	}
	all := j.meant.twin(p)
	if j.wantsPaths(p) {
		if s, ok := check.MissingScheme(j.dossiers.get(p.id).url); ok {
			if p.hasFragment {
				s.URL += "#" + p.fragment
			}
			all = append(all, s)
		}
		all = append(all, j.meant.paths(p)...)
	}
	return all
}

// otherFragment is the id that is nearest to a fragment that is not there. Where the
// page has moved permanently, the new address is part of the suggestion.
func (j *join) otherFragment(p *pair) []check.Suggestion {
	at, moved := p.id, true
	for _, id := range p.route.hops {
		o := &j.dossiers.get(id).outcome
		if strings.Contains(o.Next, "#") {
			return nil // the redirect's fragment is missing, not the reference's
		}
		moved = moved && check.IsPermanent(o.Status)
	}
	if moved {
		at = p.route.end
	}
	guess, ok := j.nearest(p.route.end, p.fragment)
	if !ok {
		return nil
	}
	return []check.Suggestion{{URL: j.Print.Place(&j.dossiers.get(at).job, guess.Name, true), Why: "closest id", Unique: guess.Unique}}
}

// nearest is the anchor of a page that is nearest to a fragment.
func (j *join) nearest(id frontier.ID, fragment string) (check.Guess, bool) {
	d := j.dossiers.get(id)
	if o := &d.outcome; o.Names == "" && len(d.anchors) > 0 && o.Path != "" && j.Config.ReadAgain && !d.reread {
		o.Names, d.reread = j.again.names(d), true
		d.size += len(o.Names)
		j.dossiers.size += len(o.Names)
	}
	return d.outcome.SuggestFragment(fragment, j.effort)
}

// answering is the target that is there for another: itself, or the one that it
// moved to for good; 0 for none.
func (s *suggester) answering(id frontier.ID) frontier.ID {
	if s.states[id-1]&clean != 0 {
		return id
	}
	way := s.follow(id)
	if way.end == 0 || slices.Contains(way.hops, way.end) {
		return 0
	}
	for _, hop := range way.hops {
		if !check.IsPermanent(s.dossiers.get(hop).outcome.Status) {
			return 0
		}
	}
	if s.dossiers.get(way.end).outcome.Code != check.CodeOK {
		return 0
	}
	return way.end
}

// there says under which URL a target is there. A file of a directory has no number.
func (s *suggester) there(id uint32, url string) (string, bool) {
	if id == 0 {
		return url, true
	}
	end := s.answering(frontier.ID(id))
	switch {
	case end == 0:
		return "", false
	case end == frontier.ID(id):
		return url, true
	}
	return spelled(s.dossiers.get(end).url.WithoutFragment().String()), s.states[end-1]&internal != 0
}

// twin is the same address by https, when something else refers to that and it is there.
func (s *suggester) twin(p *pair) []check.Suggestion {
	id, ok := s.alive[p.id]
	if !ok || s.answering(id) != id {
		return nil
	}
	return []check.Suggestion{{URL: s.Print.Place(&s.dossiers.get(id).job, p.fragment, p.hasFragment), Why: "the same address over https",
		Unique: !p.hasFragment || s.has(id, p.fragment)}}
}

// has reports whether a page is known to have a fragment.
func (s *suggester) has(id frontier.ID, fragment string) bool {
	d := s.dossiers.get(id)
	q := check.Question{Internal: true, URL: d.url, Fragment: fragment, HasFragment: true, IgnoreFragment: s.Config.IgnoresFragment}
	return d.outcome.Read && d.outcome.JudgeIn(q, d.anchors).Verdict == check.OK
}

// paths are targets of the site that are written in nearly the same way.
func (s *suggester) paths(p *pair) []check.Suggestion {
	u := s.dossiers.get(p.id).url
	query, hasQuery := u.Query()
	var all []check.Suggestion
	for _, guess := range s.questions[p.id].Guesses(s.there) {
		to, unique := guess.URL, guess.Unique
		if hasQuery {
			to += "?" + query
			unique = unique && s.Scope.SiteOf(u) != nil // a directory takes no notice of it
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

// fragmentOn is the fragment to go with a page, and whether the page is known to
// have the one that was asked for.
func (s *suggester) fragmentOn(id frontier.ID, fragment string) (string, bool) {
	if id == 0 {
		return fragment, false
	}
	if id = s.answering(id); id == 0 || s.states[id-1]&readable == 0 {
		return fragment, false
	}
	if s.has(id, fragment) {
		return fragment, true
	}
	guess, _ := s.nearest(id, fragment)
	return guess.Name, false
}

func (s *suggester) printed(url, fragment string, has bool) string {
	return s.Print.Place(&frontier.Job{URL: []byte(url)}, fragment, has)
}
