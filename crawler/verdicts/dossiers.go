package verdicts

import (
	"fmt"

	"github.com/orbweaver/orbweaver/crawler/check"
	"github.com/orbweaver/orbweaver/crawler/frontier"
	"github.com/orbweaver/orbweaver/urinorm"
)

// dossier is all that is known of one target.
type dossier struct {
	job     frontier.Job
	url     urinorm.URL // zero for what is no URL
	outcome check.Outcome
	anchors check.EncodedAnchors // of the outcome, whose own are not decoded
	reread  bool                 // the names of the anchors were read again
	size    int
}

// dossiers reads targets back from the store and keeps those that were read last. Pairs
// are settled and reported in an order that needs few of them twice, but for the ends of
// many redirects and the pages of many missing fragments.
type dossiers struct {
	targets *targets
	byID    map[frontier.ID]*dossier
	order   []frontier.ID // as they were read
	size    int           // bytes of all
	err     error         // the store's first
}

const (
	maxDossiers     = 512     // kept at once
	maxDossierBytes = 8 << 20 // kept at once, but for the last one
)

// get reads a target. Where the store fails the dossier is empty, and err says why; the
// step that asked ends with it.
func (s *dossiers) get(id frontier.ID) *dossier {
	if d := s.byID[id]; d != nil {
		return d
	}
	d, err := s.read(id)
	if err != nil {
		if s.err == nil {
			s.err = fmt.Errorf("read target %d once more: %w", id, err)
		}
		return &dossier{}
	}
	if s.byID == nil {
		s.byID = map[frontier.ID]*dossier{}
	}
	for len(s.order) > 0 && (len(s.order) >= maxDossiers || s.size+d.size > maxDossierBytes) {
		s.drop(s.order[0])
		s.order = s.order[1:]
	}
	s.byID[id] = d
	s.order = append(s.order, id)
	s.size += d.size
	return d
}

// drop forgets a dossier; its place in the order stays until it comes up.
func (s *dossiers) drop(id frontier.ID) {
	if d := s.byID[id]; d != nil {
		s.size -= d.size
		delete(s.byID, id)
	}
}

func (s *dossiers) read(id frontier.ID) (*dossier, error) {
	rec, err := s.targets.store.Get(s.targets.ctx, id)
	if err != nil {
		return nil, err
	}
	outcome := s.targets.outcomeOf(&rec)
	d := &dossier{size: len(rec.Job) + len(outcome)}
	if d.job, err = frontier.DecodeJob(rec.Job); err != nil {
		return nil, err
	}
	if d.outcome, d.anchors, err = check.DecodeHead(outcome); err != nil {
		return nil, err
	}
	if !d.job.Verbatim {
		d.url, _, _ = urinorm.ParseWeb(string(d.job.URL))
	}
	return d, nil
}
