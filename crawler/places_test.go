package crawler

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
	"time"

	"github.com/orbweaver/orbweaver/crawler/fetch"
	"github.com/orbweaver/orbweaver/crawler/frontier"
)

// What a page loads in the browser obeys the limit of concurrent requests to a host.
func TestPlacesOfWhatAPageLoads(t *testing.T) {
	const files, most = 12, 2
	var mu sync.Mutex
	underway, highest := 0, 0
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		underway++
		highest = max(highest, underway)
		mu.Unlock()
		w.(http.Flusher).Flush()
		mu.Lock()
		underway--
		mu.Unlock()
	}))
	defer server.Close()
	client, err := fetch.NewHTTP(fetch.HTTPConfig{Timeout: 5 * time.Second})
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	hosts := frontier.New(frontier.NewMemory(), frontier.Politeness{Pace: func(string) frontier.Pace { return frontier.Pace{Concurrency: most} }}).Hosts()
	p := newPlaces(hosts, false)
	l := newLibrary(t.Context(), client, 1<<20, p)
	defer l.close()
	host := mustParse(t, server.URL).Authority()
	for range most { // two visits have all places: nothing is sent
		if err := p.take(t.Context(), host); err != nil {
			t.Fatal(err)
		}
	}
	var loading sync.WaitGroup
	for i := range files {
		loading.Go(func() {
			if a := l.Ask(t.Context(), &fetch.Request{URL: mustParse(t, fmt.Sprintf("%s/%d", server.URL, i)), Need: fetch.Content}, false); !a.ok || a.status != 200 {
				t.Errorf("file %d: %+v", i, a)
			}
		})
	}
	mu.Lock()
	if highest > 0 {
		t.Errorf("%d requests were sent while all places were taken", highest)
	}
	mu.Unlock()
	for range most {
		p.give(host)
	}
	loading.Wait()
	if highest < 1 || highest > most {
		t.Errorf("%d requests were under way at once, want at most %d", highest, most)
	}
}

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
