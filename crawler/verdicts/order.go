package verdicts

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"

	"github.com/orbweaver/orbweaver/crawler/frontier"
)

// urlOrder is the order of pairs by their printed URLs. The results of a site with all their
// references may take gigabytes, so it is not they that are sorted, but these URLs, which are in
// one block of memory without pointers.
type urlOrder struct {
	pairs []*pair
	urls  []byte   // one after the other
	ends  []int    // of the URL of each pair, in urls
	order []uint32 // the indexes of the pairs, in order
}

// scanShare is how many times as many targets there may be as pairs for reading all of them once
// to be faster than looking up those of the pairs one by one.
const scanShare = 8

// orderByURL returns the order of pairs, which it sorts as the store does.
func (r *reporter) orderByURL(pairs []*pair) (*urlOrder, error) {
	slices.SortStableFunc(pairs, byTarget)
	o := &urlOrder{pairs: pairs, ends: make([]int, 0, len(pairs)), order: make([]uint32, len(pairs))}
	add := func(job *frontier.Job) {
		p := pairs[len(o.ends)]
		o.urls = append(o.urls, r.crawl.Print.Place(job, p.fragment, p.hasFragment)...)
		o.ends = append(o.ends, len(o.urls))
	}
	t := r.details.targets
	if len(pairs)*scanShare < len(t.states) {
		for _, p := range pairs {
			add(&r.details.get(p.id).job)
		}
	} else {
		err := t.store.Scan(t.ctx, frontier.PartJob, func(rec *frontier.Record) error {
			if n := len(o.ends); n == len(pairs) || pairs[n].id != rec.ID {
				return nil
			}
			job, err := frontier.DecodeJob(rec.Job)
			if err != nil {
				return fmt.Errorf("target %d: %w", rec.ID, err)
			}
			for n := len(o.ends); n < len(pairs) && pairs[n].id == rec.ID; n++ {
				add(&job)
			}
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	for i := range o.order {
		o.order[i] = uint32(i)
	}
	slices.SortStableFunc(o.order, func(a, b uint32) int {
		if n := bytes.Compare(o.url(a), o.url(b)); n != 0 {
			return n
		}
		return cmp.Compare(pairs[a].judgement.Verdict, pairs[b].judgement.Verdict)
	})
	return o, r.details.err
}

// url returns the printed URL of a pair by its index.
func (o *urlOrder) url(i uint32) []byte {
	from := 0
	if i > 0 {
		from = o.ends[i-1]
	}
	return o.urls[from:o.ends[i]]
}
