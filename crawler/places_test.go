package crawler

import (
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
