package fetch

import (
	"errors"
	"io"
	"net/http"
	"time"
)

// body is the decoded content of an answer.
type body struct {
	of    *httpFetch
	limit time.Duration // of one read
	ex    *exchange
	raw   io.ReadCloser
	plain io.ReadCloser
	kept  *recordedExchange // that wants to see the decoded content; nil for none
	err   error
}

// content returns the body of an answer for the caller to read.
func (f *httpFetch) content(ans *answer) *body {
	b := &body{of: f, limit: f.by.timeout, ex: ans.ex, raw: ans.Body}
	b.plain = rawBody{b}
	if label := contentEncoding(ans.Header); label != "" {
		b.plain = DecodeBody(rawBody{b}, label, f.by.maxBody+inflateAllowed)
		b.kept, _ = ans.Body.(*recordedExchange)
	}
	return b
}

// rawBody reads the encoded body. It turns timeouts and broken connections into faults
// before the decoders see them, so that neither is mistaken for corrupt data.
type rawBody struct{ b *body }

func (r rawBody) Read(p []byte) (int, error) {
	b := r.b
	b.ex.startTimer(b.limit)
	n, err := b.raw.Read(p)
	b.ex.stopTimer()
	if err != nil && err != io.EOF {
		if isHTTP2(err) && b.ex.ctx.Err() == nil {
			b.of.facts.onlyHTTP1.Store(true) // so that a retry uses HTTP/1.1
		}
		err = bodyFault(b.ex.ctx, b.of.printed(), b.limit, err)
	}
	return n, err
}

// Close does nothing, because the body that r belongs to is closed instead.
func (rawBody) Close() error { return nil }

func (b *body) Read(p []byte) (int, error) {
	if b.err != nil {
		return 0, b.err
	}
	n, err := b.plain.Read(p)
	if b.kept != nil {
		b.kept.noteText(p[:n])
	}
	if err == nil || err == io.EOF {
		b.err = err
		return n, err
	}
	var fault *Fault
	var coding *codingError
	switch {
	case errors.As(err, &fault):
	case errors.As(err, &coding):
		err = &Fault{Kind: "protocol-error", Op: "read", Target: b.of.printed(), Err: err}
	case errors.Is(err, io.ErrUnexpectedEOF):
		err = &Fault{Kind: "body-truncated", Op: "read", Target: b.of.printed(), Retry: true, Err: &cause{"the encoded body ended early", err}}
	case err == errInflated:
		err = &Fault{Kind: "body-truncated", Op: "read", Target: b.of.printed(), Err: err}
	}
	b.err = err
	return n, err
}

// LimitTime limits the time that all further reads of the Body together may take, if it is received
// over HTTP. The goroutine that reads calls it.
func (r *Response) LimitTime(limit time.Duration) {
	if b, ok := r.Body.(*body); ok {
		b.ex.limitTime(limit)
	}
}

// ExtendTime adds to the time that all further reads of the Body together may take, because the
// reader has waited for something else. The goroutine that reads calls it.
func (r *Response) ExtendTime(waited time.Duration) {
	if b, ok := r.Body.(*body); ok {
		b.ex.deadline = b.ex.deadline.Add(waited)
	}
}

// Close ends the exchange. The connection is reused if the body was read to its end.
func (b *body) Close() error {
	if b.err == nil || b.err == io.EOF {
		b.err = http.ErrBodyReadAfterClose
	}
	b.plain.Close()
	b.ex.cancel(errClosed) // as in discard
	err := b.raw.Close()
	b.ex.end()
	return err
}
