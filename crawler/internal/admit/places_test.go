package admit

import (
	"context"
	"testing"
	"time"

	"github.com/orbweaver/orbweaver/crawler/internal/frontier"
)

// Places forget a host that nothing is under way for, unless its interval needs the time of its
// last request.
func TestPlacesForgetHosts(t *testing.T) {
	hosts := frontier.New(frontier.NewMemory(), frontier.Politeness{Pace: func(host string) frontier.Pace {
		if host == "slow.test" {
			return frontier.Pace{Concurrency: 1, Interval: time.Minute}
		}
		return frontier.Pace{Concurrency: 1}
	}}).Hosts()
	p := newPlaces(hosts, false)
	known := func(when string, want bool) {
		t.Helper()
		if _, has := p.hosts["a.test"]; has != want {
			t.Errorf("%s: the host is known: %v, want %v", when, has, want)
		}
	}
	take := func() {
		t.Helper()
		if err := p.take(t.Context(), "a.test"); err != nil {
			t.Fatal(err)
		}
	}
	p.visit("a.test", +1)
	take()
	p.give("a.test")
	known("visited", true)
	p.visit("a.test", -1)
	known("visit over", false)
	take()
	canceled, cancel := context.WithCancel(t.Context())
	cancel()
	if err := p.take(canceled, "a.test"); err == nil {
		t.Error("a place was taken twice")
	}
	known("place taken", true)
	p.give("a.test")
	known("place given back", false)
	if err := p.awaitTurn(t.Context(), "a.test"); err != nil {
		t.Fatal(err)
	}
	p.begin("a.test")
	known("requested without a place", false)
	p.begin("slow.test")
	if p.hosts["slow.test"] == nil {
		t.Error("the time of the last request to a host with an interval is forgotten")
	}
}
