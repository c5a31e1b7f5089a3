package verdicts

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/orbweaver/orbweaver/crawler/check"
	"github.com/orbweaver/orbweaver/crawler/fetch"
	"github.com/orbweaver/orbweaver/crawler/internal/admit"
	"github.com/orbweaver/orbweaver/crawler/internal/frontier"
	"github.com/orbweaver/orbweaver/crawler/internal/judging"
	"github.com/orbweaver/orbweaver/urinorm"
)

// Wayback is the address of the Wayback Machine's availability interface
// (https://archive.org/help/wayback_api.php).
const Wayback = "https://archive.org/wayback/available"

const (
	// maxArchived is how many broken targets an archive is asked about.
	maxArchived = 1000
	// archiveInterval is the least time between two of those requests. It does not
	// apply to loopback hosts.
	archiveInterval = 250 * time.Millisecond
	// maxArchiveAnswer is how many bytes of an answer are read.
	maxArchiveAnswer = 64 << 10
)

// privateNames are top-level domains that no public server has: reserved ones (RFC 6761,
// 6762, 7686, 8375, 9476), and some that private networks use.
var privateNames = map[string]bool{
	"test": true, "example": true, "invalid": true, "localhost": true, "local": true, "internal": true, "onion": true,
	"alt": true, "arpa": true, "lan": true, "home": true, "corp": true, "intranet": true, "localdomain": true,
}

func isPublicName(host string) bool {
	host = strings.TrimSuffix(host, ".")
	return urinorm.RegistrableDomain(host) != "" && !privateNames[host[strings.LastIndexByte(host, '.')+1:]]
}

// wants reports whether the archive is asked about a pair: its target is an external page
// that is gone. Hosts without a public name and URLs with user information are private and
// are not passed on.
func (a *archive) wants(p *pair) bool {
	if a.crawl.Judging.Archive == "" || p.route.internal || p.judgement.Verdict != check.Broken {
		return false
	}
	u := a.details.get(p.id).url
	return (u.Scheme() == "http" || u.Scheme() == "https") && !u.HasUserinfo() && isPublicName(u.Host())
}

// copies asks the archive for copies of the targets of pairs, one at a time. The answers
// change no verdict.
func (a *archive) copies(ctx context.Context, pairs []*pair) (map[frontier.ID]*archivedCopy, error) {
	if a.crawl.Judging.Archive == "" || a.crawl.ended(ctx) {
		return nil, nil
	}
	gone := map[string][]frontier.ID{}
	for _, p := range pairs {
		if a.wants(p) {
			u := a.details.get(p.id).url.WithoutFragment().String()
			gone[u] = append(gone[u], p.id)
		}
	}
	if a.details.err != nil {
		return nil, a.details.err
	}
	urls := slices.Sorted(maps.Keys(gone))
	if extra := len(urls) - maxArchived; extra > 0 {
		urls = urls[:maxArchived]
		if err := a.crawl.note(fmt.Sprintf("the archive was asked about %d broken targets; %d more were left out", maxArchived, extra)); err != nil {
			return nil, err
		}
	}
	copies := map[frontier.ID]*archivedCopy{}
	if err := a.ask(ctx, urls, func(u string, c *archivedCopy) {
		for _, id := range gone[u] {
			copies[id] = c
		}
	}); err != nil {
		return nil, err
	}
	if a.failed > 0 {
		return copies, a.crawl.note(fmt.Sprintf("the archive gave no answer about %d of %d broken targets: %v", a.failed, len(urls), a.err))
	}
	return copies, nil
}

// archivedCopy is a copy of a page in an archive.
type archivedCopy struct {
	url  string
	made time.Time
}

// suggestion suggests the copy. A program must not write it into a reference, as only a
// reader can tell whether it is a replacement.
func (c *archivedCopy) suggestion(p *pair) check.Suggestion {
	s := check.ArchivedCopy(c.url, c.made)
	if p.hasFragment && p.fragment != "" {
		s.URL += "#" + p.fragment
	}
	return s
}

// archive asks an archive for copies of pages. A separate frontier limits the rate, obeys
// Retry-After, and gives up if the archive refuses too many requests.
type archive struct {
	crawl            *Crawl
	details          *detailCache
	ctx              context.Context // does not end with the run
	requests, failed int
	refused          int   // failed requests in a row
	err              error // of the last failed request
}

// maxRefused is how many requests in a row may fail before the archive is not asked any
// more.
const maxRefused = 3

func (a *archive) ask(ctx context.Context, about []string, report func(string, *archivedCopy)) error {
	api, _, err := urinorm.ParseWeb(a.crawl.Judging.Archive)
	if err != nil || len(about) == 0 {
		return err
	}
	ctx, cancel := a.bounded(ctx)
	defer cancel()
	queue := frontier.New(frontier.NewMemory(), frontier.Politeness{Pace: func(string) frontier.Pace {
		p := frontier.Pace{Concurrency: 1, Interval: archiveInterval}
		if urinorm.IsLoopback(api.Host()) {
			p.Interval = 0
		}
		if a.crawl.Rate > 0 {
			p.Interval = max(p.Interval, time.Duration(float64(time.Second)/a.crawl.Rate))
		}
		p.Interval = max(p.Interval, a.crawl.Delay)
		return p
	}})
	items := make([]frontier.Item, 0, len(about))
	for _, u := range about {
		at, err := archiveRequest(api, u)
		if err != nil {
			return err
		}
		by, err := a.crawl.Door.Decide(ctx, admit.Ask{URL: at, For: admit.Archive})
		if err != nil {
			return err
		}
		if !by.Admitted() {
			a.failed++
			a.err = errors.New(by.Outcome.Message)
			continue
		}
		items = append(items, frontier.Item{Fingerprint: queue.Fingerprint([]byte(u)), Host: []byte(api.Authority()), Job: frontier.AppendJob(nil, frontier.Job{URL: []byte(u)})})
	}
	if _, err := queue.Refer(a.ctx, items); err != nil {
		return err
	}
	for {
		t, err := queue.Next(ctx)
		switch {
		case err == io.EOF:
			return nil
		case ctx.Err() != nil:
			return nil // targets that were not asked about have no known copy
		case err != nil:
			return err
		}
		if err := a.visit(ctx, queue, api, t, report); err != nil {
			return err
		}
	}
}

// bounded returns a context that ends when the run must end.
func (a *archive) bounded(ctx context.Context) (context.Context, context.CancelFunc) {
	var cancel context.CancelFunc
	if a.crawl.MaxTime > 0 {
		ctx, cancel = context.WithDeadline(ctx, a.crawl.Started.Add(a.crawl.MaxTime))
	} else {
		ctx, cancel = context.WithCancel(ctx)
	}
	if a.crawl.Stop == nil {
		return ctx, cancel
	}
	over, stopped := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(stopped)
		select {
		case <-a.crawl.Stop:
			cancel()
		case <-over:
		}
	}()
	return ctx, func() {
		close(over)
		<-stopped
		cancel()
	}
}

// visit asks the archive about one target.
func (a *archive) visit(ctx context.Context, queue *frontier.Frontier, api urinorm.URL, t *frontier.Target, report func(string, *archivedCopy)) error {
	if a.refused >= maxRefused {
		a.failed++
		return a.settle(queue, t)
	}
	began := time.Now()
	answer := frontier.Answer{Started: began, Repeated: t.Tries > 0}
	found, o, err := a.request(ctx, api, t.URL)
	if ctx.Err() != nil {
		return nil
	}
	again := false
	if o != nil {
		answer.Overloaded = o.Overloaded()
		if answer.RestFor = o.Elapsed; answer.RestFor > a.crawl.MaxWait {
			answer.RestFor, answer.TooLong = 0, true
		}
		again = answer.Overloaded && !answer.TooLong && t.Tries < a.crawl.Retries
	}
	answer.Silent = err != nil && o == nil
	answer.TimedOut, answer.Latency = answer.Silent, time.Since(began)
	if err := queue.Hosts().Observe(a.ctx, t.Host, answer); err != nil {
		return err
	}
	if err == nil {
		a.refused = 0
	} else {
		a.refused++
		a.err = err
	}
	switch {
	case again:
		return queue.Defer(a.ctx, t, time.Now().Add(max(answer.RestFor, frontier.Backoff(a.crawl.Backoff, t.Tries, frontier.MaxBackoff))), nil, nil)
	case err != nil:
		a.failed++
	case found != nil:
		report(t.URL, found)
	}
	return a.settle(queue, t)
}

func (a *archive) settle(queue *frontier.Frontier, t *frontier.Target) error {
	_, err := queue.Settle(a.ctx, t, frontier.Settlement{Outcome: &judging.Outcome{Code: check.CodeOK, Size: -1}})
	return err
}

// archiveRequest returns the URL of the request about a URL.
func archiveRequest(api urinorm.URL, about string) (urinorm.URL, error) {
	at, _, err := urinorm.ParseWeb(api.WithoutFragment().String() + "?url=" + url.QueryEscape(about))
	return at, err
}

// request sends one request. If there is an answer, the outcome has its status, and Elapsed
// is its Retry-After.
func (a *archive) request(ctx context.Context, api urinorm.URL, about string) (*archivedCopy, *judging.Outcome, error) {
	at, err := archiveRequest(api, about)
	if err != nil {
		return nil, nil, err
	}
	by, err := a.crawl.Door.Decide(ctx, admit.Ask{URL: at, For: admit.Archive})
	if err != nil {
		return nil, nil, err
	}
	a.requests++
	resp, err := a.crawl.Door.Send(ctx, by, &fetch.Request{URL: at, Need: fetch.Content})
	if err != nil {
		return nil, nil, err
	}
	if resp.Fault != nil {
		return nil, nil, resp.Fault
	}
	defer resp.Close()
	o := &judging.Outcome{Status: resp.Status}
	o.Elapsed, _ = judging.RetryAfter(resp.Header, time.Now())
	if resp.Status != 200 || resp.Body == nil {
		return nil, o, fmt.Errorf("its answer has the status %d", resp.Status)
	}
	body, err := io.ReadAll(io.LimitReader(resp.Body, maxArchiveAnswer))
	if err != nil {
		return nil, o, err
	}
	found, err := readAvailability(body)
	return found, o, err
}

// readAvailability decodes an answer. The result is nil if there is no copy.
func readAvailability(body []byte) (*archivedCopy, error) {
	var answer struct {
		Snapshots *struct {
			Closest *struct {
				Available bool            `json:"available"`
				URL       string          `json:"url"`
				Timestamp string          `json:"timestamp"`
				Status    json.RawMessage `json:"status"`
			} `json:"closest"`
		} `json:"archived_snapshots"`
	}
	if err := json.Unmarshal(body, &answer); err != nil {
		return nil, errors.New("read its answer: invalid JSON")
	}
	if answer.Snapshots == nil {
		return nil, errors.New("read its answer: archived_snapshots is missing")
	}
	c := answer.Snapshots.Closest
	if c == nil || !c.Available || !strings.HasPrefix(strings.Trim(string(c.Status), `"`), "2") {
		return nil, nil // a copy of an error page is useless
	}
	u, _, err := urinorm.ParseWeb(c.URL)
	if err != nil || u.Scheme() != "http" && u.Scheme() != "https" || u.HasUserinfo() {
		return nil, errors.New("read its answer: the snapshot has no http or https URL")
	}
	found := &archivedCopy{url: u.Printed()}
	if rest, ok := strings.CutPrefix(found.url, "http://web.archive.org/"); ok {
		found.url = "https://web.archive.org/" + rest // it returns http URLs for compatibility
	}
	if made, err := time.Parse("20060102150405", c.Timestamp); err == nil {
		found.made = made
	}
	return found, nil
}
