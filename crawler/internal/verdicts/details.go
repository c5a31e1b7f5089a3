package verdicts

import (
	"bytes"
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
	for len(s.order) > 0 && s.isFull(d.size) {
		s.drop(s.order[0])
		s.order = s.order[1:]
	}
	s.add(id, d)
	return d
}

// isFull reports whether there is no room for details of a size.
func (s *detailCache) isFull(size int) bool {
	return len(s.order) >= maxDetails || s.size+size > maxDetailBytes
}

func (s *detailCache) add(id frontier.ID, d *details) {
	if s.byID == nil {
		s.byID = map[frontier.ID]*details{}
	}
	s.byID[id] = d
	s.order = append(s.order, id)
	s.size += d.size
}

// offer caches the details of a target that are probably needed, if there is room: the store need not
// look the target up again.
func (s *detailCache) offer(rec *frontier.Record) error {
	if !rec.Settled || s.targets.streaming || s.isFull(len(rec.Job)+len(rec.Outcome)) {
		return nil
	}
	kept := *rec // which outlives the callback of the store
	kept.Job, kept.Outcome = bytes.Clone(rec.Job), bytes.Clone(rec.Outcome)
	d, err := s.decode(&kept)
	if err == nil {
		s.add(rec.ID, d)
	}
	return err
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
	return s.decode(&rec)
}

// decode returns the details in the record of a target.
func (s *detailCache) decode(rec *frontier.Record) (d *details, err error) {
	outcome := s.targets.outcomeOf(rec)
	d = &details{size: len(rec.Job) + len(outcome)}
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
