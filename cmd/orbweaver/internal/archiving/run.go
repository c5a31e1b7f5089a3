package archiving

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/orbweaver/orbweaver/crawler/fetch"
	"github.com/orbweaver/orbweaver/urinorm"
)

const (
	// maxRefused is how many requests in a row may fail before the service is not asked any more.
	maxRefused = 3
	// longestPause is the longest time between two requests about a job, and the longest pause of
	// a busy service that does not say how long to wait.
	longestPause = 5 * time.Second
)

// Result is what became of a URL.
type Result struct {
	URL   string
	State State  // Archived, Failed or Pending
	Text  string // the address of the copy, or the reason
}

// Run has copies of several URLs made.
type Run struct {
	service *Service
	log     *Log
	wanted  map[string]bool
	jobs    []*job // those that are not done
	done    []Result
	over    error // why nothing more is asked

	free       time.Time // when the next request may be sent
	submitFrom time.Time // when the next submission may be sent
	busySince  time.Time // zero if the service is not busy
	busy       int       // times in a row that it said so

	refused    int   // failed requests in a row
	answered   bool  // there was an answer that could be used
	unanswered int   // URLs without one
	last       error // why the last failed request failed
}

type job struct {
	url     string
	id      string    // "" until it is submitted
	earlier bool      // submitted by an earlier run, and not asked about yet
	logged  bool      // the log has that it is submitted
	next    time.Time // when to ask
	began   time.Time // when its submission was accepted, or it was first asked about
	tries   int
}

// Recent returns the copy of a URL that is not too old to count.
func (s *Service) Recent(log *Entries, u string) (Entry, bool) {
	e := log.ByURL[u]
	return e, e.State == Archived && time.Since(e.Time) < s.Within
}

// Begin begins a run. The jobs in the log that have not ended are asked for first, then urls are
// submitted in their order, except those that have a recent copy.
func (s *Service) Begin(urls []string, log *Log) *Run {
	r := &Run{service: s, log: log, wanted: map[string]bool{}}
	for u, e := range log.ByURL {
		if e.State == Submitted && isJobName(e.Job) {
			r.jobs = append(r.jobs, &job{url: u, id: e.Job, earlier: true, logged: true})
		}
	}
	slices.SortFunc(r.jobs, func(a, b *job) int { return compare(a.url, b.url) })
	earlier := len(r.jobs)
	for _, u := range urls {
		r.wanted[u] = true
		if e, recent := s.Recent(&log.Entries, u); recent {
			r.done = append(r.done, Result{u, Archived, e.Copy})
		} else if !slices.ContainsFunc(r.jobs[:earlier], func(j *job) bool { return j.url == u }) {
			r.jobs = append(r.jobs, &job{url: u})
		}
	}
	return r
}

func compare(a, b string) int {
	if a < b {
		return -1
	}
	return 1
}

// Next waits until it is known what became of another URL, and returns it; false if there is none.
// When the context is done, or the service cannot be used, nothing more is sent.
func (r *Run) Next(ctx context.Context) (Result, bool) {
	for {
		if len(r.done) > 0 {
			first := r.done[0]
			r.done = r.done[1:]
			return first, true
		}
		if len(r.jobs) == 0 {
			return Result{}, false
		}
		if r.over != nil {
			r.giveUp()
			continue
		}
		j, at := r.pick()
		if r.over = wait(ctx, at); r.over == nil {
			r.over = r.ask(ctx, j)
		}
	}
}

// Err returns why the service could not be used, nil if it could.
func (r *Run) Err() error {
	if r.over == nil && !r.answered {
		return r.last
	}
	return r.over
}

// Unanswered returns the number of URLs about which there was no answer.
func (r *Run) Unanswered() int { return r.unanswered }

func wait(ctx context.Context, at time.Time) error {
	timer := time.NewTimer(time.Until(at))
	defer timer.Stop()
	select {
	case <-ctx.Done():
	case <-timer.C:
	}
	return ctx.Err()
}

// pick returns the job to ask about next, and when. What earlier runs have submitted comes first.
func (r *Run) pick() (best *job, at time.Time) {
	for _, j := range r.jobs {
		if r.jobs[0].earlier && !j.earlier {
			break // those of earlier runs are sorted before the others
		}
		from := later(j.next, r.free)
		if j.id == "" {
			from = later(from, r.submitFrom)
		}
		if best == nil || from.Before(at) {
			best, at = j, from
		}
	}
	return best, at
}

func later(a, b time.Time) time.Time {
	if a.Before(b) {
		return b
	}
	return a
}

// ask sends one request. An error ends the run.
func (r *Run) ask(ctx context.Context, j *job) error {
	if j.id == "" && !j.logged {
		if err := r.log.add(Entry{URL: j.url, State: Submitted, Time: time.Now()}); err != nil {
			return err
		}
		j.logged = true
	}
	if j.id != "" && j.began.IsZero() {
		j.began = time.Now()
	}
	a, err := r.service.ask(ctx, j.url, j.id)
	if err != nil {
		return err
	}
	now := time.Now()
	r.free = now.Add(r.service.Interval)
	switch {
	case a.busy:
		return r.pause(j, &a, now)
	case a.refused != nil:
		return r.refuse(j, &a, now)
	}
	r.refused, r.busy, r.busySince, r.answered, j.tries = 0, 0, time.Time{}, true, 0
	switch {
	case a.unknown: // too long ago, so that it must be submitted again
		known := *j
		*j = job{url: j.url}
		if !known.earlier || !r.wanted[j.url] {
			return r.settle(j, Entry{State: Failed, Time: now, Error: "the service does not know the job " + known.id})
		}
		j.earlier = true
		r.moveBehindEarlier(j)
		return nil
	case a.job != "":
		j.id, j.began = a.job, now
		j.next = r.nextPoll(j, now)
		return r.log.add(Entry{URL: j.url, State: Submitted, Job: j.id, Time: now})
	case a.copy != "":
		return r.settle(j, Entry{State: Archived, Job: j.id, Copy: a.copy, Time: a.at})
	case a.failed != "":
		return r.settle(j, Entry{State: Failed, Job: j.id, Time: now, Error: a.failed})
	case now.Sub(j.began) >= r.service.Wait:
		r.remove(j)
		r.done = append(r.done, Result{j.url, Pending, fmt.Sprintf("job %s has not ended within %v", j.id, r.service.Wait)})
		return nil
	}
	r.moveBehindEarlier(j)
	j.next = r.nextPoll(j, now)
	return nil
}

// moveBehindEarlier marks that a job was asked about, and moves it behind those of earlier runs that
// were not.
func (r *Run) moveBehindEarlier(j *job) {
	if !j.earlier {
		return
	}
	j.earlier = false
	r.remove(j)
	i := slices.IndexFunc(r.jobs, func(other *job) bool { return !other.earlier })
	if i < 0 {
		i = len(r.jobs)
	}
	r.jobs = slices.Insert(r.jobs, i, j)
}

// nextPoll returns when to ask about a job again: soon at first, later less often, and for the last
// time when the wait is over.
func (r *Run) nextPoll(j *job, now time.Time) time.Time {
	least := max(4*r.service.Interval, 20*time.Millisecond)
	next := now.Add(min(max(now.Sub(j.began)/2, least), max(longestPause, least)))
	if end := j.began.Add(r.service.Wait); next.After(end) {
		return end
	}
	return next
}

// pause lets a busy service rest. It is given up when it has been busy for too long.
func (r *Run) pause(j *job, a *answer, now time.Time) error {
	r.last = a.refused
	if r.busySince.IsZero() {
		r.busySince = now
	}
	left := r.busySince.Add(r.service.Wait).Sub(now)
	pause := fetch.Backoff(r.service.Backoff, r.busy, longestPause)
	if a.hasRest {
		pause = a.rest
	}
	if left <= 0 || a.hasRest && a.rest > r.service.MaxWait {
		return fmt.Errorf("it is busy: %w", a.refused)
	}
	r.busy++
	until := now.Add(min(pause, left))
	if a.sessions { // jobs that end make room
		r.submitFrom = until
	} else {
		r.free = later(r.free, until)
	}
	j.next = until
	return nil
}

// refuse counts a request without an answer that can be used, and repeats it if that may help.
func (r *Run) refuse(j *job, a *answer, now time.Time) error {
	r.last = a.refused
	if r.refused++; r.refused >= maxRefused {
		return a.refused
	}
	if a.again && j.tries < r.service.Retries && a.rest <= r.service.MaxWait {
		j.next = now.Add(max(a.rest, fetch.Backoff(r.service.Backoff, j.tries, fetch.MaxBackoff)))
		if a.overload {
			r.free = later(r.free, now.Add(a.rest))
		}
		j.tries++
		return nil
	}
	r.unanswered++
	if j.id != "" { // a later run asks again
		r.remove(j)
		r.done = append(r.done, Result{j.url, Pending, "no answer: " + a.refused.Error()})
		return nil
	}
	return r.settle(j, Entry{State: Failed, Time: now, Error: a.refused.Error()})
}

// settle writes what became of a URL.
func (r *Run) settle(j *job, e Entry) error {
	e.URL = j.url
	r.remove(j)
	text := e.Copy
	if e.State == Failed {
		text = e.Error
	}
	r.done = append(r.done, Result{j.url, e.State, text})
	return r.log.add(e)
}

func (r *Run) remove(j *job) {
	r.jobs = slices.DeleteFunc(r.jobs, func(other *job) bool { return other == j })
}

// giveUp tells of the URLs that are left that nothing more is asked about them.
func (r *Run) giveUp() {
	why := r.over.Error()
	if errors.Is(r.over, context.Canceled) {
		why = "interrupted"
	}
	for _, j := range r.jobs {
		if r.unanswered++; j.id != "" {
			r.done = append(r.done, Result{j.url, Pending, "not asked for: " + why})
		} else {
			r.done = append(r.done, Result{j.url, Failed, "not submitted: " + why})
		}
	}
	r.jobs = nil
}

// IntervalFor returns the least time between two requests to a service.
func IntervalFor(service urinorm.URL) time.Duration {
	if urinorm.IsLoopback(service.Host()) {
		return 0
	}
	return 250 * time.Millisecond
}
