package fetch

import (
	"errors"
	"io"
	"time"

	"github.com/orbweaver/orbweaver/crawler/internal/traffic"
	"github.com/orbweaver/orbweaver/urinorm"
)

// A Recorder keeps what is sent and what is answered. It is safe for concurrent use.
type Recorder interface {
	// Begin is called before a request is sent over HTTP.
	Begin(*traffic.Sent) Recording
	// Other is called at the end of a request over another scheme.
	Other(*Other)
}

// Recording is one exchange. One goroutine after another calls its methods.
type Recording interface {
	// Keep is called with each part of the body, as it came: without its transfer coding, but
	// with its content coding. The part is valid during the call only.
	Keep(part []byte)
	// Finish is called once, at the end. It gets nil if the exchange was cut off with the run,
	// and is worth nothing. The fault says why there is no answer, or why the body is not all; it
	// may be nil.
	Finish(got *traffic.Received, fault *Fault)
}

// Other is what became of a request over another scheme than http and https.
type Other struct {
	URL   urinorm.URL // without fragment
	Asker traffic.Asker
	Page  bool // it was to be read as a page of the site itself
	Need  Need
	At    time.Time // of the request

	Response *Response // nil if there was none; its Body is not to be used
	Body     []byte    // what was read of the body, at most 10 MiB and a byte; nil if there was none
	Fault    *Fault    // why there is no response, or why the body is not all
}

// maxOtherBody is how much of a body of other schemes is kept, in bytes.
const maxOtherBody = 10<<20 + 1

// isPage reports whether what is requested is to be read as a page of the site itself.
func isPage(asker traffic.Asker, req *Request) bool {
	return asker.Visit && req.Internal && req.Need == Content
}

// otherBody is the body of a response, which a Recorder sees when it is closed.
type otherBody struct {
	io.ReadCloser
	to  Recorder
	got *Other // nil once it was closed
}

func (b *otherBody) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	if b.got != nil {
		b.got.Body = append(b.got.Body, p[:min(n, maxOtherBody-len(b.got.Body))]...)
		errors.As(err, &b.got.Fault)
	}
	return n, err
}

func (b *otherBody) Close() error {
	err := b.ReadCloser.Close()
	if b.got != nil {
		b.to.Other(b.got)
		b.got = nil
	}
	return err
}
