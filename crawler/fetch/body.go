package fetch

import (
	"errors"
	"io"
	"net/http"
	"time"
)

// body is the content of an answer, its codings undone.
type body struct {
	*httpFetch
	ex    *exchange
	raw   io.ReadCloser
	plain io.ReadCloser
	err   error
}

// content returns the body of an answer for its reader.
func (f *httpFetch) content(ans *answer) *body {
	b := &body{httpFetch: f, ex: ans.ex, raw: ans.Body}
	b.plain = rawBody{b}
	if label := ans.Header.Get("Content-Encoding"); label != "" {
		b.plain = decodeBody(rawBody{b}, label, f.maxBody+inflateAllowed)
	}
	return b
}

// rawBody reads what came over the wire; silence and breakage become faults here,
// below the decoders, so that neither is taken for corrupt data.
type rawBody struct{ b *body }

func (r rawBody) Read(p []byte) (int, error) {
	b := r.b
	b.ex.startTimer(b.timeout)
	n, err := b.raw.Read(p)
	b.ex.stopTimer()
	if err != nil && err != io.EOF {
		if isHTTP2(err) && b.ex.ctx.Err() == nil {
			b.facts.onlyHTTP1.Store(true) // a retry shall fare better
		}
		err = bodyFault(b.ex.ctx, b.printed(), b.timeout, err)
	}
	return n, err
}

// Close does nothing: the body that r is part of is closed.
func (rawBody) Close() error { return nil }

func (b *body) Read(p []byte) (int, error) {
	if b.err != nil {
		return 0, b.err
	}
	n, err := b.plain.Read(p)
	if err == nil || err == io.EOF {
		b.err = err
		return n, err
	}
	var fault *Fault
	var coding *codingError
	switch {
	case errors.As(err, &fault):
	case errors.As(err, &coding):
		err = &Fault{Kind: "protocol-error", Op: "read", Target: b.printed(), Err: err}
	case errors.Is(err, io.ErrUnexpectedEOF):
		err = &Fault{Kind: "body-truncated", Op: "read", Target: b.printed(), Retry: true, Err: &cause{"the body ended within its content coding", err}}
	case err == errInflated:
		err = &Fault{Kind: "body-truncated", Op: "read", Target: b.printed(), Err: err}
	}
	b.err = err
	return n, err
}

// LimitTime implements Hurrier.
func (b *body) LimitTime(limit time.Duration) { b.ex.limitTime(limit) }

// Close ends the exchange. The connection is used again when the body was read to
// its end.
func (b *body) Close() error {
	if b.err == nil || b.err == io.EOF {
		b.err = http.ErrBodyReadAfterClose
	}
	b.plain.Close()
	err := b.raw.Close()
	b.ex.end()
	return err
}
