package frontier

import (
	"reflect"
	"testing"

	"github.com/orbweaver/orbweaver/crawler/check"
	"github.com/orbweaver/orbweaver/crawler/internal/judging"
)

func TestPast(t *testing.T) {
	for _, p := range []Past{
		{},
		{Requests: 3, Asked: true, Tries: 2, Starved: 1, Waited: 300, Last: []byte("last"), Answer: []byte("answer")},
		{Answer: judging.AppendOutcome(nil, &judging.Outcome{Code: check.CodeTimeout, Size: -1})},
	} {
		got, err := DecodePast(p.Encode())
		if err != nil || !reflect.DeepEqual(got, p) {
			t.Errorf("%+v came back as %+v, %v", p, got, err)
		}
	}
}

func FuzzPast(f *testing.F) {
	full := Past{Requests: 3, Asked: true, Tries: 2, Last: []byte("last"), Answer: []byte("answer")}
	f.Add(full.Encode())
	f.Add([]byte(nil))
	f.Add([]byte{0, 0, 0, 0, 2, 0, 0})
	f.Add([]byte{0, 0, 0, 0, 0, 0xff, 0xff, 0xff, 0xff, 0x0f, 0})
	f.Fuzz(func(t *testing.T, note []byte) {
		p, err := DecodePast(note)
		if err != nil {
			return
		}
		again, err := DecodePast(p.Encode())
		if err != nil || !reflect.DeepEqual(again, p) {
			t.Errorf("%+v came back as %+v, %v", p, again, err)
		}
	})
}
