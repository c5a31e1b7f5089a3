package evidence

import (
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httputil"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/orbweaver/orbweaver/crawler/fetch"
	"github.com/orbweaver/orbweaver/crawler/internal/traffic"
	"github.com/orbweaver/orbweaver/urinorm"
)

// Begin returns what was kept for the next Fetch of a URL: the answers that its asker got, else
// those that another one got. It is a method of fetch.Replayer.
func (a *Archive) Begin(asker traffic.Asker, u urinorm.URL) fetch.Replay {
	uri, who := u.Printed(), asker.URL.Printed()
	if r := a.begin(keyOf(who, uri, !asker.Visit), uri); r != nil {
		return r
	}
	r := &replay{a: a}
	if isRobots(asker) {
		r.list = noRobots
	} else if !asker.Visit || who != uri {
		a.mu.Lock()
		defer a.mu.Unlock()
		if len(a.missing) < maxKept {
			a.missing[uri] = true
		}
	}
	return r
}

// begin returns what was kept for the next request with a key, nil for nothing.
func (a *Archive) begin(key, uri string) *replay {
	a.mu.Lock()
	defer a.mu.Unlock()
	all := a.kept[key]
	if all == nil {
		all = a.kept[uri]
	}
	if others := a.byURL[uri]; all == nil && len(others) > 0 {
		all = a.kept[others[0]]
	}
	if all == nil {
		return nil
	}
	fetches := fetchesOf(all)
	n := min(a.cursors[key], len(fetches)-1)
	for n < len(fetches)-1 && fetches[n][len(fetches[n])-1].local {
		n++ // it was repeated
	}
	a.cursors[key] = n + 1
	return &replay{a: a, list: fetches[n], later: fetches[n+1:]}
}

// isRobots reports whether a request is for a robots.txt, or for what it redirects to.
func isRobots(asker traffic.Asker) bool { return !asker.Visit && asker.URL.Path() == "/robots.txt" }

// noRobots is the answer for a robots.txt that was not kept: there is none.
var noRobots = []keptExchange{{source: source{file: -1}}}

// replay is a fetch.Replay.
type replay struct {
	a     *Archive
	list  []keptExchange
	later [][]keptExchange // of further requests
	next  int              // the index of the next exchange
}

func (r *replay) Next(method string) *fetch.Replayed {
	if len(r.list) == 0 {
		return nil
	}
	if method == http.MethodHead {
		x := r.list[min(r.next, len(r.list)-1)]
		if x.head {
			r.next++
		}
		return r.a.answer(x)
	}
	for i := r.next; i < len(r.list); i++ {
		if !r.list[i].head {
			r.next = i + 1
			return r.a.answer(r.list[i])
		}
	}
	for i := len(r.list) - 1; i >= 0; i-- {
		if !r.list[i].head {
			return r.a.answer(r.list[i])
		}
	}
	// The run asked whether the target exists, and for its content later.
	for i, list := range r.later {
		if slices.ContainsFunc(list, func(x keptExchange) bool { return !x.head }) {
			r.list, r.later, r.next = list, r.later[i+1:], 0
			return r.Next(method)
		}
	}
	return nil
}

func (r *replay) StartsWith(method string) bool {
	return len(r.list) > 0 && r.list[0].head == (method == http.MethodHead)
}

func (r *replay) Resent() bool { return r.next < len(r.list) && r.list[r.next].resent }

func (r *replay) Requests() (n int) {
	for _, x := range r.list {
		n += x.requests
	}
	return n
}

func (r *replay) Missing() error { return r.a.missingError() }

func (a *Archive) missingError() error {
	return errors.New("its answer is not in " + strings.Join(a.paths, ", "))
}

// answer reads an exchange. It returns nil if that cannot be read.
func (a *Archive) answer(x keptExchange) *fetch.Replayed {
	if x.file < 0 {
		return &fetch.Replayed{Received: traffic.Received{Status: http.StatusNotFound, Reason: "404 Not Found", Header: http.Header{}, Size: 0}, Body: http.NoBody}
	}
	m, err := x.open(a.files[x.file])
	if err != nil {
		return nil
	}
	got := &fetch.Replayed{At: m.date()}
	uri := m.field("WARC-Target-URI")
	if m.field("WARC-Type") == typeMetadata {
		e, err := readEvent(m)
		if err != nil || e.facts.Fault == nil {
			return nil
		}
		got.Fault = e.facts.Fault.fault(0)
		return got
	}
	lines := m.text()
	reason, status, header, err := readAnswerHead(lines)
	if err != nil {
		return nil
	}
	var f facts
	_ = json.Unmarshal([]byte(m.field(factsField)), &f) // other programs have none
	got.Status, got.Reason, got.Header, got.Size = status, strings.TrimSpace(strconv.Itoa(status)+" "+reason), header, -1
	got.Proxy, got.NotAfter, got.Issuer = f.Proxy, f.NotAfter, f.Issuer
	var body io.Reader = lines
	if m.field("WARC-Type") == typeRevisit {
		if body = a.payload(m.field("WARC-Payload-Digest")); body == nil && !x.head {
			return nil
		}
	}
	if strings.EqualFold(strings.TrimSpace(header.Get("Transfer-Encoding")), "chunked") {
		body = httputil.NewChunkedReader(body)
	}
	header.Del("Transfer-Encoding")
	if length, err := strconv.ParseInt(header.Get("Content-Length"), 10, 64); err == nil && length >= 0 {
		got.Size = length
	}
	if f.Size != nil {
		got.Size = *f.Size
	}
	withoutDate(header, got.At)
	got.Body = &replayedBody{r: body, end: endOf(m.field("WARC-Truncated"), f.Fault, uri)}
	return got
}

// withoutDate replaces the date of a Retry-After by the time from the request to it.
func withoutDate(h http.Header, asked time.Time) {
	if at, err := http.ParseTime(h.Get("Retry-After")); err == nil {
		h.Set("Retry-After", strconv.Itoa(max(0, int(at.Sub(asked)/time.Second))))
	}
}

// payload returns the body of a response with a digest, nil if there is none.
func (a *Archive) payload(digest string) io.Reader {
	at, known := a.bodies[shortHash(digest)]
	if !known {
		return nil
	}
	m, err := at.open(a.files[at.file])
	if err != nil {
		return nil
	}
	lines := m.text()
	if _, _, _, err := readAnswerHead(lines); err != nil {
		return nil
	}
	return lines
}

// endOf returns how a body ends: io.EOF if it is whole, or was not needed to its end.
func endOf(cut string, f *fault, uri string) error {
	switch {
	case f != nil:
		return f.fault(0)
	case cut == "disconnect":
		return (&fault{Kind: "body-truncated", Op: "read", Target: urinorm.Redact(uri), Cause: "the body ended early", Retry: true}).fault(0)
	case cut == "time":
		return (&fault{Kind: "timeout", Op: "read", Target: urinorm.Redact(uri), Cause: "the body paused for too long", Retry: true}).fault(0)
	}
	return io.EOF
}

// replayedBody is a body that was kept.
type replayedBody struct {
	r   io.Reader
	end error
}

func (b *replayedBody) Read(p []byte) (int, error) {
	if b.r == nil {
		return 0, b.end
	}
	n, err := b.r.Read(p)
	if err == io.EOF {
		err = b.end
	}
	return n, err
}

func (b *replayedBody) Close() error {
	b.r, b.end = nil, http.ErrBodyReadAfterClose
	return nil
}

// fault returns the fault that was kept, of an exchange that took a number of requests.
func (f *fault) fault(requests int) *fetch.Fault {
	out := &fetch.Fault{Requests: requests, Kind: f.Kind, Op: f.Op, Target: f.Target, Hint: f.Hint, Retry: f.Retry, Local: f.Local}
	if f.Cause != "" {
		out.Err = &keptCause{f.Cause, f.Kind}
	}
	return out
}

// keptCause is the cause of a fault.
type keptCause struct{ text, kind string }

func (c *keptCause) Error() string { return c.text }

// Is reports that a body which ended early is one that ended unexpectedly.
func (c *keptCause) Is(target error) bool {
	return target == io.ErrUnexpectedEOF && c.kind == "body-truncated"
}

func readEvent(m *member) (*event, error) {
	text, err := io.ReadAll(io.LimitReader(m.block, maxEventSize))
	if err != nil {
		return nil, err
	}
	e := &event{}
	err = json.Unmarshal(text, e)
	return e, err
}
