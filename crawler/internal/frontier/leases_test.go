package frontier

import (
	"testing"
	"time"
)

// TestExtendTakesNoMemory tests that a lease has one timer, however often it is extended.
func TestExtendTakesNoMemory(t *testing.T) {
	g := newLedger(Narrow)
	g.Enter(&Item{Fingerprint: Fingerprint{Low: 1}, Host: []byte("a")})
	g.Enter(&Item{Fingerprint: Fingerprint{Low: 2}, Host: []byte("a")})
	now := time.Now()
	leases, _, err := g.Claim(now, 2, time.Minute)
	if err != nil || len(leases) != 2 {
		t.Fatal(leases, err)
	}
	for i := range 1000 {
		now = now.Add(30 * time.Second)
		for _, l := range leases {
			g.Extend(l, now.Add(time.Duration(1+i%3)*time.Minute))
		}
		if id := g.leases.expired(now); id != 0 {
			t.Fatalf("target %d has expired", id)
		}
	}
	if n := len(g.leases.deadlines); n != len(leases) {
		t.Errorf("%d leases have %d timers", len(leases), n)
	}
}
