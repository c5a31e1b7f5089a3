package verdicts

import (
	"fmt"
	"strings"

	"github.com/cespare/xxhash/v2"

	"github.com/orbweaver/orbweaver/crawler/internal/frontier"
	"github.com/orbweaver/orbweaver/crawler/internal/judging"
)

// pendingSuggestions finds the targets of a stream whose suggestions may still change,
// because a target whose outcome is pending may become a suggestion. Their results are
// reported at the end, so that each run suggests the same regardless of the order of the
// answers.
//
// A redirect to a URL that is not a target yet is not foreseen.
type pendingSuggestions struct {
	suggester *suggester
	guesser   judging.PathGuesser
	questions map[frontier.ID]*judging.PathQuestion
	http      map[uint64]frontier.ID // pending http targets, by the hash of their https URLs
	possible  map[frontier.ID]bool   // targets whose suggestions may change
}

// begin takes the missing targets, and collects the pending http targets, whose https URLs
// are searched if they turn out to be broken.
func (o *pendingSuggestions) begin(missing []missingTarget) error {
	o.questions = map[frontier.ID]*judging.PathQuestion{}
	for _, a := range missing {
		if a.path {
			plain, _, _ := strings.Cut(a.url.String(), "?")
			o.questions[a.id] = o.guesser.Ask(normalized(plain))
		}
	}
	o.http = map[uint64]frontier.ID{}
	return o.suggester.crawl.Store.Scan(o.suggester.ctx, frontier.PartJob, func(rec *frontier.Record) error {
		if !o.suggester.targets.known(rec.ID) || !o.unsettled(rec.ID) {
			return nil
		}
		job, err := frontier.DecodeJob(rec.Job)
		if err != nil {
			return fmt.Errorf("target %d: %w", rec.ID, err)
		}
		if rest, ok := strings.CutPrefix(string(job.URL), "http://"); ok && !job.Verbatim {
			o.http[xxhash.Sum64String(normalized("https://"+rest))] = rec.ID
		}
		return nil
	})
}

// none reports whether nothing is searched. o may be nil.
func (o *pendingSuggestions) none() bool { return o == nil || len(o.questions)+len(o.http) == 0 }

// consider checks whether a target may become a suggestion.
func (o *pendingSuggestions) consider(rec *frontier.Record) error {
	if o.none() || !o.suggester.targets.known(rec.ID) {
		return nil
	}
	job, err := frontier.DecodeJob(rec.Job)
	if err != nil {
		return fmt.Errorf("target %d: %w", rec.ID, err)
	}
	url := normalized(string(job.URL))
	if len(o.http) > 0 {
		if of, ok := o.http[xxhash.Sum64String(url)]; ok {
			o.possible[of] = true
		}
	}
	if !o.unsettled(rec.ID) {
		return nil
	}
	if of, ok := o.suggester.byHTTPS[url]; ok {
		o.possible[of] = true
	}
	if job.Internal && !job.Verbatim {
		o.guesser.Consider(url, uint32(rec.ID))
	}
	return nil
}

// end determines the possible targets after all targets were considered. o may be nil.
func (o *pendingSuggestions) end() {
	if o == nil {
		return
	}
	for id, q := range o.questions {
		if q.Considered() {
			o.possible[id] = true
		}
	}
	o.questions, o.http = nil, nil
}

// unsettled reports whether the outcome of a target is not known, or only from an earlier
// run.
func (o *pendingSuggestions) unsettled(id frontier.ID) bool {
	const not = pending | cached
	if o.suggester.targets.of(id)&not != 0 {
		return true
	}
	if o.suggester.targets.of(id)&redirects == 0 {
		return false
	}
	route := o.suggester.targets.follow(id)
	return route.end != 0 && o.suggester.targets.of(route.end)&not != 0
}
