package verdicts

import (
	"reflect"
	"testing"
	"time"

	"github.com/orbweaver/orbweaver/crawler/check"
	"github.com/orbweaver/orbweaver/crawler/internal/frontier"
	"github.com/orbweaver/orbweaver/crawler/internal/judging"
	"github.com/orbweaver/orbweaver/crawler/internal/record"
	"github.com/orbweaver/orbweaver/crawler/internal/stored"
	"github.com/orbweaver/orbweaver/crawler/result"
)

// told is a sink that keeps what it is told.
type told struct {
	result.Func
	results []result.Result
	notes   []string
}

func (s *told) Result(r *result.Result) error { s.results = append(s.results, *r); return nil }
func (s *told) Note(n result.Note) error      { s.notes = append(s.notes, n.Message); return nil }

// What a result says of targets outside is what this run has observed of them; of others, it is what was
// recorded.
func TestRepeat(t *testing.T) {
	outcome := func(requests int, elapsed time.Duration, cached bool) *details {
		return &details{outcome: judging.Outcome{Requests: requests, Elapsed: elapsed, Cached: cached}}
	}
	cache := &detailCache{byID: map[frontier.ID]*details{1: outcome(1, 10, false), 2: outcome(2, 20, false), 3: outcome(3, 30, false)}}
	r := NewRecorder(map[frontier.ID]uint32{2: 0, 3: 1})
	of := func(hops []frontier.ID, end frontier.ID, v check.Verdict) *pair {
		return &pair{id: end, route: &route{hops: hops, end: end}, decision: &decision{judgement: judging.Judgement{Verdict: v}}}
	}
	base := result.Result{Redirects: []result.Hop{}, Suggestions: []check.Suggestion{}, Size: -1}
	for _, recorded := range []struct {
		url  string
		pair *pair
	}{{"inside", of(nil, 1, check.Broken)}, {"outside", of(nil, 2, check.Broken)}, {"both", of([]frontier.ID{1}, 3, check.Broken)}, {"two", of([]frontier.ID{2}, 3, check.Broken)}} {
		res := base
		res.URL = recorded.url
		for _, id := range recorded.pair.route.answers() {
			o := &cache.get(id).outcome
			res.Attempts, res.Elapsed = res.Attempts+o.Requests, res.Elapsed+o.Elapsed
		}
		r.pair(recorded.pair, &res, cache)
	}
	r.note("a note")
	r.verdict("outside", check.Broken)
	r.watch(map[string]bool{"outside": true, "gone": true})
	r.end(&result.Summary{Pages: 4, Cached: 9, Requests: 7})
	sink := &told{}
	var watched []result.Watched
	c := &Crawl{Sink: sink, Sums: stored.Sums{Of: [stored.NumCounters]int{stored.Requests: 30}}, Settings: Settings{Watched: map[string]bool{"outside": true, "gone": true}, Watch: &watched}}
	now := []judging.Outcome{{Requests: 0, Elapsed: 0, Cached: true}, {Requests: 8, Elapsed: 80}}
	if !r.Recording().Answers(c.Watched) || r.Recording().Answers(map[string]bool{"other": true}) {
		t.Error("the recording does not tell which verdicts it has")
	}
	sum, err := Repeat(c, r.Recording(), func(n uint32) *judging.Outcome { return &now[n] }, 1)
	if err != nil {
		t.Fatal(err)
	}
	want := []result.Result{base, base, base, base}
	for i, w := range []struct {
		url      string
		attempts int
		elapsed  time.Duration
		cached   bool
	}{{"inside", 1, 10, false}, {"outside", 0, 0, true}, {"both", 9, 90, false}, {"two", 8, 80, false}} {
		want[i].URL, want[i].Attempts, want[i].Elapsed, want[i].Cached = w.url, w.attempts, w.elapsed, w.cached
	}
	if !reflect.DeepEqual(sink.results, want) {
		t.Errorf("results:\n%+v\nwant\n%+v", sink.results, want)
	}
	if !reflect.DeepEqual(sink.notes, []string{"a note"}) || !reflect.DeepEqual(watched, []result.Watched{{URL: "outside", Verdict: check.Broken}}) {
		t.Errorf("notes %q, verdicts %v", sink.notes, watched)
	}
	if sum.Pages != 4 || sum.Cached != 1 || sum.Requests != 30 {
		t.Errorf("summary %+v", sum)
	}
}

// FuzzRepeat tests that damage to a recording is an error.
func FuzzRepeat(f *testing.F) {
	r := NewRecorder(map[frontier.ID]uint32{1: 0})
	r.note("a note")
	r.finding(&result.Result{URL: "x"})
	r.pair(&pair{route: &route{end: 1}}, &result.Result{URL: "y"}, nil)
	f.Add(r.Recording().Told)
	f.Add(record.AppendString([]byte{toldOutside}, "\x01\x05\x01"))
	f.Fuzz(func(t *testing.T, b []byte) {
		sum, err := Repeat(&Crawl{Sink: &told{}}, &Recording{Told: b}, func(n uint32) *judging.Outcome {
			if n == 0 {
				return &judging.Outcome{Requests: 1}
			}
			return nil
		}, 0)
		if (sum == nil) == (err == nil) {
			t.Errorf("summary %v, error %v", sum, err)
		}
	})
}
