package admit

import (
	"context"
	"testing"
	"time"

	"github.com/orbweaver/orbweaver/crawler/internal/frontier"
)

// oneAtOnce is a politeness with an interval for one host.
type oneAtOnce struct{}

func (oneAtOnce) Treatment(host string) frontier.Treatment {
	t := frontier.Treatment{Pace: frontier.Pace{Concurrency: 1}}
	if host == "slow.test" {
		t.Pace.Interval = time.Minute
	}
	return t
}

func (oneAtOnce) IsStill() bool { return false }

// Places forget a host that nothing is under way for, unless its interval needs the time of its
// last request.
func TestPlacesForgetHosts(t *testing.T) {
	hosts := frontier.New(frontier.NewMemory(), oneAtOnce{}).Hosts()
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
