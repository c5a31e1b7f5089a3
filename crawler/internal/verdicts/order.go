package verdicts

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/orbweaver/orbweaver/crawler/internal/frontier"
	"github.com/orbweaver/orbweaver/crawler/internal/scope"
)

// urlOrder is the order of pairs by their printed URLs. The results of a site with all their
// references may take gigabytes, so it is not they that are sorted, but these URLs. Most pairs
// share the URL of their target with others and add their fragment to it.
type urlOrder struct {
	pairs   []*pair
	targets []string          // the printed URLs of the pairs' targets
	target  []uint32          // of each pair
	whole   map[uint32]string // the printed URLs of pairs that do not begin with that of the target
	order   []uint32          // the indexes of the pairs, in order
}

// scanShare is how many times as many targets there may be as pairs for reading all of them once
// to be faster than looking up those of the pairs one by one. Few pairs were judged just before, and
// their details are still known.
const scanShare = 8

// orderByURL returns the order of pairs, which it sorts as the store does, and numbers the pairs
// in this order.
func (j *join) orderByURL(pairs []*pair) (*urlOrder, error) {
	slices.SortStableFunc(pairs, byTarget)
	o := &urlOrder{pairs: pairs, target: make([]uint32, 0, len(pairs)), whole: map[uint32]string{}, order: make([]uint32, len(pairs))}
	t := j.targets()
	if len(pairs) <= maxDetails || len(pairs)*scanShare < len(t.states) {
		for n, p := range pairs {
			if n == 0 || pairs[n-1].id != p.id {
				o.addTarget(j.crawl.Print, &j.details.get(p.id).job)
			}
		}
	} else {
		err := t.store.Scan(t.ctx, frontier.PartJob, func(rec *frontier.Record) error {
			if n := len(o.target); n == len(pairs) || pairs[n].id != rec.ID {
				return nil
			}
			job, err := frontier.DecodeJob(rec.Job)
			if err != nil {
				return fmt.Errorf("target %d: %w", rec.ID, err)
			}
			o.addTarget(j.crawl.Print, &job)
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	for i := range o.order {
		o.order[i] = uint32(i)
	}
	slices.SortStableFunc(o.order, o.compare)
	for n, i := range o.order {
		pairs[i].index = uint32(n)
	}
	return o, j.details.err
}

// addTarget adds the pairs of the next target.
func (o *urlOrder) addTarget(print *scope.Printer, job *frontier.Job) {
	url := print.Job(job)
	o.targets = append(o.targets, url)
	const sample = "x"
	adds := print.Place(job, sample, true) == url+"#"+sample
	id := o.pairs[len(o.target)].id
	for len(o.target) < len(o.pairs) && o.pairs[len(o.target)].id == id {
		n := uint32(len(o.target))
		o.target = append(o.target, uint32(len(o.targets)-1))
		p := o.pairs[n]
		if !p.hasFragment || adds && !strings.ContainsFunc(p.fragment, mayChange) {
			continue
		}
		if url := print.Place(job, p.fragment, true); url != o.url(n) {
			o.whole[n] = url
		}
	}
}

// mayChange reports whether a character may be printed in another way. RFC 3986 2.3 has those
// that never are.
func mayChange(c rune) bool {
	return !('a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' || c == '-' || c == '.' || c == '_' || c == '~')
}

// compare orders pairs by their printed URLs, and by their verdicts where these are equal.
func (o *urlOrder) compare(a, b uint32) int {
	return cmp.Or(o.compareURLs(a, b), cmp.Compare(o.pairs[a].judgement.Verdict, o.pairs[b].judgement.Verdict))
}

// compareURLs compares printed URLs without making them, if it can.
func (o *urlOrder) compareURLs(a, b uint32) int {
	s, t := o.targets[o.target[a]], o.targets[o.target[b]]
	p, q := o.pairs[a], o.pairs[b]
	switch {
	case len(o.whole) > 0 && (o.whole[a] != "" || o.whole[b] != ""):
	case s == t && p.hasFragment && q.hasFragment:
		return strings.Compare(p.fragment, q.fragment)
	case !strings.HasPrefix(s, t) && !strings.HasPrefix(t, s):
		return strings.Compare(s, t)
	}
	return strings.Compare(o.url(a), o.url(b))
}

// url returns the printed URL of a pair by its index.
func (o *urlOrder) url(i uint32) string {
	if url, ok := o.whole[i]; ok {
		return url
	}
	url := o.targets[o.target[i]]
	if p := o.pairs[i]; p.hasFragment {
		return url + "#" + p.fragment
	}
	return url
}
