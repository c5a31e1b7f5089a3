//go:build linux

package machines

import (
	"fmt"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

// website is several hosts, on loopback addresses with the same port, that link to each other.
// It notes when requests arrive, and can fail others at a request.
type website struct {
	port int

	mu       sync.Mutex
	arrivals map[string][]time.Time // by host
	requests int
	last     time.Time
	faults   map[int][]func() // by number of the request
	begun    time.Time
}

const (
	siteHosts = 6
	hostPages = 12
	interval  = 150 * time.Millisecond
)

func startWebsite(t *testing.T) *website {
	t.Helper()
	s := &website{}
	s.reset()
	first, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s.port = first.Addr().(*net.TCPAddr).Port
	listeners := []net.Listener{first}
	for n := 1; n < siteHosts; n++ {
		l, err := net.Listen("tcp", fmt.Sprintf("127.0.0.%d:%d", n+1, s.port))
		if err != nil {
			t.Fatal(err)
		}
		listeners = append(listeners, l)
	}
	server := &http.Server{Handler: s}
	var serving sync.WaitGroup
	for _, l := range listeners {
		serving.Go(func() { _ = server.Serve(l) })
	}
	t.Cleanup(func() {
		server.Close()
		serving.Wait()
	})
	return s
}

func (s *website) reset() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.arrivals, s.requests, s.faults, s.begun = map[string][]time.Time{}, 0, map[int][]func(){}, time.Now()
}

func (s *website) url(host int, path string) string {
	return fmt.Sprintf("http://127.0.0.%d:%d%s", host+1, s.port, path)
}

// ServeHTTP notes a request and answers it.
func (s *website) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	s.last = time.Now()
	s.arrivals[r.Host] = append(s.arrivals[r.Host], s.last)
	s.requests++
	faults := s.faults[s.requests]
	delete(s.faults, s.requests)
	s.mu.Unlock()
	for _, fault := range faults {
		go fault()
	}
	page := 0
	if r.URL.Path != "/" {
		if _, err := fmt.Sscanf(r.URL.Path, "/p%d.html", &page); err != nil || page >= hostPages {
			http.NotFound(w, r)
			return
		}
	}
	host := int(strings.TrimPrefix(r.Host, "127.0.0.")[0] - '1')
	w.Header().Set("Content-Type", "text/html")
	fmt.Fprintf(w, "<!doctype html><title>%d</title><h1 id=top%d>Page</h1>", page, page)
	for i := 1; i <= 3; i++ {
		fmt.Fprintf(w, "<a href='/p%d.html#top%d'>next</a>\n", page*3+i, page*3+i)
	}
	if page < siteHosts {
		fmt.Fprintf(w, "<a href='%s'>neighbor</a>", s.url((host+1+page%2)%siteHosts, "/"))
	}
	if page%5 == 1 {
		fmt.Fprintf(w, "<img src='/gone%d.png' alt=''><a href='/#nothere%d'>home</a>", page, page)
	}
}

// at lets something happen when a request arrives.
func (s *website) at(request int, fault func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.faults[request] = append(s.faults[request], fault)
}

// count returns the number of requests and when the last one arrived.
func (s *website) count() (int, time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.requests, s.last
}

// since returns how many requests have arrived since a time.
func (s *website) since(at time.Time) (n int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, list := range s.arrivals {
		for _, a := range list {
			if a.After(at) {
				n++
			}
		}
	}
	return n
}

// tooMany returns a host that has had more requests at some time than one every interval, "" if
// there is none. A request may be noted late, never early, so that a slow machine changes
// nothing; that two requests are never closer together is tested by storetest with simulated
// time.
func (s *website) tooMany() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	for host, list := range s.arrivals {
		list = slices.Clone(list)
		slices.SortFunc(list, time.Time.Compare)
		for i, at := range list {
			if most := 1 + int(at.Sub(s.begun)/interval); i+1 > most {
				return fmt.Sprintf("%s got %d requests within %v, want %d at most", host, i+1, at.Sub(s.begun), most)
			}
		}
	}
	return ""
}
