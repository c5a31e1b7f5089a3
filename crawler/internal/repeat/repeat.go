// Package repeat lets a run in which nothing has changed give the report of the run before once more, so
// that no reference is judged again.
//
// In directories, what was observed of the files then is true now, and no file is opened. Targets on other
// sites are requested as ever; if an answer differs from that of the run before, the run goes on as any
// other.
//
//	run before   SurveyOf(store) ─► targets outside, numbered
//	             report          ─► Kept{Basis, Outside, …, Recording}, in the state or the cache
//	this run     Basis is equal  ─► Enter(Outside), visit them: each outcome is AsBefore
//	             SurveyOf(store) ─► Outside is equal ─► verdicts.Repeat
//
// Websites are crawled as ever, and all that was observed is compared at the end.
//
//	run before   report ─► Tally of all targets, Kept{Basis, Observed, Recording}
//	this run     crawl  ─► Tally of all targets ─► Basis and Observed are equal ─► verdicts.Repeat
//
// The basis of a report is everything else that it depends on: the settings, the start targets, and the
// version of each directory (disk.TreeVersion).
package repeat

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"github.com/klauspost/compress/s2"

	"github.com/orbweaver/orbweaver/crawler/check"
	"github.com/orbweaver/orbweaver/crawler/fetch/disk"
	"github.com/orbweaver/orbweaver/crawler/internal/frontier"
	"github.com/orbweaver/orbweaver/crawler/internal/judging"
	"github.com/orbweaver/orbweaver/crawler/internal/recall"
	"github.com/orbweaver/orbweaver/crawler/internal/record"
	"github.com/orbweaver/orbweaver/crawler/internal/scope"
	"github.com/orbweaver/orbweaver/crawler/internal/stored"
	"github.com/orbweaver/orbweaver/crawler/internal/verdicts"
	"github.com/orbweaver/orbweaver/urinorm"
)

// Kept is a report, with what a later run must know to give it again.
type Kept struct {
	Basis     []byte
	Observed  []byte   // identifies all that was observed; nil for a run over directories
	Outside   []Target // sorted by URL; their places are their numbers
	Counts    [stored.NumCounters]int
	Matched   []string // names of the rules and exclusions that matched something
	Recording *verdicts.Recording
}

// Target is a target outside: it is in no directory that is checked, and is requested.
type Target struct {
	Job  []byte
	Wave frontier.Wave
	Need frontier.Need
	// Observed identifies what was observed of it, whenever and with how many requests.
	Observed [16]byte
	// Hop is set if another target outside redirects to it. It is entered again when that is visited: if
	// it does not redirect any more, nothing else may lead there.
	Hop bool
}

// isLike reports whether another run has found the same target, and observed the same.
func (t *Target) isLike(o *Target) bool {
	flags, _, _, url := frontier.SplitJob(t.Job)
	f, _, _, u := frontier.SplitJob(o.Job)
	return flags == f && bytes.Equal(url, u) && t.Need == o.Need && t.Observed == o.Observed
}

// observed identifies an encoded outcome.
func observed(o []byte) (sum [16]byte, err error) {
	b, err := judging.AppendObserved(nil, o)
	all := sha256.Sum256(b)
	return [16]byte(all[:16]), err
}

// isObserved reports whether an outcome is the identified one.
func isObserved(o *judging.Outcome, sum [16]byte) bool {
	is, err := observed(judging.AppendOutcome(nil, o))
	return err == nil && is == sum
}

// mostKept limits the bytes of a report that is kept.
const mostKept = 8 << 20

// Encode returns the stored form of a report, nil if it is too large.
func (k *Kept) Encode() []byte {
	told := s2.Encode(nil, k.Recording.Told)
	own, recording := *k, *k.Recording
	recording.Told, own.Recording = nil, &recording
	head, err := json.Marshal(&own)
	if err != nil || len(head)+len(told) > mostKept {
		return nil
	}
	return append(record.AppendString(make([]byte, 0, len(head)+len(told)+binary.MaxVarintLen64), head), told...)
}

// Decode reads what Encode has returned. It returns nil if that is damaged, or is from another version.
func Decode(b []byte) *Kept {
	r := record.Reader{Rest: b}
	k := &Kept{}
	if head := r.Bytes(); r.Failed || json.Unmarshal(head, k) != nil || k.Recording == nil {
		return nil
	}
	if n, err := s2.DecodedLen(r.Rest); err != nil || n > verdicts.MostRecorded {
		return nil
	}
	var err error
	if k.Recording.Told, err = s2.Decode(nil, r.Rest); err != nil {
		return nil
	}
	return k
}

// mostNames returns how many names a directory may have for its version to cost little, compared with
// the pages in it.
func mostNames(pages int) int { return 10_000 + 4*pages }

// Basis returns what identifies everything that a report of some start targets depends on, apart from
// what is observed of targets, or of those outside; nil if there is no such thing. settings are all settings that
// decide about reports, as text.
func Basis(in *scope.Scope, settings string, seeds []scope.Seed) []byte {
	if len(seeds) == 0 {
		return nil
	}
	sum := sha256.New()
	fmt.Fprintf(sum, "%s\x00%s\x00%v\x00", in.Decides(), settings, time.Local)
	for i := range seeds {
		s := &seeds[i]
		if len(in.Sites) > 0 && in.Sites.Of(s.URL) == nil || len(in.Sites) == 0 && !scope.HrefOf(s.URL).IsHTTP() {
			return nil
		}
		fmt.Fprintf(sum, "%s\x00%s\x00%t %t %t\x00", s.URL, s.Raw, s.Follow, s.Crawl, s.Named)
	}
	for _, site := range in.Sites {
		version, ok := disk.TreeVersion(site, mostNames(len(seeds)))
		if !ok {
			return nil
		}
		fmt.Fprintf(sum, "%x\x00%q\x00%q\x00", version, site.Files, site.LinksOut)
	}
	return sum.Sum(nil)
}

// Survey is what a store knows of the targets outside.
type Survey struct {
	Outside  []Target // sorted by URL
	Numbers  map[frontier.ID]uint32
	Outcomes []judging.Outcome // by number
	// Alone is set if what was observed of the other targets does not depend on these.
	Alone bool
}

// Outcome returns the outcome of a target by its number, nil if there is none.
func (s *Survey) Outcome(n uint32) *judging.Outcome {
	if int64(n) >= int64(len(s.Outcomes)) {
		return nil
	}
	return &s.Outcomes[n]
}

// surveyed is a target outside.
type surveyed struct {
	Target
	id      frontier.ID
	url     []byte
	outcome judging.Outcome
}

// alone are the needs of targets outside that the others do not depend on.
const alone = frontier.NeedContent | frontier.NeedLinked

// SurveyOf surveys a store, in which all targets must be settled.
func SurveyOf(ctx context.Context, f *frontier.Frontier, in *scope.Scope) (*Survey, error) {
	var all []surveyed
	fit := true
	err := f.Store().Scan(ctx, frontier.PartJob|frontier.PartOutcome, func(rec *frontier.Record) error {
		fit = fit && rec.Settled
		job, err := frontier.DecodeJob(rec.Job)
		if err != nil || job.Verbatim || !rec.Settled {
			return err
		}
		u, _, err := urinorm.ParseWeb(string(job.URL))
		if err != nil || in.Sites.Of(u) != nil {
			return nil
		}
		o, err := judging.DecodeOutcome(rec.Outcome)
		if err != nil || rec.Entered && !o.Cached { // no request is sent for it
			return err
		}
		sum, err := observed(rec.Outcome)
		if err != nil {
			return err
		}
		fit = fit && rec.Need&^alone == 0
		b := bytes.Clone(rec.Job)
		_, _, _, url := frontier.SplitJob(b)
		all = append(all, surveyed{Target: Target{Job: b, Wave: rec.Wave, Need: rec.Need, Observed: sum}, id: rec.ID, url: url, outcome: o})
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("survey the targets on other sites: %w", err)
	}
	slices.SortFunc(all, func(a, b surveyed) int { return cmp.Or(bytes.Compare(a.url, b.url), bytes.Compare(a.Job, b.Job)) })
	s := &Survey{Numbers: make(map[frontier.ID]uint32, len(all)), Alone: fit && hopsAlone(all, f, in)}
	for i := range all {
		s.Numbers[all[i].id] = uint32(i)
		s.Outside, s.Outcomes = append(s.Outside, all[i].Target), append(s.Outcomes, all[i].outcome)
	}
	return s, nil
}

// hopsAlone marks the targets that others redirect to. It reports whether these are all outside, and need
// no content: that may be needed because of the redirect, or because of a reference.
func hopsAlone(all []surveyed, f *frontier.Frontier, in *scope.Scope) bool {
	hops := map[frontier.Fingerprint]bool{}
	for i := range all {
		next, _, err := urinorm.ParseWeb(all[i].outcome.Next)
		if err != nil {
			continue
		}
		if in.Sites.Of(next) != nil {
			return false
		}
		hops[f.FingerprintKey(urinorm.KeyOf(next))] = true
	}
	if len(hops) == 0 {
		return true
	}
	for i := range all {
		t := &all[i]
		u, _, err := urinorm.ParseWeb(string(t.url))
		t.Hop = err == nil && hops[f.FingerprintKey(urinorm.KeyOf(u))]
		if t.Hop && t.Need&frontier.NeedContent != 0 {
			return false
		}
	}
	return true
}

// IsLike reports whether another run has found the same targets outside, and observed the same.
func (s *Survey) IsLike(k *Kept) bool {
	return s.Alone && slices.EqualFunc(s.Outside, k.Outside, func(a, b Target) bool { return a.isLike(&b) })
}

// atOnce is the number of targets that are entered in one step.
const atOnce = 512

// Repetition is a run that visits the targets outside, and is to give a report once more.
type Repetition struct {
	*Kept
	frontier *frontier.Frontier
	items    []frontier.Item // the targets outside
	expected map[frontier.Fingerprint][16]byte
}

// Repeat returns a run that is to give the report once more. An observation of an earlier run may replace
// the request for a target, as if a page referred to it; Repeat returns nil if one is not that of the run
// before.
func (k *Kept) Repeat(f *frontier.Frontier, memory *recall.Memory, in *scope.Scope) (*Repetition, error) {
	lacking := map[uint32]bool{}
	for _, n := range k.Recording.Lacking {
		lacking[n] = true
	}
	again := &Repetition{Kept: k, frontier: f, expected: make(map[frontier.Fingerprint][16]byte, len(k.Outside))}
	for n := range k.Outside {
		t := &k.Outside[n]
		it, stands, err := t.item(f, memory, in, lacking[uint32(n)])
		if err != nil {
			return nil, err
		}
		again.expected[it.Fingerprint] = t.Observed
		if stands != nil && !isObserved(stands, t.Observed) {
			return nil, nil
		}
		if !t.Hop {
			again.items = append(again.items, it)
		}
	}
	return again, nil
}

// Enter enters the targets outside, as pages did in the run before.
func (r *Repetition) Enter(ctx context.Context) error {
	for some := range slices.Chunk(r.items, atOnce) {
		if _, err := r.frontier.Refer(ctx, some); err != nil {
			return err
		}
	}
	r.items = nil
	return nil
}

// AsBefore reports whether the outcome of a target is that of the run before.
func (r *Repetition) AsBefore(u urinorm.URL, o *judging.Outcome) bool {
	if u.IsZero() {
		return false
	}
	was, known := r.expected[r.frontier.FingerprintKey(urinorm.KeyOf(u))]
	return known && isObserved(o, was)
}

// item returns the item that enters a target, and the outcome that stands for it, if there is one. lacks
// is set if it lacks a fragment.
func (t *Target) item(f *frontier.Frontier, memory *recall.Memory, in *scope.Scope, lacks bool) (it frontier.Item, stands *judging.Outcome, err error) {
	job, err := frontier.DecodeJob(t.Job)
	if err != nil {
		return it, nil, err
	}
	u, _, err := urinorm.ParseWeb(string(job.URL))
	if err != nil {
		return it, nil, fmt.Errorf("enter a target of the run before: %w: %w", check.ErrMalformed, err)
	}
	it = frontier.Item{Fingerprint: f.FingerprintKey(urinorm.KeyOf(u)), Host: []byte(u.Authority()), Wave: t.Wave, Need: t.Need, Job: t.Job}
	if !memory.Any() || job.Internal || t.Hop || lacks && t.Need&frontier.NeedContent != 0 {
		return it, nil, nil
	}
	fate := scope.Fate{Wave: t.Wave, Need: t.Need | frontier.EarlierNeed(t.Job[0]), Internal: job.Internal}
	if stands = memory.StandsFor(it.Fingerprint, scope.HrefOf(u), fate, nil, in); stands != nil {
		it.Outcome = judging.AppendOutcome(nil, stands)
	}
	return it, stands, nil
}
