package references

import (
	"github.com/orbweaver/orbweaver/crawler/internal/frontier"
	"github.com/orbweaver/orbweaver/crawler/internal/judging"
	"github.com/orbweaver/orbweaver/crawler/internal/scope"
	"github.com/orbweaver/orbweaver/urinorm"
)

// items are the distinct targets of a page.
type items struct {
	frontier *frontier.Frontier
	depth    int // of the targets
	list     []frontier.Item
	index    itemIndex
	ids      knownIDs
	key      []byte // memory for the key of a URL
	jobs     []byte // the encoded jobs and, within them, the hosts; earlier jobs may lie in other slices
	keeps    bool   // every item needs its job (Env.Keeps)
	// shown holds, for each item, which references to it are expected to be shown, if
	// there is a forecast.
	shown    []shownAs
	forecast *Forecast // nil unless the links of the document may be bare
}

func (it *items) reset(env *Env, depth int) {
	it.frontier, it.keeps, it.depth = env.Frontier, env.Keeps, depth
	it.list, it.shown, it.jobs, it.key, it.forecast = it.list[:0], it.shown[:0], it.jobs[:0], it.key[:0], nil
	it.index.reset()
}

func (it *items) fingerprint(v scope.Href) frontier.Fingerprint {
	it.key = urinorm.AppendKey(it.key[:0], v.Bytes, v.Offsets)
	return it.frontier.Fingerprint(it.key)
}

// find returns the index of the item with a fingerprint.
func (it *items) find(fp frontier.Fingerprint) (at int, found bool) {
	i, found := it.index.find(it.list, fp)
	return int(i), found
}

// shownAs returns which references to an item are expected to be shown.
func (it *items) shownAs(at int) shownAs {
	if it.forecast == nil {
		return notShown
	}
	return it.shown[at]
}

// merge adds the needs of one more link to an item. A link that does not request its
// target has no say about when it is visited. Its reason replaces an earlier one only if
// all links so far were set aside. A link that signs out or deletes has the last word.
func (it *items) merge(at int, fate scope.Fate) {
	item := &it.list[at]
	overrules := fate.Need&^item.Need&frontier.NeedLinked != 0
	item.Need |= fate.Need
	switch {
	case item.Need&frontier.NeedLeft != 0 && item.Outcome != nil && fate.Outcome == nil:
	case fate.Outcome == nil:
		item.Wave, item.Outcome = min(item.Wave, fate.Wave), nil
	case overrules && item.Outcome != nil:
		item.Outcome = storedOutcome(fate.Outcome)
	}
}

// enterURL adds the target of a link as an item and returns its index.
func (it *items) enterURL(fp frontier.Fingerprint, v scope.Href, fate scope.Fate) int {
	return it.enter(fp, v, frontier.Job{URL: v.Document(), Internal: fate.Internal, Depth: it.depth}, fate)
}

// noReference is the kind of references that do not resolve to a URL that can be requested.
const noReference = "not a reference:"

// enterVerbatim enters source text as a target that has no URL. The kind tells apart targets with the
// same text.
func (it *items) enterVerbatim(kind, raw string, fate scope.Fate) int {
	it.key = append(append(it.key[:0], kind...), raw...)
	return it.enterKey(scope.Href{}, frontier.Job{URL: []byte(scope.Shorten(raw)), Verbatim: true}, fate)
}

// enterKey enters the target whose key is it.key and returns its index.
func (it *items) enterKey(v scope.Href, j frontier.Job, fate scope.Fate) int {
	fp := it.frontier.Fingerprint(it.key)
	if at, ok := it.find(fp); ok {
		it.merge(at, fate)
		return at
	}
	return it.enter(fp, v, j, fate)
}

// enter adds an item and returns its index. The job names the document of the URL v, from
// which the host is taken, if there is one.
func (it *items) enter(fp frontier.Fingerprint, v scope.Href, j frontier.Job, fate scope.Fate) int {
	id := frontier.ID(0)
	if fate.Outcome == nil {
		id = it.ids.find(fp)
	}
	at := it.add(fp, id, &fate)
	if len(j.URL) > scope.MaxReference { // a data URL, which is not requested
		v, j.URL, j.Verbatim = scope.Href{}, []byte(scope.Shorten(string(j.URL))), true
	}
	if id == 0 || it.keeps {
		it.keepJob(&it.list[at], v, j)
	}
	return at
}

// add adds an item without host and job and returns its index.
func (it *items) add(fp frontier.Fingerprint, id frontier.ID, fate *scope.Fate) int {
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

// keepJob stores an item's job, and its host as a part of the job. Stored jobs do not
// move: when the slice is full, a new one is allocated, which the next page begins with.
func (it *items) keepJob(item *frontier.Item, v scope.Href, j frontier.Job) {
	it.makeRoom(len(j.URL))
	start := len(it.jobs)
	it.jobs = frontier.AppendJob(it.jobs, j)
	item.Job = it.jobs[start:len(it.jobs):len(it.jobs)]
	if url := item.Job[len(item.Job)-len(j.URL):]; len(v.Bytes) > 0 {
		item.Host = url[v.Offsets.HostStart:v.AuthorityEnd()]
	}
}

// makeRoom makes room for a job with a URL of a length.
func (it *items) makeRoom(url int) {
	if need := frontier.MaxJobHead + url; cap(it.jobs)-len(it.jobs) < need {
		it.jobs = make([]byte, 0, max(need, minJobBytes, min(2*cap(it.jobs), maxJobBytes)))
	}
}

// Sizes of the slices that are allocated for jobs, in bytes.
const (
	minJobBytes = 4 << 10
	maxJobBytes = 1 << 20
)

// wantAnchor requests the content of an item if a fragment on it can only be judged by
// the content.
func (it *items) wantAnchor(item int, fragment []byte) {
	if WantsAnchors(fragment) {
		it.list[item].Need |= frontier.NeedContent
	}
}

// WantsAnchors reports whether a fragment can only be judged by the content of its page.
func WantsAnchors[T string | []byte](fragment T) bool {
	const directive = ":~:"
	return len(fragment) > 0 && fragment[0] != '/' && fragment[0] != '!' &&
		(len(fragment) < len(directive) || string(fragment[:len(directive)]) != directive)
}

// storedOutcome returns the encoded outcome of a target that is not requested.
func storedOutcome(o *judging.Outcome) []byte {
	if o == scope.LeftOut {
		return scope.LeftOutBytes
	}
	return judging.AppendOutcome(nil, o)
}
