package crawler

import (
	"context"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/orbweaver/orbweaver/crawler/fetch"
	"github.com/orbweaver/orbweaver/crawler/result"
)

// progressing collects what a run says about its progress.
type progressing struct {
	collector
	all []result.Progress
}

func (p *progressing) Progress(now result.Progress) { p.all = append(p.all, now) }

// slowly answers some paths later than others.
type slowly struct {
	*imagined
	more map[string]time.Duration
}

func (s slowly) Fetch(ctx context.Context, req *fetch.Request) (*fetch.Response, error) {
	time.Sleep(s.more[req.URL.RequestTarget()])
	return s.imagined.Fetch(ctx, req)
}

// A request that takes long is named with its try and age. What is in flight is not
// counted as checked, and what is broken is counted as the report counts it.
func TestProgressNamesSlowRequests(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := imagine(10*time.Millisecond, func(_, path string) (int, http.Header, string) {
			switch path {
			case "/":
				return ok(`<a href=/reset>r</a> <a href=/gone>g</a> <a href=http://wall.test/>w</a>`)
			case "/reset":
				return 0, nil, "connection-reset"
			case "/gone":
				return 404, nil, ""
			}
			return 403, nil, ""
		})
		cfg := imaginary(w)
		cfg.Fetch = slowly{w, map[string]time.Duration{"/reset": 14 * time.Second}}
		cfg.Politeness.Retries, cfg.Politeness.SecondPassAfter, cfg.Politeness.SecondPassGiven = 2, time.Second, true
		sink := &progressing{}
		sum, err := Run(t.Context(), cfg, seedOf(t, "http://site.test/"), sink)
		if err != nil {
			t.Fatal(err)
		}
		oldest := map[int]time.Duration{} // by try
		for _, p := range sink.all {
			if p.Slowest.URL == "" || p.Slowest.Age < 3*time.Second {
				continue
			}
			if p.Slowest.URL != "http://site.test/reset" || !p.Slowest.Internal || p.InFlight != 1 || p.Broken != 1 || p.Checked != 3 {
				t.Fatalf("progress is %+v", p)
			}
			if try := p.Slowest.Try; p.Slowest.Tries != 3 && (try != 4 || p.Slowest.Tries != 0) {
				t.Fatalf("progress is %+v", p)
			}
			oldest[p.Slowest.Try] = p.Slowest.Age
		}
		for try := 1; try <= 4; try++ {
			if age := oldest[try]; age < 13*time.Second || age > 15*time.Second {
				t.Errorf("try %d is %v old at most, want 14 s", try, age)
			}
		}
		if last := sink.all[len(sink.all)-1]; sum.Broken != 2 || last.Broken > sum.Broken {
			t.Errorf("%d broken in the report, %d before it", sum.Broken, last.Broken)
		}
		note := ""
		for _, n := range sink.notes {
			if strings.HasPrefix(n.Message, "most of the ") {
				note = n.Message
			}
		}
		if !strings.Contains(note, " went to: site.test 56 s") {
			t.Errorf("the note about the time is %q", note)
		}
	})
}

// The first refusal of a host is noted with its cause and the new pace. The time of a rest
// is told from that of answers.
func TestSlowedHostIsNoted(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		refused := 0
		w := imagine(10*time.Millisecond, func(_, path string) (int, http.Header, string) {
			if path == "/" {
				return ok(links(30, "/p/%d"))
			}
			if refused < 2 {
				refused++
				return 429, http.Header{"Retry-After": {"40"}}, ""
			}
			return ok("")
		})
		c, sum := crawl(t, imaginary(w), seedOf(t, "http://site.test/"))
		if sum.OK != 31 {
			t.Errorf("%d ok of 31", sum.OK)
		}
		var notes []string
		for _, n := range c.notes {
			notes = append(notes, n.Message)
		}
		if len(notes) != 2 || notes[0] != "site.test answered 429: slowed to 100/s, after the pause of 40 s that it asked for" ||
			!strings.HasPrefix(notes[1], "most of the 4") || !strings.Contains(notes[1], "s went to: site.test 4") || !strings.HasSuffix(notes[1], " s of them waiting, because it was asked too much)") {
			t.Errorf("notes %q", notes)
		}
	})
}

// A quick run says nothing about its time.
func TestQuickRunIsSilent(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := imagine(2*time.Second, func(_, path string) (int, http.Header, string) { return ok(links(3, "/p/%d")) })
		c, _ := crawl(t, imaginary(w), seedOf(t, "http://site.test/"))
		if len(c.notes) > 0 {
			t.Errorf("notes %v", c.notes)
		}
	})
}
