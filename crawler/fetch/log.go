package fetch

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"
	"time"
)

// Logged returns a Fetcher that writes a line about each request of another one, with its status and
// its time.
func Logged(m Mux, to io.Writer) Fetcher { return &logged{m, to} }

type logged struct {
	Mux
	to io.Writer
}

// Fetch passes the request on, and writes the line when the answer has begun.
func (l *logged) Fetch(ctx context.Context, req *Request) (*Response, error) {
	began := time.Now()
	resp, err := l.Mux.Fetch(ctx, req)
	status := "ok" // of schemes without a status
	fault, isFault := errors.AsType[*Fault](err)
	switch {
	case isFault:
		status = fault.Kind
	case err != nil:
		return resp, err
	case resp.Status != 0:
		status = strconv.Itoa(resp.Status)
	}
	fmt.Fprintf(l.to, "%-3s  %6.3f s  %s\n", status, time.Since(began).Seconds(), req.URL.Printed())
	return resp, err
}
