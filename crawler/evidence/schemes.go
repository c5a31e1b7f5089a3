package evidence

import (
	"context"
	"errors"
	"io"
	"time"

	"github.com/orbweaver/orbweaver/crawler/fetch"
)

// Fetcher returns a Fetcher that keeps what another one answers, which is for another scheme than
// http and https.
func (k *Keeper) Fetcher(of fetch.Fetcher) fetch.Fetcher { return &keptScheme{k, of} }

type keptScheme struct {
	k  *Keeper
	of fetch.Fetcher
}

// Fetch passes the request on, and keeps the answer when its body was read.
func (s *keptScheme) Fetch(ctx context.Context, req *fetch.Request) (*fetch.Response, error) {
	asker := fetch.AskerOf(ctx, req.URL)
	if asker.Hidden {
		return s.of.Fetch(ctx, req)
	}
	k := s.k
	f := facts{For: k.mask.url(asker.URL.Printed()), Beside: !asker.Visit, First: asker.First, Page: asker.Visit && req.Internal && req.Need == fetch.Content}
	e := &event{Format: format, Kind: "answer", Method: "HEAD", facts: f}
	if req.Need == fetch.Content {
		e.Method = "GET"
	}
	kept := &keptBody{k: k, e: e, uri: k.mask.url(req.URL.WithoutFragment().Printed()), at: time.Now()}
	resp, err := s.of.Fetch(ctx, req)
	if err != nil {
		var failed *fetch.Fault
		if errors.As(err, &failed) {
			e.Kind, e.Fault, e.Message, e.facts.Fault = "fault", failed.Kind, k.mask.text(failed.Error()), k.faultOf(failed)
			e.facts.setRequests(failed.Requests)
			kept.finish()
		}
		return nil, err
	}
	e.facts.setRequests(resp.Requests)
	e.Answer = k.answerOf(resp)
	if resp.Body == nil {
		kept.finish()
		return resp, nil
	}
	kept.of, e.Answer.HasBody = resp.Body, true
	resp.Body = kept
	return resp, nil
}

func (f *facts) setRequests(n int) {
	if f.Requests = nil; n != 1 {
		f.Requests = &n
	}
}

// answerOf returns what is kept of a response besides its body.
func (k *Keeper) answerOf(r *fetch.Response) *answer {
	a := &answer{Status: r.Status, Location: k.mask.text(r.Location), Type: r.ContentType, Size: r.Size, Modified: r.Modified, Excerpt: k.mask.bytes(r.Excerpt)}
	for _, note := range r.Notes {
		a.Notes = append(a.Notes, [2]string{note.Code, k.mask.text(note.Message)})
	}
	return a
}

// keptBody keeps the body of an answer that is read.
type keptBody struct {
	k    *Keeper
	e    *event
	uri  string
	at   time.Time
	of   io.ReadCloser
	body []byte
	over bool
}

// maxEventBody is how much of a body of other schemes is kept, in bytes.
const maxEventBody = 10<<20 + 1

func (b *keptBody) Read(p []byte) (int, error) {
	n, err := b.of.Read(p)
	b.body = append(b.body, p[:min(n, maxEventBody-len(b.body))]...)
	var failed *fetch.Fault
	if errors.As(err, &failed) {
		b.e.facts.Fault = b.k.faultOf(failed)
	}
	return n, err
}

func (b *keptBody) Close() error {
	err := b.of.Close()
	if !b.over {
		b.over = true
		b.e.Answer.Body = b.k.mask.bytes(b.body)
		b.finish()
	}
	return err
}

func (b *keptBody) finish() { b.k.append(jsonRecord(newID(), b.uri, b.at, b.e)) }

// LimitTime and ExtendTime implement fetch.TimeLimiter.
func (b *keptBody) LimitTime(limit time.Duration) {
	if t, ok := b.of.(fetch.TimeLimiter); ok {
		t.LimitTime(limit)
	}
}

// ExtendTime passes the time on.
func (b *keptBody) ExtendTime(waited time.Duration) {
	if t, ok := b.of.(fetch.TimeLimiter); ok {
		t.ExtendTime(waited)
	}
}
