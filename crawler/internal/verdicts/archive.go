package verdicts

import (
	"context"
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
	"github.com/orbweaver/orbweaver/crawler/internal/captures"
	"github.com/orbweaver/orbweaver/crawler/internal/frontier"
	"github.com/orbweaver/orbweaver/crawler/internal/judging"
	"github.com/orbweaver/orbweaver/crawler/internal/scope"
	"github.com/orbweaver/orbweaver/urinorm"
)

const (
	// archiveInterval is the least time between two of those requests. It does not
	// apply to loopback hosts.
	archiveInterval = 250 * time.Millisecond
)

// wants reports whether the archive is asked about a pair: its target is an external page
// that is gone. Hosts without a public name and URLs with user information are private and
// are not passed on.
func (a *archive) wants(p *pair) bool {
	if a.crawl.Judging.Archive == nil || p.route.internal || p.judgement.Verdict != check.Broken {
		return false
	}
	u := a.details.get(p.id).url
	return scope.IsPublic(u)
}

// all asks the archive about the targets of pairs, one at a time. The answers change no verdict.
func (a *archive) all(ctx context.Context, pairs []*pair) (map[frontier.ID]*check.Archived, error) {
	if a.crawl.Judging.Archive == nil || a.crawl.ended(ctx) {
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
	most := a.crawl.Judging.Archive.Max
	if extra := len(urls) - most; extra > 0 {
		urls = urls[:most]
		if err := a.crawl.note(fmt.Sprintf("the archive was asked about %s; left out: %d more", quantity(most, "broken target"), extra)); err != nil {
			return nil, err
		}
	}
	known := map[frontier.ID]*check.Archived{}
	if err := a.ask(ctx, urls, func(u string, c *check.Archived) {
		for _, id := range gone[u] {
			known[id] = c
		}
	}); err != nil {
		return nil, err
	}
	if a.failed > 0 {
		return known, a.crawl.note(fmt.Sprintf("the archive gave no answer about %d of %d broken targets: %v", a.failed, len(urls), a.err))
	}
	return known, nil
}

// suggestion suggests the copy. A program must not write it into a reference, as only a
// reader can tell whether it is a replacement.
func suggestion(c *check.Copy, p *pair) check.Suggestion {
	s := check.ArchivedCopy(c.URL, c.Time)
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

func (a *archive) ask(ctx context.Context, about []string, report func(string, *check.Archived)) error {
	api, _, err := urinorm.ParseWeb(a.crawl.Judging.Archive.API)
	if err != nil || len(about) == 0 {
		return err
	}
	ctx, cancel := a.bounded(ctx)
	defer cancel()
	pace := frontier.Pace{Concurrency: 1, Interval: archiveInterval}
	if urinorm.IsLoopback(api.Host()) {
		pace.Interval = 0
	}
	if a.crawl.Rate > 0 {
		pace.Interval = max(pace.Interval, time.Duration(float64(time.Second)/a.crawl.Rate))
	}
	pace.Interval = max(pace.Interval, a.crawl.Delay)
	queue := frontier.New(frontier.NewMemory(), frontier.Treatment{Pace: pace})
	items := make([]frontier.Item, 0, len(about))
	for _, u := range about {
		at, err := a.requestAbout(u)
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
		if err := a.visit(ctx, queue, t, report); err != nil {
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
func (a *archive) visit(ctx context.Context, queue *frontier.Frontier, t *frontier.Target, report func(string, *check.Archived)) error {
	if a.refused >= maxRefused {
		a.failed++
		return a.settle(queue, t)
	}
	began := time.Now()
	answer := frontier.Answer{Started: began, Repeated: t.Tries > 0}
	found, o, err := a.request(ctx, t.URL)
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
		return queue.Defer(a.ctx, t, time.Now().Add(max(answer.RestFor, fetch.Backoff(a.crawl.Backoff, t.Tries, fetch.MaxBackoff))), nil, nil)
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

// requestAbout returns the URL of the request about a URL.
func (a *archive) requestAbout(about string) (urinorm.URL, error) {
	of := a.crawl.Judging.Archive
	api, _, _ := strings.Cut(of.API, "#")
	switch {
	case of.Memento && strings.Contains(api, "{url}"):
		api = strings.ReplaceAll(api, "{url}", about)
	case of.Memento:
		api += about
	default:
		sign := "?"
		if strings.Contains(api, "?") {
			sign = "&"
		}
		api += sign + "url=" + url.QueryEscape(about) + "&output=json"
	}
	at, _, err := urinorm.ParseWeb(api)
	return at, err
}

// request sends one request. If there is an answer, the outcome has its status, and Elapsed
// is its Retry-After.
func (a *archive) request(ctx context.Context, about string) (*check.Archived, *judging.Outcome, error) {
	at, err := a.requestAbout(about)
	if err != nil {
		return nil, nil, err
	}
	by, err := a.crawl.Door.Decide(ctx, admit.Ask{URL: at, For: admit.Archive})
	if err != nil {
		return nil, nil, err
	}
	a.requests++
	// An interface for programs refuses no headers: a second request with others would only double the cost of
	// each 404, as for the pages of the site itself.
	resp, err := a.crawl.Door.Send(ctx, by, &fetch.Request{URL: at, Need: fetch.Content, Internal: true})
	if err != nil {
		return nil, nil, err
	}
	if resp.Fault != nil {
		return nil, nil, resp.Fault
	}
	defer resp.Close()
	o := &judging.Outcome{Status: resp.Status}
	o.Elapsed, _ = fetch.RetryAfter(resp.Header, time.Now())
	var body []byte
	switch {
	case resp.Status == 404: // nothing is known
	case resp.Status != 200 || resp.Body == nil:
		return nil, o, fmt.Errorf("its answer has the status %d", resp.Status)
	default:
		if body, err = io.ReadAll(io.LimitReader(resp.Body, captures.MaxAnswer+1)); err != nil {
			return nil, o, err
		}
	}
	read := captures.TimeMap
	if !a.crawl.Judging.Archive.Memento {
		read = func(body []byte) (*check.Archived, error) {
			return captures.CDX(body, at.Scheme()+"://"+at.Authority())
		}
	}
	found, err := read(body)
	return found, o, err
}

// tell tells what the archive knows of the target of a pair: a warning if it has never seen it.
func (j *judge) tell(p *pair, of *check.Archived) {
	if of == nil || of.Class != check.NeverSeen {
		return
	}
	if level := j.levelsOf(p.ruleLevels, p.route.internal)(judging.CodeNeverArchived); level != check.LevelOff {
		p.warn(check.Warning{Code: judging.CodeNeverArchived, Level: level, Message: "no capture of the address is known to the archive: it may be mistyped or made up"})
	}
}
