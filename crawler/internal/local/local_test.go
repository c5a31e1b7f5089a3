package local

import (
	"fmt"
	"testing"
	"time"
)

func TestGovernor(t *testing.T) {
	g := NewGovernor(8)
	if g.TooMany() || g.Succeeded() {
		t.Error("a run that met no limit changes its workers")
	}
	began := time.Now()
	g.Starved(began)
	for range 5 {
		g.Starved(began.Add(-time.Second)) // the same crowd
	}
	left := 0
	for range 8 {
		if !g.TooMany() {
			left++
		}
	}
	if left != 6 {
		t.Errorf("%d workers go on, want 6", left)
	}
	for range 20 {
		g.Starved(time.Now().Add(time.Minute))
		for g.TooMany() {
		}
	}
	if g.working != 1 {
		t.Errorf("%d workers are left, want one", g.working)
	}
	more := 0
	for range 20 * roomAfter {
		if g.Succeeded() {
			more++
		}
	}
	if more != 7 || g.working != 8 {
		t.Errorf("%d workers came back, %d work", more, g.working)
	}
}

// Where the time of a run was spread over many hosts, none is called the cause.
func TestTimeOfManyHosts(t *testing.T) {
	f := &InFlight{spent: map[string]hostTime{"": {all: 2 * time.Second}}}
	for i := range 60 {
		f.spent[fmt.Sprintf("host%02d.test", i)] = hostTime{all: time.Second}
	}
	if got, want := f.WhereTimeWent(), "the 1 min 2 s went to 60 hosts, none of which took much of it: host00.test took 1 s"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}
