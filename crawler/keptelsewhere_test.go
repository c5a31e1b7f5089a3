package crawler_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/orbweaver/orbweaver/crawler"
	"github.com/orbweaver/orbweaver/crawler/fetch"
	"github.com/orbweaver/orbweaver/crawler/internal/traffic"
)

// elsewhere is the web outside the directory, for clocks that are not real. Its few addresses answer
// in ways that change from time to time.
type elsewhere struct {
	mu      sync.Mutex
	answers map[string]string // by path
	asked   int               // requests so far, but for robots.txt
	inside  atomic.Int64      // how often the rule of a run was compared with a path in the directory
}

// elsewhereAnswers are the ways in which an address may answer: a status, with what a redirect leads to,
// or a fault.
var elsewhereAnswers = []string{"200", "200", "200 other", "404", "301 /3", "302 /4#s1", "301 https://0.site.invalid/p1.html", "connect-refused", "dns-not-found"}

func newElsewhere() *elsewhere {
	w := &elsewhere{answers: map[string]string{}}
	for i := range 6 {
		w.answers[fmt.Sprint("/", i)] = "200"
	}
	return w
}

// link returns a reference to one of the addresses.
func (w *elsewhere) link(random *rand.Rand) string {
	return fmt.Sprint("http://elsewhere", random.IntN(2), ".test/", random.IntN(6), []string{"", "", "#s1", "#s9", "#/view"}[random.IntN(5)])
}

// edit changes how an address answers, or lets all answer in the ordinary way, and says so.
func (w *elsewhere) edit(random *rand.Rand) string {
	if random.IntN(2) == 0 {
		return w.answer()
	}
	path, answer := fmt.Sprint("/", random.IntN(6)), elsewhereAnswers[random.IntN(len(elsewhereAnswers))]
	w.answers[path] = answer
	return "let " + path + " answer " + answer
}

// answer lets all addresses answer in the ordinary way, and says so.
func (w *elsewhere) answer() string {
	for path := range w.answers {
		w.answers[path] = "200"
	}
	return "let all answer"
}

// rule is compared with every target that a run reads or judges.
func (w *elsewhere) rule() crawler.Rule {
	return crawler.Rule{Name: "the rule", Verdict: "unverified", Match: func(printed string) bool {
		if !strings.Contains(printed, ".test") {
			w.inside.Add(1)
		}
		return strings.HasSuffix(printed, "/2")
	}}
}

func (w *elsewhere) Identity(*fetch.Request) (traffic.Identity, bool) {
	return traffic.Identity{Open: "elsewhere"}, true
}

func (w *elsewhere) ExpiryNote(time.Time) (fetch.Note, bool) { return fetch.Note{}, false }

func (w *elsewhere) Fetch(_ context.Context, req *fetch.Request) (*fetch.Response, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	path := req.URL.RequestTarget()
	answer, known := w.answers[path]
	if !known {
		answer = "404"
	} else {
		w.asked++
	}
	how, more, _ := strings.Cut(answer, " ")
	resp := &fetch.Response{Header: http.Header{}, ContentType: "text/html", Size: 100, Requests: 1, URL: req.URL, Location: more}
	if n, err := fmt.Sscan(how, &resp.Status); n == 0 || err != nil {
		return nil, &fetch.Fault{Kind: how, Op: "connect", Target: req.URL.Host(), Err: errors.New(how), Requests: 1}
	}
	if resp.Status == http.StatusOK {
		resp.Location = ""
	}
	if req.Need == fetch.Content {
		resp.Body = io.NopCloser(strings.NewReader(fmt.Sprintf("%-100s", "<!doctype html><p id=s1>"+more)))
	}
	return resp, nil
}
