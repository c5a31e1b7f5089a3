package references

import (
	"github.com/orbweaver/orbweaver/crawler/check"
	"github.com/orbweaver/orbweaver/crawler/frontier"
	"github.com/orbweaver/orbweaver/crawler/rules"
)

// items are the targets a page refers to, each once.
type items struct {
	list  []frontier.Item
	index pageIndex
	ids   knownIDs
	jobs  []byte // of the items, and in them their hosts; before it was full, they lay in others
	// shown says of each item which references to it are expected to be shown, where
	// there is a forecast.
	shown    []shownAs
	forecast *Forecast // nil unless the page at hand may have bare links
}

func (it *items) reset() {
	it.list, it.shown, it.jobs, it.forecast = it.list[:0], it.shown[:0], it.jobs[:0], nil
	it.index.reset()
}

// find returns the index of the item with a fingerprint.
func (it *items) find(fp frontier.Fingerprint) (at int, there bool) {
	i, there := it.index.find(it.list, fp)
	return int(i), there
}

// merge adds what one more link wants of an item. A link that leaves its target alone
// does not care when it is visited, and says why it is left alone if all that came
// before it did no more than name it.
func (it *items) merge(at int, fate rules.Fate) {
	item := &it.list[at]
	overrules := fate.Need&^item.Need&frontier.NeedLinked != 0
	item.Need |= fate.Need
	switch {
	case fate.Outcome == nil:
		item.Wave, item.Outcome = min(item.Wave, fate.Wave), nil
	case overrules && item.Outcome != nil:
		item.Outcome = storedOutcome(fate.Outcome)
	}
}

// enter adds an item and returns its index. v is the URL whose document the job names; it
// has the host, if there is one.
func (it *items) enter(fp frontier.Fingerprint, v rules.Href, j frontier.Job, fate rules.Fate) int {
	id := frontier.ID(0)
	if fate.Outcome == nil {
		id = it.ids.find(fp)
	}
	at := it.add(fp, id, &fate)
	if id == 0 {
		it.keepJob(&it.list[at], v, j)
	}
	return at
}

// add adds an item without host and job and returns its index.
func (it *items) add(fp frontier.Fingerprint, id frontier.ID, fate *rules.Fate) int {
	at := len(it.list)
	it.list = append(it.list, frontier.Item{})
	item := &it.list[at]
	item.ID, item.Fingerprint, item.Wave, item.Need = id, fp, fate.Wave, fate.Need
	it.index.put(it.list)
	if fate.Outcome != nil {
		item.Wave, item.Outcome = frontier.Leaves, storedOutcome(fate.Outcome)
	}
	if it.forecast != nil {
		it.shown = append(it.shown, it.forecast.shownAs(id, fate))
	}
	return at
}

// keepJob keeps an item's job, and its host as a part of that. What is kept does not
// move: when the memory is full, the rest goes elsewhere, where the next page begins.
func (it *items) keepJob(item *frontier.Item, v rules.Href, j frontier.Job) {
	if need := frontier.MaxJobHead + len(j.URL); cap(it.jobs)-len(it.jobs) < need {
		it.jobs = make([]byte, 0, max(need, leastJobs, min(2*cap(it.jobs), mostJobs)))
	}
	start := len(it.jobs)
	it.jobs = frontier.AppendJob(it.jobs, j)
	item.Job = it.jobs[start:len(it.jobs):len(it.jobs)]
	if url := item.Job[len(item.Job)-len(j.URL):]; len(v.Bytes) > 0 {
		item.Host = url[v.Offsets.HostStart:v.AuthorityEnd()]
	}
}

// Bytes that are taken at once for jobs.
const (
	leastJobs = 4 << 10
	mostJobs  = 1 << 20
)

// learn takes in the IDs that the store gave to the items. Of a target that is left
// alone the host is not known: should it be wanted later, it is entered in full.
func (it *items) learn(ids []frontier.ID) {
	for i := range ids {
		if item := &it.list[i]; item.ID == 0 && item.Outcome == nil {
			it.ids.put(item.Fingerprint, ids[i])
		}
	}
}

// storedOutcome is the stored form of the outcome of a target that is left alone.
func storedOutcome(o *check.Outcome) []byte {
	if o == rules.LeftOut {
		return rules.LeftOutBytes
	}
	return check.AppendOutcome(nil, o)
}
