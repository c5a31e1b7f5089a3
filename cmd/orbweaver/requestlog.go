package main

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/orbweaver/orbweaver/crawler/fetch"
)

// requestLog prints each request with its status and time, for --verbose.
type requestLog struct {
	fetch.Mux
	print func(line string)
}

// Fetch passes the request on, and prints it when the answer has begun.
func (l *requestLog) Fetch(ctx context.Context, req *fetch.Request) (*fetch.Response, error) {
	began := time.Now()
	resp, err := l.Mux.Fetch(ctx, req)
	status := "ok" // of schemes without a status
	fault, isFault := errors.AsType[*fetch.Fault](err)
	switch {
	case isFault:
		status = string(fault.Kind)
	case err != nil:
		return resp, err
	case resp.Status != 0:
		status = strconv.Itoa(resp.Status)
	}
	l.print(fmt.Sprintf("%-3s  %6.3f s  %s", status, time.Since(began).Seconds(), req.URL.Printed()))
	return resp, err
}
