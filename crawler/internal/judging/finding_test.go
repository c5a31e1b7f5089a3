package judging

import (
	"math"
	"reflect"
	"testing"

	"github.com/orbweaver/orbweaver/crawler/check"
)

func sampleInspection() Inspection {
	return Inspection{Checks: math.MaxUint64, Facts: []byte("facts"), Findings: []Finding{
		{Code: CodeTitleMissing, Message: "the page has no title"},
		{Code: "content-x", Verdict: check.VerdictInfo, Rule: "r", Line: 1, Column: math.MaxInt32, Element: "a", Attribute: "href", Raw: "raw", Text: "text", Message: "m", Proposal: "p"},
	}}
}

func TestInspectionRoundTrip(t *testing.T) {
	for _, in := range []Inspection{{}, {Checks: 1}, sampleInspection()} {
		encoded := in.Encode()
		got, err := DecodeInspection(encoded)
		if err != nil || !reflect.DeepEqual(*got, in) {
			t.Errorf("got %+v, %v\nwant %+v", got, err, in)
		}
		if facts, err := FactsOf(encoded); err != nil || string(facts) != string(in.Facts) {
			t.Errorf("facts %q, %v, want %q", facts, err, in.Facts)
		}
		for cut := range encoded {
			if _, err := FactsOf(encoded[:cut]); err == nil {
				t.Errorf("the first %d bytes of %d have facts", cut, len(encoded))
			}
			if _, err := DecodeInspection(encoded[:cut]); err == nil {
				t.Errorf("the first %d bytes of %d decode", cut, len(encoded))
			}
		}
		if _, err := DecodeInspection(append(encoded, 0)); err == nil {
			t.Error("a byte too many decodes")
		}
	}
	many := Inspection{Findings: make([]Finding, MaxFindings+1)}
	if got, err := DecodeInspection(many.Encode()); err != nil || len(got.Findings) != MaxFindings {
		t.Errorf("of %d findings were kept: %v, %v", MaxFindings+1, len(got.Findings), err)
	}
}

func FuzzDecodeInspection(f *testing.F) {
	sample := sampleInspection()
	f.Add(sample.Encode())
	f.Add([]byte{})
	f.Fuzz(func(t *testing.T, data []byte) {
		facts, factsErr := FactsOf(data)
		in, err := DecodeInspection(data)
		if err != nil {
			return
		}
		if factsErr != nil || string(facts) != string(in.Facts) {
			t.Errorf("facts %q, %v, want %q", facts, factsErr, in.Facts)
		}
		again, err := DecodeInspection(in.Encode())
		if err != nil || !reflect.DeepEqual(again, in) {
			t.Errorf("encoding %+v again gives %+v, %v", in, again, err)
		}
	})
}

func TestFindingVerdict(t *testing.T) {
	for _, c := range []struct {
		finding Finding
		want    check.Verdict
	}{
		{Finding{Code: CodeTitleLong}, check.VerdictWarning},
		{Finding{Code: CodeSRIMismatch}, check.Broken},
		{Finding{Code: "content-x"}, check.VerdictWarning},
		{Finding{Code: "content-x", Verdict: check.Unverified}, check.Unverified},
		{Finding{Code: "of-a-plugin"}, check.VerdictWarning},
	} {
		if got := c.finding.VerdictOf(); got != c.want {
			t.Errorf("%+v is %s, want %s", c.finding, got, c.want)
		}
	}
}
