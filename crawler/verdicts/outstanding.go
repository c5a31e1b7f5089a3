package verdicts

import (
	"fmt"
	"strings"

	"github.com/cespare/xxhash/v2"

	"github.com/orbweaver/orbweaver/crawler/check"
	"github.com/orbweaver/orbweaver/crawler/frontier"
	"github.com/orbweaver/orbweaver/urinorm"
)

// outstanding finds out for a stream which targets may yet be given suggestions that
// are not known now, because what is still out may be what was meant. They are told
// at the end, so that each run suggests the same, whatever answer comes first.
//
// A redirect that leads to an address nobody has met yet is not foreseen.
type outstanding struct {
	*suggester
	guesser   check.PathGuesser
	questions map[frontier.ID]*check.PathQuestion
	plain     map[uint64]frontier.ID // http targets that are out, by the hash of their https twin
	listed    map[string]bool        // directories, of those that are out
	may       map[frontier.ID]bool
}

// begin takes in what is asked for, and the targets whose twins are to be looked for
// once they turn out to be dead.
func (o *outstanding) begin(asking []asking) error {
	o.questions, o.listed = map[frontier.ID]*check.PathQuestion{}, map[string]bool{}
	for _, a := range asking {
		if a.path {
			plain, _, _ := strings.Cut(a.url.String(), "?")
			o.questions[a.id] = o.guesser.Ask(spelled(plain))
		}
	}
	o.plain = map[uint64]frontier.ID{}
	return o.Store.Scan(o.ctx, frontier.PartJob, func(rec *frontier.Record) error {
		if int(rec.ID) > len(o.states) || !o.unsettled(rec.ID) {
			return nil
		}
		job, err := frontier.DecodeJob(rec.Job)
		if err != nil {
			return fmt.Errorf("target %d: %w", rec.ID, err)
		}
		if rest, ok := strings.CutPrefix(string(job.URL), "http://"); ok && !job.Verbatim {
			o.plain[xxhash.Sum64String(spelled("https://"+rest))] = rec.ID
		}
		return nil
	})
}

// none reports whether there is nothing to be found out.
func (o *outstanding) none() bool { return o == nil || len(o.questions)+len(o.plain) == 0 }

// consider looks whether a target may become what was meant.
func (o *outstanding) consider(rec *frontier.Record) error {
	if o.none() || int(rec.ID) > len(o.states) {
		return nil
	}
	job, err := frontier.DecodeJob(rec.Job)
	if err != nil {
		return fmt.Errorf("target %d: %w", rec.ID, err)
	}
	url := spelled(string(job.URL))
	if len(o.plain) > 0 {
		if of, ok := o.plain[xxhash.Sum64String(url)]; ok {
			o.may[of] = true
		}
	}
	if !o.unsettled(rec.ID) {
		return nil
	}
	if of, ok := o.twins[url]; ok {
		o.may[of] = true
	}
	if job.Internal && !job.Verbatim {
		o.guesser.Consider(url, uint32(rec.ID))
		if u, _, err := urinorm.ParseWeb(url); err == nil && len(o.questions) > 0 {
			o.list(&o.guesser, u, o.listed) // as is done if it turns out to be missing
		}
	}
	return nil
}

func (o *outstanding) end() {
	if o == nil {
		return
	}
	for id, q := range o.questions {
		if q.Considered() {
			o.may[id] = true
		}
	}
	o.questions, o.plain = nil, nil
}

// unsettled reports whether it is not known yet what is there, or only from an
// earlier run.
func (o *outstanding) unsettled(id frontier.ID) bool {
	const not = open | recalled
	if o.states[id-1]&not != 0 {
		return true
	}
	if o.states[id-1]&redirects == 0 {
		return false
	}
	way := o.follow(id)
	return way.end != 0 && o.states[way.end-1]&not != 0
}
