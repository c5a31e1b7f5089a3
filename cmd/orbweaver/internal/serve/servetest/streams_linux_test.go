package servetest

import (
	"bufio"
	"fmt"
	"net/http"
	"os"
	"strconv"
	"strings"
	"testing"
)

// resident returns how much memory of its own the server has in use, in kB.
func (s *server) resident() int {
	s.t.Helper()
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", s.cmd.Process.Pid))
	if err != nil {
		s.t.Fatal(err)
	}
	for line := range strings.Lines(string(status)) {
		if text, found := strings.CutPrefix(line, "RssAnon:"); found {
			kB, err := strconv.Atoi(strings.Fields(text)[0])
			if err != nil {
				s.t.Fatal(err)
			}
			return kB
		}
	}
	s.t.Fatalf("no RssAnon in\n%s", status)
	return 0
}

// TestIdleStreams holds what 200 browsers cost that only wait for events.
func TestIdleStreams(t *testing.T) {
	const streams, most = 200, 20_000 // kB
	web := newSite(t, map[string]string{"/": `<a href="gone">x</a>`})
	s := open(t, t.TempDir())
	project := s.create(object{"targets": []string{web.URL}, "options": object{"retries": 0}})
	s.checked(project) // so that what is only needed once is there
	client := &http.Client{Transport: &http.Transport{DisableCompression: true}}
	t.Cleanup(client.CloseIdleConnections)
	var readers []*bufio.Reader
	before := s.resident()
	for range streams {
		res, err := client.Get(s.base + "api/v1/events")
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { res.Body.Close() })
		if res.StatusCode != http.StatusOK {
			t.Fatalf("status %d", res.StatusCode)
		}
		readers = append(readers, bufio.NewReader(res.Body))
	}
	s.eventually("the server counts all streams", func() bool {
		return strings.Contains(string(s.send("GET", "metrics", nil).body), fmt.Sprintf("orbweaver_event_streams %d\n", streams))
	})
	used := s.resident() - before
	t.Logf("%d idle streams take %d kB", streams, used)
	if used > most {
		t.Errorf("%d idle streams take %d kB, more than %d", streams, used, most)
	}
	// Each of them still gets what happens.
	s.runOf(project)
	for n, r := range readers {
		for line := ""; !strings.HasPrefix(line, "event: run"); {
			var err error
			if line, err = r.ReadString('\n'); err != nil {
				t.Fatalf("stream %d: %v", n, err)
			}
		}
	}
}
