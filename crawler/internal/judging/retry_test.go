package judging

import (
	"net/http"
	"testing"

	"github.com/orbweaver/orbweaver/crawler/check"
	"github.com/orbweaver/orbweaver/crawler/fetch"
)

// Statuses that the user names are repeated like those of a busy server.
func TestRetryableBy(t *testing.T) {
	var named check.Statuses
	if err := named.Add(404, 410); err != nil {
		t.Fatal(err)
	}
	for _, row := range []struct {
		o        Outcome
		statuses *check.Statuses
		want     bool
	}{
		{Outcome{Code: "http-404", Status: 404}, &named, true},
		{Outcome{Code: "http-410", Status: 410}, &named, true},
		{Outcome{Code: "http-404", Status: 404}, nil, false},
		{Outcome{Code: "http-403", Status: 403}, &named, false},
		{Outcome{Code: "http-503", Status: 503}, nil, true},
		{Outcome{Code: check.CodeOK, Status: 404}, &named, false}, // accepted
		{Outcome{Code: CodeBotWall, Status: 404}, &named, false},
	} {
		if got := row.o.RetryableBy(row.statuses); got != row.want {
			t.Errorf("%s with %v: %t, want %t", row.o.Code, row.statuses, got, row.want)
		}
	}
}

func TestRetryable(t *testing.T) {
	yes := []check.Code{check.CodeTimeout, check.CodeConnectionReset, check.CodeConnectRefused, check.CodeDNSFailure, check.CodeRateLimited, check.CodeBodyTruncated,
		"http-408", "http-425", "http-500", "http-501", "http-502", "http-503", "http-504", "http-505", "http-520", "http-599"}
	no := []check.Code{check.CodeOK, check.CodeRedirect, CodeBotWall, check.CodeDNSNotFound, check.CodeTLSExpired, CodeTLSError, CodeProtocolError, check.CodeRedirectInvalid,
		check.CodeFileMissing, check.CodeExcluded, check.CodeLimit, check.CodeInterrupted, CodeRobotsDisallowed, check.CodeURIInvalid,
		"http-304", "http-400", "http-401", "http-403", "http-404", "http-405", "http-410", "http-451", "http-999"}
	for _, code := range yes {
		if o := (Outcome{Code: code}); !o.Retryable() {
			t.Errorf("%s is not retried", code)
		}
	}
	for _, code := range no {
		if o := (Outcome{Code: code}); o.Retryable() {
			t.Errorf("%s is retried", code)
		}
	}
	starved := ObserveFault(&fetch.Fault{Kind: "connect-refused", Local: true})
	if !starved.Retryable() {
		t.Error("a limit of our own machine is not retried")
	}
	for _, cut := range []bool{true, false} {
		if o := ObserveFault(&fetch.Fault{Kind: "tls-error", Retry: cut}); o.Retryable() != cut {
			t.Errorf("a TLS handshake, cut short %v: retried %v", cut, !cut)
		}
	}
	wall := Observe(Question{}, &fetch.Response{Status: 429, Header: http.Header{"X-Vercel-Mitigated": {"challenge"}}})
	if wall.Retryable() {
		t.Error("a bot wall is retried")
	}
}
