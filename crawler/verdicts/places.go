package verdicts

import (
	"fmt"
	"slices"

	"github.com/orbweaver/orbweaver/crawler/check"
	"github.com/orbweaver/orbweaver/crawler/frontier"
	"github.com/orbweaver/orbweaver/crawler/rules"
)

// gather finds the places that refer to the pairs to show.
func (j *join) gather() error {
	wanted := map[pairKey]*pair{}
	targets := make(idBits, (len(j.states)+63)/64)   // of them
	fragments := make(idBits, (len(j.states)+63)/64) // of those with a fragment
	for k, p := range j.byKey {
		if !p.open {
			j.judge.mark(p)
			j.judge.since(p)
		}
		if p.open || j.judge.shown(&p.judgement) && !j.judge.alonePage(&p.judgement) {
			wanted[k] = p
			targets.set(k.id)
			if k.has {
				fragments.set(k.id)
			}
		}
	}
	if len(wanted) == 0 || j.dossiers.err != nil {
		return j.dossiers.err
	}
	var briefs frontier.BriefReader
	var reader pageReader
	var b frontier.Brief
	var bare []bareReference
	err := j.Store.Scan(j.ctx, frontier.AllParts, func(rec *frontier.Record) error {
		if len(rec.Links) == 0 || !slices.ContainsFunc(rec.Found, targets.has) {
			return nil
		}
		if err := briefs.Reset(rec.Links); err != nil {
			return fmt.Errorf("target %d: %w", rec.ID, err)
		}
		reader.begin(rec.Links)
		page := ""
		bare = bare[:0]
		for n := 0; ; n++ {
			if more, err := briefs.Next(&b); err != nil || !more {
				if len(bare) > 0 && err == nil {
					err = j.again.places(rec, page, bare)
				}
				return err
			}
			id := rec.Found[b.Target]
			if !targets.has(id) || b.HasFragment && !fragments.has(id) {
				continue
			}
			p := wanted[pairKey{id, b.HasFragment, b.Hash}]
			if p == nil {
				continue
			}
			l, err := reader.to(n)
			if err != nil {
				return fmt.Errorf("target %d: %w", rec.ID, err)
			}
			if page == "" {
				page = j.page(rec)
			}
			if l.Tag != 0 {
				bare = append(bare, bareReference{pair: p, brief: b, tag: l.Tag})
				continue
			}
			p.refer(&rules.Reference{Page: page, Line: l.Line, Column: l.Column,
				Element: l.Element, Attribute: l.Attribute, Raw: string(l.Raw), Text: string(l.Text)}, b.Mark)
		}
	})
	if err != nil {
		return err
	}
	note, err := j.again.end()
	if err == nil && note != "" {
		err = j.note(note)
	}
	if err != nil {
		return err
	}
	for _, p := range wanted {
		if !p.open {
			j.judge.exempt(p)
		}
	}
	return j.dossiers.err
}

// idBits is a set of targets: of each a bit.
type idBits []uint64

func (b idBits) set(id frontier.ID) { b[(id-1)/64] |= 1 << ((id - 1) % 64) }

func (b idBits) has(id frontier.ID) bool { return b[(id-1)/64]&(1<<((id-1)%64)) != 0 }

// unlike is a reference of a pair with another mark than all of them have together, by
// its place in the pair's references.
type unlike struct {
	at   int
	mark uint64
}

// refer adds a place that refers to a pair.
func (p *pair) refer(at *rules.Reference, mark uint64) {
	if p.marks != mark&^rules.MarkExpect || p.expects != 1<<(mark&rules.MarkExpect) {
		p.unlike = append(p.unlike, unlike{len(p.references), mark})
	}
	p.references = append(p.references, *at)
}

// page prints the page a record stands for, as a place.
func (j *join) page(rec *frontier.Record) string {
	if g, err := check.GlanceAt(rec.Outcome); err == nil && len(g.Path) > 0 {
		return j.Print.Path(string(g.Path))
	}
	job, err := frontier.DecodeJob(rec.Job)
	if err != nil { // load has read it before
		return ""
	}
	return j.Print.Job(&job)
}
