package verdicts

import (
	"fmt"

	"github.com/orbweaver/orbweaver/crawler/internal/frontier"
	"github.com/orbweaver/orbweaver/crawler/internal/judging"
	"github.com/orbweaver/orbweaver/urinorm"
)

// details are the contents of a target's record.
type details struct {
	job     frontier.Job
	url     urinorm.URL // zero if the job has no valid URL
	outcome judging.Outcome
	anchors judging.EncodedAnchors // of the outcome, whose own are not decoded
	reread  bool                   // the names of the anchors were read again
	size    int
}

// detailCache reads targets from the store and caches the details of recently used ones.
// Pairs are judged and reported in an order that rarely needs a target twice, apart from
// the final targets of many redirects and pages with many missing fragments.
type detailCache struct {
	targets *targets
	byID    map[frontier.ID]*details
	order   []frontier.ID // in the order they were read
	size    int           // bytes of all
	err     error         // the first error of the store
}

const (
	maxDetails     = 2048    // kept at once
	maxDetailBytes = 4 << 20 // kept at once, apart from the last one
)

// get returns the details of a target. If the store fails, the details are empty and err is
// set; each step of the join returns it at its end.
func (s *detailCache) get(id frontier.ID) *details {
	if d := s.byID[id]; d != nil {
		return d
	}
	d, err := s.read(id)
	if err != nil {
		if s.err == nil {
			s.err = fmt.Errorf("read target %d again: %w", id, err)
		}
		return &details{}
	}
	if s.byID == nil {
		s.byID = map[frontier.ID]*details{}
	}
	for len(s.order) > 0 && (len(s.order) >= maxDetails || s.size+d.size > maxDetailBytes) {
		s.drop(s.order[0])
		s.order = s.order[1:]
	}
	s.byID[id] = d
	s.order = append(s.order, id)
	s.size += d.size
	return d
}

// drop removes a target from the cache. Its entry in the order stays.
func (s *detailCache) drop(id frontier.ID) {
	if d := s.byID[id]; d != nil {
		s.size -= d.size
		delete(s.byID, id)
	}
}

func (s *detailCache) read(id frontier.ID) (*details, error) {
	rec, err := s.targets.store.Get(s.targets.ctx, id, frontier.PartJob|frontier.PartOutcome)
	if err != nil {
		return nil, err
	}
	if !rec.Settled {
		s.targets.states[id-1] |= pending // its content is wanted since, for a redirect that was not reported yet
	}
	outcome := s.targets.outcomeOf(&rec)
	d := &details{size: len(rec.Job) + len(outcome)}
	if d.job, err = frontier.DecodeJob(rec.Job); err != nil {
		return nil, err
	}
	if d.outcome, d.anchors, err = judging.DecodeHead(outcome); err != nil {
		return nil, err
	}
	if !d.job.Verbatim {
		d.url, _, _ = urinorm.ParseWeb(string(d.job.URL))
	}
	return d, nil
}
