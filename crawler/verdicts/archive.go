package verdicts

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/orbweaver/orbweaver/crawler/check"
	"github.com/orbweaver/orbweaver/crawler/fetch"
	"github.com/orbweaver/orbweaver/crawler/frontier"
	"github.com/orbweaver/orbweaver/crawler/rules"
	"github.com/orbweaver/orbweaver/urinorm"
)

// Wayback is the address that answers whether the Wayback Machine has a copy of a
// page (https://archive.org/help/wayback_api.php).
const Wayback = "https://archive.org/wayback/available"

const (
	// maxArchived is how many broken targets an archive is asked about.
	maxArchived = 1000
	// archiveInterval is the least time between two of those requests; loopback hosts
	// need none.
	archiveInterval = 250 * time.Millisecond
	// maxArchiveAnswer is how much of an answer is read, in bytes.
	maxArchiveAnswer = 64 << 10
)

// wantsArchive reports whether an archive is to be asked about a pair: a page of
// another site that is gone. What only this network can know is nobody else's
// business: addresses without a public name, and such with a user name.
func (j *join) wantsArchive(p *pair) bool {
	if j.Config.Archive == "" || p.route.internal || p.judgement.Verdict != check.Broken {
		return false
	}
	u := j.dossiers.get(p.id).url
	return (u.Scheme() == "http" || u.Scheme() == "https") && !u.HasUserinfo() && isPublicName(u.Host())
}

// privateNames are top-level domains that no public server has (RFC 6761, 6762,
// 7686, 8375, 9476), and those that are in use although they were never given.
var privateNames = map[string]bool{
	"test": true, "example": true, "invalid": true, "localhost": true, "local": true, "internal": true, "onion": true,
	"alt": true, "arpa": true, "lan": true, "home": true, "corp": true, "intranet": true, "localdomain": true,
}

func isPublicName(host string) bool {
	host = strings.TrimSuffix(host, ".")
	return urinorm.RegistrableDomain(host) != "" && !privateNames[host[strings.LastIndexByte(host, '.')+1:]]
}

// archived asks an archive for copies of what is gone, one target at a time, when
// all else is known. What it answers, and whether it does, changes no verdict.
func (j *join) archived(ctx context.Context) error {
	if j.Config.Archive == "" || j.ended(ctx) {
		return nil
	}
	gone := map[string][]*pair{}
	for _, p := range j.flagged {
		if !p.open && !j.reported(p.key()) && j.judge.shown(&p.judgement) && j.wantsArchive(p) {
			u := j.dossiers.get(p.id).url.WithoutFragment().String()
			gone[u] = append(gone[u], p)
		}
	}
	asked := make([]string, 0, len(gone))
	for u := range gone {
		asked = append(asked, u)
	}
	slices.Sort(asked)
	if extra := len(asked) - maxArchived; extra > 0 {
		asked = asked[:maxArchived]
		if err := j.note(fmt.Sprintf("the archive was asked about %d broken targets; %d more were left out", maxArchived, extra)); err != nil {
			return err
		}
	}
	a := archive{Crawl: j.Crawl, kept: j.ctx, base: j.Config.Archive}
	if err := a.ask(ctx, asked, func(u string, c *archivedCopy) {
		for _, p := range gone[u] {
			p.archived = c
		}
	}); err != nil {
		return err
	}
	j.sum.Requests += a.requests
	if a.failed > 0 {
		return j.note(fmt.Sprintf("the archive gave no answer about %d of %d broken targets: %v", a.failed, len(asked), a.why))
	}
	return j.dossiers.err
}

func (j *join) note(message string) error {
	return j.Sink.Note(rules.Note{Message: message})
}

// archivedCopy is a copy of a page in an archive.
type archivedCopy struct {
	url  string
	made time.Time
}

// suggestion offers the copy. It is never one that a program may write into a
// reference: whether a copy serves, only a reader can tell.
func (c *archivedCopy) suggestion(p *pair) check.Suggestion {
	s := check.ArchivedCopy(c.url, c.made)
	if p.hasFragment && p.fragment != "" {
		s.URL += "#" + p.fragment
	}
	return s
}

// archive asks one archive. A frontier of its own keeps the pace, obeys
// Retry-After, and gives the archive up when it refuses too much.
type archive struct {
	*Crawl
	kept             context.Context // outlives a run that is cut short
	base             string
	requests, failed int
	refused          int   // requests in a row that it had no answer to
	why              error // of the last of these
}

// archivePatience is how many requests in a row may go without an answer until the
// archive is left alone: nothing depends on it.
const archivePatience = 3

func (a *archive) ask(ctx context.Context, about []string, tell func(string, *archivedCopy)) error {
	api, _, err := urinorm.ParseWeb(a.base)
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
		if a.Config.Rate > 0 {
			p.Interval = max(p.Interval, time.Duration(float64(time.Second)/a.Config.Rate))
		}
		p.Interval = max(p.Interval, a.Config.Delay)
		return p
	}})
	items := make([]frontier.Item, len(about))
	for i, u := range about {
		items[i] = frontier.Item{Fingerprint: queue.Fingerprint([]byte(u)), Host: []byte(api.Authority()), Job: frontier.AppendJob(nil, frontier.Job{URL: []byte(u)})}
	}
	if _, err := queue.Refer(a.kept, items); err != nil {
		return err
	}
	for {
		t, err := queue.Next(ctx)
		switch {
		case err == io.EOF:
			return nil
		case ctx.Err() != nil:
			return nil // what was not asked has no copy that we know of
		case err != nil:
			return err
		}
		if err := a.visit(ctx, queue, api, t, tell); err != nil {
			return err
		}
	}
}

// bounded ends the asking when the run is to end.
func (a *archive) bounded(ctx context.Context) (context.Context, context.CancelFunc) {
	var cancel context.CancelFunc
	if a.Config.MaxTime > 0 {
		ctx, cancel = context.WithDeadline(ctx, a.Started.Add(a.Config.MaxTime))
	} else {
		ctx, cancel = context.WithCancel(ctx)
	}
	if a.Config.Stop == nil {
		return ctx, cancel
	}
	over, stopped := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(stopped)
		select {
		case <-a.Config.Stop:
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

// visit asks about one target.
func (a *archive) visit(ctx context.Context, queue *frontier.Frontier, api urinorm.URL, t *frontier.Target, tell func(string, *archivedCopy)) error {
	if a.refused >= archivePatience {
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
		if answer.RestFor = o.Elapsed; answer.RestFor > a.Config.MaxWait {
			answer.RestFor, answer.TooLong = 0, true
		}
		again = answer.Overloaded && !answer.TooLong && t.Tries < a.Config.Retries
	}
	answer.Silent = err != nil && o == nil
	answer.TimedOut, answer.Latency = answer.Silent, time.Since(began)
	if err := queue.Hosts().Observe(a.kept, t.Host, answer); err != nil {
		return err
	}
	if err == nil {
		a.refused = 0
	} else {
		a.refused++
		a.why = err
	}
	switch {
	case again:
		return queue.Defer(a.kept, t, time.Now().Add(max(answer.RestFor, frontier.Backoff(a.Config.Backoff, t.Tries, frontier.MaxBackoff))), nil, nil)
	case err != nil:
		a.failed++
	case found != nil:
		tell(t.URL, found)
	}
	return a.settle(queue, t)
}

func (a *archive) settle(queue *frontier.Frontier, t *frontier.Target) error {
	_, err := queue.Settle(a.kept, t, frontier.Settlement{Outcome: &check.Outcome{Code: check.CodeOK, Size: -1}})
	return err
}

// request sends one request. The outcome, where there is an answer, has its status,
// and for Elapsed how long the archive asks to be left alone.
func (a *archive) request(ctx context.Context, api urinorm.URL, about string) (*archivedCopy, *check.Outcome, error) {
	at, _, err := urinorm.ParseWeb(api.WithoutFragment().String() + "?url=" + url.QueryEscape(about))
	if err != nil {
		return nil, nil, err
	}
	a.requests++
	resp, err := a.Fetch(ctx, &fetch.Request{URL: at, Need: fetch.Content})
	if err != nil {
		return nil, nil, err
	}
	if resp.Body != nil {
		defer resp.Body.Close()
	}
	o := &check.Outcome{Status: resp.Status}
	o.Elapsed, _ = check.RetryAfter(resp.Header, time.Now())
	if resp.Status != 200 || resp.Body == nil {
		return nil, o, fmt.Errorf("it answered %d", resp.Status)
	}
	body, err := io.ReadAll(io.LimitReader(resp.Body, maxArchiveAnswer))
	if err != nil {
		return nil, o, err
	}
	found, err := readAvailability(body)
	return found, o, err
}

// readAvailability reads an answer; no copy is nil.
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
		return nil, errors.New("read its answer: it is not the JSON that is expected")
	}
	if answer.Snapshots == nil {
		return nil, errors.New("read its answer: it names no snapshots")
	}
	c := answer.Snapshots.Closest
	if c == nil || !c.Available || !strings.HasPrefix(strings.Trim(string(c.Status), `"`), "2") {
		return nil, nil // a copy of an error page is none
	}
	u, _, err := urinorm.ParseWeb(c.URL)
	if err != nil || u.Scheme() != "http" && u.Scheme() != "https" || u.HasUserinfo() {
		return nil, errors.New("read its answer: the snapshot has no web address")
	}
	found := &archivedCopy{url: u.Printed()}
	if rest, ok := strings.CutPrefix(found.url, "http://web.archive.org/"); ok {
		found.url = "https://web.archive.org/" + rest // it answers there, and names the other for old users
	}
	if made, err := time.Parse("20060102150405", c.Timestamp); err == nil {
		found.made = made
	}
	return found, nil
}
