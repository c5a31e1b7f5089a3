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
	p := newPlaces(hosts, nil, false)
	known := func(when string, want bool) {
		t.Helper()
		if _, has := p.known["a.test"]; has != want {
			t.Errorf("%s: the host is known: %v, want %v", when, has, want)
		}
	}
	take := func() taken {
		t.Helper()
		place, err := p.take(t.Context(), "a.test")
		if err != nil {
			t.Fatal(err)
		}
		return place
	}
	p.visit("a.test", +1)
	p.give(take())
	known("visited", true)
	p.visit("a.test", -1)
	known("visit over", false)
	place := take()
	canceled, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := p.take(canceled, "a.test"); err == nil {
		t.Error("a place was taken twice")
	}
	known("place taken", true)
	p.give(place)
	known("place given back", false)
	if err := p.awaitTurn(t.Context(), "a.test"); err != nil {
		t.Fatal(err)
	}
	p.begin("a.test")
	known("requested without a place", false)
	p.begin("slow.test")
	if p.known["slow.test"] == nil {
		t.Error("the time of the last request to a host with an interval is forgotten")
	}
}
