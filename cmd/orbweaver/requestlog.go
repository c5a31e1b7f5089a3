package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"
	"time"

	"github.com/orbweaver/orbweaver/crawler/fetch"
)

// requestLog writes a line about each request, with its status and its time.
type requestLog struct {
	fetch.Mux
	to io.Writer
}

// Fetch passes the request on, and writes the line when the answer has begun.
func (l *requestLog) Fetch(ctx context.Context, req *fetch.Request) (*fetch.Response, error) {
	began := time.Now()
	resp, err := l.Mux.Fetch(ctx, req)
	status := "ok" // of schemes without a status
	fault, isFault := errors.AsType[*fetch.Fault](err)
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
