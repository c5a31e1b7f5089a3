package verdicts

import (
	"encoding/binary"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/orbweaver/orbweaver/crawler/check"
	"github.com/orbweaver/orbweaver/crawler/internal/frontier"
	"github.com/orbweaver/orbweaver/crawler/internal/judging"
	"github.com/orbweaver/orbweaver/crawler/internal/record"
	"github.com/orbweaver/orbweaver/crawler/internal/stored"
	"github.com/orbweaver/orbweaver/crawler/result"
	"github.com/orbweaver/orbweaver/urinorm"
)

// Recording is what a report has told its sink. [Repeat] tells it once more, for a crawl whose targets,
// references and settings are those of the recorded one. Of some targets, those outside, the two crawls
// may have observed the same in other ways: with more requests, in another time, or in an earlier run.
// What a result says about that is told anew.
type Recording struct {
	// Told are notes and results in the order in which they were told: see the kinds.
	Told []byte
	// Verdicts are those that a caller may wait for (Settings.Watched), by printed URL. The targets of
	// Unknown have none.
	Verdicts map[string]int
	Unknown  []string
	// Lacking are the numbers of targets outside that lack a fragment to which a link leads.
	Lacking []uint32
	// Targets are the targets outside by number, as TargetName names them. There are none if the caller has
	// numbered them.
	Targets []TargetHash
	// Secret is set if Told has a password: references are told as they are written.
	Secret  bool
	Summary result.Summary
}

// The kinds of what is told, each before its bytes:
//
//	note     the message
//	finding  a result that says nothing of targets outside
//	outside  number of targets outside; the number of each; 1 if there are others, or else 0; the
//	         result, with what it says about the others
const (
	toldNote = iota
	toldFinding
	toldOutside
)

// MostRecorded limits the bytes of Recording.Told.
const MostRecorded = 16 << 20

// Recorder makes a Recording. A nil Recorder records nothing.
type Recorder struct {
	outside map[frontier.ID]uint32
	tally   *Tally // nil unless all targets are outside
	got     Recording
	lost    bool // it has become too large
}

// NewRecorder returns a recorder for a crawl, with the numbers of the targets outside.
func NewRecorder(outside map[frontier.ID]uint32) *Recorder {
	return &Recorder{outside: outside, got: Recording{Verdicts: map[string]int{}}}
}

// NewRecorderOfAll returns a recorder for a crawl of which all targets are outside. It numbers those that a
// result is about, and adds every target of the crawl to a tally.
func NewRecorderOfAll(tally *Tally) *Recorder {
	r := NewRecorder(map[frontier.ID]uint32{})
	r.tally = tally
	return r
}

// number returns the number of a target, if it is outside.
func (r *Recorder) number(id frontier.ID, details *detailCache) (n uint32, is bool) {
	if n, is = r.outside[id]; is || r.tally == nil {
		return n, is
	}
	n = uint32(len(r.got.Targets))
	r.outside[id], r.got.Targets = n, append(r.got.Targets, TargetName(frontier.AppendJob(nil, details.get(id).job)))
	return n, true
}

// Recording returns what was recorded, nil if that is too much.
func (r *Recorder) Recording() *Recording {
	if r == nil || r.lost {
		return nil
	}
	return &r.got
}

// tell records bytes of a kind.
func (r *Recorder) tell(kind byte, told []byte) {
	if len(r.got.Told)+len(told) > MostRecorded {
		r.lost, r.got.Told = true, nil
	}
	if !r.lost {
		r.got.Told = record.AppendString(append(r.got.Told, kind), told)
	}
}

func (r *Recorder) note(message string) {
	if r != nil {
		r.tell(toldNote, []byte(message))
	}
}

// finding records a result that is about no pair.
func (r *Recorder) finding(res *result.Result) {
	if r != nil && !r.lost {
		r.look(res)
		r.tell(toldFinding, result.Kept{}.Append(nil, res))
	}
}

// look notes whether a result has a password.
func (r *Recorder) look(res *result.Result) {
	for i := range res.References {
		ref := &res.References[i]
		r.got.Secret = r.got.Secret || hasPassword(ref.Raw) || hasPassword(ref.Text)
	}
	r.got.Secret = r.got.Secret || slices.ContainsFunc(res.Targets, hasPassword)
}

func hasPassword(text string) bool {
	return strings.IndexByte(text, '@') >= 0 && urinorm.Redact(text) != text
}

// pair records the result of a pair.
func (r *Recorder) pair(p *pair, res *result.Result, details *detailCache) {
	if r == nil || r.lost {
		return
	}
	var b []byte
	own, others := *res, false
	own.Attempts, own.Elapsed, own.Cached = 0, 0, false
	for _, id := range p.route.answers() {
		if n, is := r.number(id, details); is {
			b = binary.AppendUvarint(b, uint64(n))
			continue
		}
		o := &details.get(id).outcome
		own.Attempts += o.Requests
		own.Elapsed += o.Elapsed
		others = true
	}
	if len(b) == 0 {
		r.finding(res)
		return
	}
	r.look(res)
	b = record.AppendString(nil, b)
	r.tell(toldOutside, result.Kept{}.Append(record.AppendBool(b, others), &own))
}

// target takes in a target of the crawl.
func (r *Recorder) target(rec *frontier.Record) error {
	if r == nil || r.tally == nil {
		return nil
	}
	return r.tally.Add(rec)
}

// verdict records the verdict on a pair with a printed URL.
func (r *Recorder) verdict(url string, v check.Verdict) {
	if r != nil {
		r.got.Verdicts[url] = int(v)
	}
}

// end records the summary of the report.
func (r *Recorder) end(sum *result.Summary) {
	if r != nil {
		r.got.Summary = *sum
	}
}

// watch records which of the targets that the caller waits for have no verdict.
func (r *Recorder) watch(watched map[string]bool) {
	if r == nil {
		return
	}
	for url := range watched {
		if _, known := r.got.Verdicts[url]; !known {
			r.got.Unknown = append(r.got.Unknown, url)
		}
	}
	slices.Sort(r.got.Unknown)
}

// judged records which of the flagged pairs lack their fragments.
func (r *Recorder) judged(flagged []*pair) {
	if r == nil || r.tally != nil {
		return
	}
	for _, p := range flagged {
		if n, is := r.outside[p.id]; is && p.hasFragment && p.judgement.Verdict != check.OK {
			r.got.Lacking = append(r.got.Lacking, n)
		}
	}
}

// Answers reports whether the recording has the verdicts that a caller waits for.
func (r *Recording) Answers(watched map[string]bool) bool {
	for url := range watched {
		if _, known := r.Verdicts[url]; !known {
			if _, found := slices.BinarySearch(r.Unknown, url); !found {
				return false
			}
		}
	}
	return true
}

var errRecording = errors.New("the recorded report is damaged")

// Repeat tells the sink of a crawl what was recorded. of returns what this run has observed of a target
// outside, by its number, and cached is how many of them an earlier run has observed.
func Repeat(c *Crawl, recorded *Recording, of func(uint32) *judging.Outcome, cached int) (*result.Summary, error) {
	for _, url := range slices.Sorted(maps.Keys(c.Watched)) {
		if v, known := recorded.Verdicts[url]; known && c.Watch != nil {
			*c.Watch = append(*c.Watch, result.Watched{URL: url, Verdict: check.Verdict(v)})
		}
	}
	r := record.NewReader(recorded.Told, "")
	for len(r.Rest) > 0 && !r.Failed {
		kind, told := r.Byte(), r.Bytes()
		if kind == toldNote {
			if err := c.note(string(told)); err != nil {
				return nil, err
			}
			continue
		}
		res, err := recordedResult(kind, told, of)
		if err != nil {
			return nil, err
		}
		if err := c.Sink.Result(res); err != nil {
			return nil, fmt.Errorf("report %s: %w", res.URL, err)
		}
	}
	if r.Failed {
		return nil, errRecording
	}
	sum := recorded.Summary
	sum.Started, sum.Requests, sum.Cached = c.Began, c.Of[stored.Requests], cached
	return &sum, nil
}

// recordedResult returns a result that was recorded.
func recordedResult(kind byte, told []byte, of func(uint32) *judging.Outcome) (*result.Result, error) {
	var outside record.Reader
	others := true
	if kind == toldOutside {
		r := record.NewReader(told, "")
		outside.Rest, others = r.Bytes(), r.Bool()
		if told = r.Rest; r.Failed {
			return nil, errRecording
		}
	}
	res, err := result.Kept{}.Decode(told)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", errRecording, err)
	}
	cached := !others
	for len(outside.Rest) > 0 && !outside.Failed {
		o := of(uint32(outside.Uvarint()))
		if o == nil {
			return nil, errRecording
		}
		res.Attempts += o.Requests
		res.Elapsed += o.Elapsed
		cached = cached && o.Cached
	}
	if kind == toldOutside {
		res.Cached = cached
	}
	return res, nil
}
