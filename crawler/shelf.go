package crawler

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

// dossierShelf holds the dossiers that were read back from the store last. Pairs are
// settled and told in an order that needs few of them twice, but for the ends of
// many redirects and the pages of many missing fragments.
type dossierShelf struct {
	dossiers map[frontier.ID]*dossier
	order    []frontier.ID // as they were put there
	size     int           // bytes of all
	err      error         // the store's first
}

const (
	shelved     = 512     // dossiers at most
	shelvedSize = 8 << 20 // bytes at most, but for the last one
)

// dossier reads a target. Where the store fails it is empty, and shelf.err says
// why; the step that asked ends with it.
func (j *join) dossier(id frontier.ID) *dossier {
	s := &j.shelf
	if d := s.dossiers[id]; d != nil {
		return d
	}
	d, err := j.readDossier(id)
	if err != nil {
		if s.err == nil {
			s.err = fmt.Errorf("read target %d once more: %w", id, err)
		}
		return &dossier{}
	}
	if s.dossiers == nil {
		s.dossiers = map[frontier.ID]*dossier{}
	}
	for len(s.order) > 0 && (len(s.order) >= shelved || s.size+d.size > shelvedSize) {
		s.drop(s.order[0])
		s.order = s.order[1:]
	}
	s.dossiers[id] = d
	s.order = append(s.order, id)
	s.size += d.size
	return d
}

// drop takes a dossier off the shelf; its place in the order stays until it comes up.
func (s *dossierShelf) drop(id frontier.ID) {
	if d := s.dossiers[id]; d != nil {
		s.size -= d.size
		delete(s.dossiers, id)
	}
}

func (j *join) readDossier(id frontier.ID) (*dossier, error) {
	rec, err := j.r.frontier.Store().Get(j.r.always, id)
	if err != nil {
		return nil, err
	}
	outcome := j.outcomeOf(&rec)
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
