package judging

import (
	"context"
	"errors"
	"fmt"
	"io"
	"testing"

	"github.com/orbweaver/orbweaver/crawler/check"
	"github.com/orbweaver/orbweaver/crawler/fetch"
)

func TestObserveFault(t *testing.T) {
	cause := errors.New("connection refused")
	tests := []struct {
		name    string
		err     error
		code    check.Code
		message string
		starved bool
	}{
		{"host and port", &fetch.Fault{Kind: "connect-refused", Op: "connect", Target: "example.com:443", Err: cause, Requests: 2},
			check.CodeConnectRefused, "example.com:443: connection refused", false},
		{"a URL", &fetch.Fault{Kind: "tls-error", Op: "handshake with", Target: "https://example.com/", Err: errors.New("the connection was closed during the TLS handshake"), Requests: 2},
			CodeTLSError, "the connection was closed during the TLS handshake", false},
		{"a hint", &fetch.Fault{Kind: "file-missing", Op: "open", Target: "docs/x.html", Err: errors.New("there is no such file"), Hint: "x.htm is there", Requests: 2},
			check.CodeFileMissing, "docs/x.html: there is no such file; x.htm is there", false},
		{"letter case", &fetch.Fault{Kind: "file-case", Op: "open", Target: "docs/readme.md", Err: errors.New("x"), Hint: "docs/README.md", Requests: 2},
			check.CodeFileCase, `the file is named "docs/README.md", in different letter case`, false},
		{"no cause", &fetch.Fault{Kind: "timeout", Target: "example.com:443", Requests: 2}, check.CodeTimeout, "example.com:443: no answer in time", false},
		{"wrapped", fmt.Errorf("visit: %w", &fetch.Fault{Kind: "timeout", Requests: 2}), check.CodeTimeout, "no answer in time", false},
		{"a timeout, not the run's end", &fetch.Fault{Kind: "timeout", Err: context.DeadlineExceeded, Requests: 2}, check.CodeTimeout, context.DeadlineExceeded.Error(), false},
		{"our own machine", &fetch.Fault{Kind: "timeout", Local: true, Err: errors.New("too many open files"), Requests: 2},
			check.CodeLimit, "a limit of this machine stopped the request: too many open files", true},
		{"cancelled", context.Canceled, check.CodeInterrupted, "the run ended before the answer arrived", false},
		{"time is over", fmt.Errorf("fetch: %w", context.DeadlineExceeded), check.CodeInterrupted, "the run ended before the answer arrived", false},
		{"no Fault at all", io.ErrUnexpectedEOF, check.CodeLimit, "the request could not be sent from this machine", true},
	}
	for _, test := range tests {
		o := ObserveFault(test.err)
		if o.Code != test.code || o.Message != test.message || o.LocalLimit != test.starved || o.Size != -1 {
			t.Errorf("%s: %+v, want %s %q", test.name, o, test.code, test.message)
		}
		if _, ok := asFault(test.err); ok && o.Requests != 2 {
			t.Errorf("%s: %d requests", test.name, o.Requests)
		}
	}
}

func TestCut(t *testing.T) {
	tests := []struct {
		name string
		err  error
		code check.Code // of a page
	}{
		{"ended early", &fetch.Fault{Kind: "body-truncated"}, check.CodeBodyTruncated},
		{"reset", &fetch.Fault{Kind: "connection-reset"}, check.CodeBodyTruncated},
		{"not a Fault", io.ErrUnexpectedEOF, check.CodeBodyTruncated},
		{"silence", &fetch.Fault{Kind: "timeout"}, check.CodeTimeout},
		{"bad chunks", &fetch.Fault{Kind: "protocol-error"}, CodeProtocolError},
		{"our own machine", &fetch.Fault{Kind: "body-truncated", Local: true}, check.CodeLimit},
		{"cancelled", context.Canceled, check.CodeInterrupted},
	}
	for _, test := range tests {
		page, leaf := answered(t, 200, nil), answered(t, 200, nil)
		page = page.With(BodyError(test.err, true))
		leaf = leaf.With(BodyError(test.err, false))
		if page.Code != test.code || page.Message == "" {
			t.Errorf("%s: page %s %q", test.name, page.Code, page.Message)
		}
		if leaf.Code != check.CodeOK || len(leaf.Warnings) != 1 || leaf.Warnings[0].Code != check.CodeBodyTruncated {
			t.Errorf("%s: leaf %+v", test.name, leaf)
		}
	}
}
