package servetest

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/orbweaver/orbweaver/crawler/crawlertest"
)

// TestLarge runs a site of 5,000 references, or a million in the long form, while fifty readers
// follow, and reads its findings. The server must check them within 400 MB. The log says how long a
// page of findings takes.
func TestLarge(t *testing.T) {
	const links = 50
	pages := crawlertest.Count(5000, 1_000_000) / links
	web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		n, err := strconv.Atoi(strings.Trim(r.URL.Path, "/p"))
		if r.URL.Path == "/" {
			n, err = 0, nil
		}
		if err != nil || n >= pages {
			http.NotFound(w, r)
			return
		}
		w.Header().Set("Content-Type", "text/html")
		fmt.Fprintf(w, "<title>%d</title><a href=/p%d>next</a>", n, (n+1)%pages)
		for k := range links - 1 {
			fmt.Fprintf(w, "<a href=/p%d>x</a>", (n*7+k*k*31+k)%(pages+pages/20))
		}
	}))
	t.Cleanup(web.Close)
	s := open(t, t.TempDir())
	project := s.create(object{"targets": []string{web.URL}})
	run := s.runOf(project)
	const readers = 50
	last := make([]string, readers)
	var reading sync.WaitGroup
	for i := range readers {
		reading.Go(func() {
			s.follow(run, 0, func(e event) bool {
				if e.kind == "state" {
					last[i] = e.data["state"].(string)
				}
				return true
			})
		})
	}
	reading.Wait()
	for i, state := range last {
		if state != "done" {
			t.Errorf("reader %d ends with the state %q", i, state)
		}
	}
	for _, query := range []string{"", "?sort=code", "?sort=places", "?change=new", "?q=p10"} {
		s.items("runs/" + run + "/findings" + query) // the first one counts what matches
		began := time.Now()
		s.items("runs/" + run + "/findings" + query)
		t.Logf("findings%s take %v", query, time.Since(began).Round(time.Millisecond))
	}
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", s.cmd.Process.Pid))
	if err != nil {
		return // not Linux
	}
	for line := range strings.Lines(string(status)) {
		if text, found := strings.CutPrefix(line, "VmHWM:"); found {
			t.Logf("the server has used %s", strings.TrimSpace(text))
			const most = 400 << 10
			if kB, err := strconv.Atoi(strings.Fields(text)[0]); err != nil || kB > most {
				t.Errorf("the server has used %s", text)
			}
		}
	}
}
