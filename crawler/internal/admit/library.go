package admit

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"os"
	"sync"
	"time"

	"github.com/orbweaver/orbweaver/crawler/fetch"
	"github.com/orbweaver/orbweaver/crawler/internal/versions"
	"github.com/orbweaver/orbweaver/urinorm"
)

// Library keeps the answers of a run that renders pages, so that each URL is requested
// with GET at most once, whoever needs it: a visit, or the browser, for any page. A HEAD
// request for a target may come before.
//
// Bodies are in a temporary file. Requests of the browser have places at their hosts and keep
// their intervals.
type Library struct {
	web     fetch.Fetcher
	places  *places
	maxBody int64           // bytes of a body that are kept
	ctx     context.Context // of requests, which outlive the pages that needed them first
	cancel  context.CancelFunc
	asking  sync.WaitGroup

	mu      sync.Mutex
	answers map[string]*kept // by URL without fragment
	same    map[string]*same // by URL without fragment
	file    *os.File
	size    int64
}

// kept is an answer, or a request in progress.
type kept struct {
	done     chan struct{} // closed when the rest is set
	resp     fetch.Response
	at       int64 // of the body in the file
	length   int64
	bodyless bool          // the body was not read: it may have no end
	waited   time.Duration // for a place and a turn; only for a request of the browser
	err      error         // there was no answer, or no complete one
}

func newLibrary(ctx context.Context, cfg *Config, at *places) *Library {
	l := &Library{web: cfg.Fetch, places: at, maxBody: cfg.MaxBody, answers: map[string]*kept{}, same: map[string]*same{}}
	l.ctx, l.cancel = context.WithCancel(ctx)
	return l
}

// Close ends the requests in progress and deletes what is kept. l may be nil.
func (l *Library) Close() {
	if l == nil {
		return
	}
	l.cancel()
	l.asking.Wait()
	if l.file != nil {
		l.file.Close()
		_ = os.Remove(l.file.Name())
	}
}

// fetch sends a request of a visit: it answers with what is kept, and keeps the answers to GET
// requests.
func (l *Library) fetch(ctx context.Context, req *fetch.Request) (*fetch.Response, error) {
	key := keyOf(req)
	if !isKept(req) {
		return l.web.Fetch(ctx, req)
	}
	for {
		l.mu.Lock()
		k := l.answers[key]
		if k == nil && req.Need == fetch.Existence {
			l.mu.Unlock()
			l.places.begin(req.URL.Authority())
			return l.web.Fetch(ctx, req)
		}
		if k == nil {
			k = &kept{done: make(chan struct{})}
			l.answers[key] = k
			l.mu.Unlock()
			l.places.begin(req.URL.Authority())
			return l.ask(ctx, key, k, req)
		}
		l.mu.Unlock()
		select {
		case <-k.done:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
		if k.err == nil && (!k.bodyless || req.Need == fetch.Existence) {
			return l.response(k, req)
		}
		l.forget(key, k)
	}
}

// isKept reports whether the answer to a request may be kept, and answered with another.
func isKept(req *fetch.Request) bool {
	scheme := req.URL.Scheme()
	return (scheme == "http" || scheme == "https") && !req.Anonymous && req.Validators.IsZero()
}

// keyOf returns the key of the answer to a request.
func keyOf(req *fetch.Request) string { return req.URL.WithoutFragment().String() }

// Forget deletes the answers for some URLs: they are requested again. l may be nil.
func (l *Library) Forget(covers func(urinorm.URL) bool) {
	if l == nil {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	for key := range l.answers {
		if u, _, err := urinorm.ParseWeb(key); err == nil && covers(u) {
			delete(l.answers, key)
		}
	}
}

func (l *Library) forget(key string, k *kept) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if k == nil || l.answers[key] == k {
		delete(l.answers, key)
	}
}

// ask sends a visit's request, and keeps the answer.
func (l *Library) ask(ctx context.Context, key string, k *kept, req *fetch.Request) (*fetch.Response, error) {
	resp, body, err := l.get(ctx, req, k)
	if err != nil {
		l.forget(key, k)
		close(k.done)
		return nil, err
	}
	if k.err != nil {
		l.forget(key, k)
	}
	close(k.done)
	return withBody(resp, body, k.err), nil
}

// get sends a request and fills in what is kept of its answer. The error of a body that
// was not complete is in k.err.
func (l *Library) get(ctx context.Context, req *fetch.Request, k *kept) (resp *fetch.Response, body []byte, err error) {
	resp, err = l.web.Fetch(ctx, req)
	if err != nil {
		k.err = err
		return nil, nil, err
	}
	k.resp = *resp
	k.resp.Body = nil
	switch {
	case resp.Body == nil:
	case k.bodyless:
		resp.Body.Close()
	default:
		body, k.err = io.ReadAll(io.LimitReader(resp.Body, l.maxBody+1))
		resp.Body.Close()
		if k.err == nil {
			k.at, k.length, k.err = l.put(body)
		}
	}
	return resp, body, nil
}

// put appends a body to the file.
func (l *Library) put(body []byte) (at, length int64, err error) {
	if len(body) == 0 {
		return 0, 0, nil
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.file == nil {
		if l.file, err = os.CreateTemp("", "orbweaver-answers-*"); err != nil {
			return 0, 0, err
		}
		_ = os.Remove(l.file.Name()) // where an open file can be removed, nothing is left even after a crash
	}
	at = l.size
	if _, err = l.file.WriteAt(body, at); err != nil {
		return 0, 0, err
	}
	l.size += int64(len(body))
	return at, int64(len(body)), nil
}

// read reads the body of an answer.
func (l *Library) read(k *kept) ([]byte, error) {
	body := make([]byte, k.length)
	if k.length == 0 {
		return body, nil
	}
	_, err := l.file.ReadAt(body, k.at)
	return body, err
}

// response returns a kept answer to a visit.
func (l *Library) response(k *kept, req *fetch.Request) (*fetch.Response, error) {
	resp := k.resp
	resp.Kept = resp.Requests
	if req.Need == fetch.Existence {
		return &resp, nil
	}
	body, err := l.read(k)
	if err != nil {
		return nil, err
	}
	return withBody(&resp, body, nil), nil
}

// withBody gives a response a body, which ends with an error unless it is nil.
func withBody(resp *fetch.Response, body []byte, err error) *fetch.Response {
	var r io.Reader = bytes.NewReader(body)
	if err != nil {
		r = io.MultiReader(r, failedReader{err})
	}
	resp.Body = io.NopCloser(r)
	return resp
}

// failedReader is a reader that fails.
type failedReader struct{ err error }

func (f failedReader) Read([]byte) (int, error) { return 0, f.err }

// Asked is the answer to a request of the browser.
type Asked struct {
	Status   int
	Header   http.Header
	Body     []byte
	Requests int           // sent for it now
	Waited   time.Duration // for the pace of the host
	OK       bool          // there was an answer
}

// Ask answers a request of the browser that was decided about. A stream is not read. The
// request outlives ctx: another page may need the answer, too.
func (l *Library) Ask(ctx context.Context, by Decision, req *fetch.Request, stream bool) (a Asked) {
	if _, err := by.use(req.URL); err != nil {
		return a
	}
	key := keyOf(req)
	l.mu.Lock()
	k := l.answers[key]
	if k == nil {
		k = &kept{done: make(chan struct{}), bodyless: stream}
		l.answers[key] = k
		l.asking.Go(func() {
			defer close(k.done)
			began := time.Now()
			err := l.inPlace(l.ctx, req.URL, func() {
				k.waited = time.Since(began)
				_, _, _ = l.get(l.ctx, req, k) // its error is in k.err
			})
			if err != nil {
				k.err = err
			}
		})
		l.mu.Unlock()
		defer func() { a.Requests, a.Waited = requestsOf(k) }()
	} else {
		l.mu.Unlock()
	}
	select {
	case <-k.done:
	case <-ctx.Done():
		return a
	}
	if k.err != nil {
		return a
	}
	body, err := l.read(k)
	if err != nil || int64(len(body)) > l.maxBody {
		return a
	}
	a.Status, a.Header, a.Body, a.OK = k.resp.Status, k.resp.Header, body, true
	return a
}

// same is what is known of a file of an earlier run, or a request in progress.
type same struct {
	done      chan struct{} // closed when the rest is set
	unchanged bool
}

// Unchanged reports whether a file has the validators that it had in an earlier run, and how
// many requests were sent to learn that. Each URL is asked about once.
func (l *Library) Unchanged(ctx context.Context, by Decision, req *fetch.Request, v versions.Validators) (unchanged bool, requests int) {
	if _, err := by.use(req.URL); err != nil {
		return false, 0
	}
	key := keyOf(req)
	l.mu.Lock()
	known := l.same[key]
	if known != nil {
		l.mu.Unlock()
		select {
		case <-known.done:
			return known.unchanged, 0
		case <-ctx.Done():
			return false, 0
		}
	}
	known = &same{done: make(chan struct{})}
	defer close(known.done)
	l.same[key] = known
	l.mu.Unlock()
	var resp *fetch.Response
	var err error
	if l.inPlace(ctx, req.URL, func() { resp, err = l.web.Fetch(ctx, req) }) != nil {
		return false, 0
	}
	if err != nil {
		if fault, ok := errors.AsType[*fetch.Fault](err); ok {
			requests = fault.Requests
		}
		return false, requests
	}
	known.unchanged = v.Match(resp.Status, resp.Header)
	return known.unchanged, resp.Requests
}

// requestsOf returns how many requests were sent for an answer, and how long they had to wait.
// Both are 0 while that is not known.
func requestsOf(k *kept) (requests int, waited time.Duration) {
	select {
	case <-k.done:
	default:
		return 0, 0
	}
	if fault, ok := errors.AsType[*fetch.Fault](k.err); ok {
		return fault.Requests, k.waited
	}
	return k.resp.Requests, k.waited
}

// inPlace sends a request when there is a place for it and its turn has come.
func (l *Library) inPlace(ctx context.Context, u urinorm.URL, send func()) error {
	if _, err := l.places.locate(ctx, u, 0); err != nil {
		return err
	}
	host := u.Authority()
	place, err := l.places.take(ctx, host)
	if err != nil {
		return err
	}
	defer l.places.give(place)
	if err := l.places.awaitTurn(ctx, host); err != nil {
		return err
	}
	send()
	return nil
}
