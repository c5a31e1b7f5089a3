package repeat

import (
	"reflect"
	"strings"
	"testing"

	"github.com/orbweaver/orbweaver/crawler/check"
	"github.com/orbweaver/orbweaver/crawler/internal/frontier"
	"github.com/orbweaver/orbweaver/crawler/internal/verdicts"
	"github.com/orbweaver/orbweaver/crawler/result"
)

func sample() *Kept {
	return &Kept{Basis: []byte("basis"), Matched: []string{"a rule"}, Outside: []Target{
		{Job: []byte("job"), Wave: frontier.Leaves, Need: frontier.NeedLinked, Observed: [16]byte{1, 2}},
		{Job: []byte("other"), Hop: true}},
		Recording: &verdicts.Recording{Told: []byte(strings.Repeat("told", 1000)), Verdicts: map[string]int{"https://example.com/": 1}, Unknown: []string{"https://example.org/"}, Lacking: []uint32{1},
			Summary: result.Summary{Pages: 3, ByCode: map[check.Code]int{"http-404": 2}, Findings: &result.FindingCounts{Broken: 1}, Soundness: result.Soundness{Why: "no name could be resolved"}}}}
}

func TestEncode(t *testing.T) {
	want := sample()
	stored := want.Encode()
	if len(stored) > 1500 {
		t.Errorf("%d bytes are kept of 4,000 that repeat each other", len(stored))
	}
	if got := Decode(stored); !reflect.DeepEqual(got, want) {
		t.Errorf("got\n%+v\nwant\n%+v", got, want)
	}
	want.Recording.Told = make([]byte, 0)
	for n := uint64(1); len(want.Recording.Told) < mostKept+mostKept/2; n = n*6364136223846793005 + 1442695040888963407 { // does not compress
		want.Recording.Told = append(want.Recording.Told, byte(n>>56), byte(n>>48), byte(n>>40), byte(n>>32))
	}
	if stored := want.Encode(); stored != nil {
		t.Errorf("%d bytes are kept, more than %d", len(stored), mostKept)
	}
}

// FuzzDecode tests that damage is noticed, or leads to a report that can be stored.
func FuzzDecode(f *testing.F) {
	f.Add(sample().Encode())
	f.Add([]byte{})
	f.Fuzz(func(t *testing.T, stored []byte) {
		k := Decode(stored)
		if k == nil {
			return
		}
		if again := Decode(k.Encode()); k.Encode() != nil && again == nil {
			t.Errorf("%+v cannot be read again", k)
		}
	})
}
