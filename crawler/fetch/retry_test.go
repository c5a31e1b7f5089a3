package fetch

import (
	"net/http"
	"strings"
	"testing"
	"time"
)

var retryNow = time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)

func TestRetryAfter(t *testing.T) {
	const none = -1
	tests := []struct {
		value string
		want  time.Duration
	}{
		{"0", 0},
		{"30", 30 * time.Second},
		{" 30 ", 30 * time.Second},
		{"+30", 30 * time.Second},
		{"030", 30 * time.Second},
		{`"30"`, 30 * time.Second},
		{"-1", 0},
		{"-1.5", 0},
		{"1.5", 1500 * time.Millisecond},
		{".5", 500 * time.Millisecond},
		{"30.", 30 * time.Second},
		{"30, 60", time.Minute},
		{"30s", 30 * time.Second},
		{"30S", 30 * time.Second},
		{"-30s", 0},
		{"1m30s", 90 * time.Second},
		{"1h 5m", time.Hour + 5*time.Minute},
		{"500ms", 500 * time.Millisecond},
		{"2 minutes", 2 * time.Minute},
		{"1 minute, 30 seconds", 90 * time.Second},
		{"1.5h", 90 * time.Minute},
		{"30 sec", 30 * time.Second},
		{"99999999999999999999999999", maxRetryAfter},
		{"99999999999h", maxRetryAfter},
		{"1767323105", time.Minute},    // a Unix time
		{"1767323105000", time.Minute}, // in milliseconds
		{"1767323045", 0},              // now
		{"1567323045", 0},              // long ago
		{"31622400", maxRetryAfter},    // 366 days
		{"Fri, 02 Jan 2026 03:05:05 GMT", time.Minute},
		{"Friday, 02-Jan-26 03:05:05 GMT", time.Minute}, // RFC 850
		{"Fri Jan  2 03:05:05 2026", time.Minute},       // asctime
		{"Fri, 2 Jan 2026 03:05:05 GMT", time.Minute},
		{"Fri, 02 Jan 2026 03:05:05 UTC", time.Minute},
		{"Fri, 02 Jan 2026 04:05:05 +0100", time.Minute},
		{"Thu, 01 Jan 2026 22:05:05 EST", time.Minute},
		{"Fri, 02 Jan 2026 03:05:05", time.Minute},
		{"2026-01-02T03:05:05Z", time.Minute},
		{"2026-01-02T04:05:05.5+01:00", time.Minute + 500*time.Millisecond},
		{"2026-01-02 03:05:05", time.Minute},
		{"Thu, 01 Jan 2026 03:05:05 GMT", 0}, // yesterday
		{"Fri, 02 Jan 2099 03:05:05 GMT", maxRetryAfter},
		{"Fri, 02 Jan 0001 03:05:05 GMT", 0},
		{"", none},
		{"soon", none},
		{"30x", none},
		{"s", none},
		{"1e9", none},
		{"0x10", none},
		{"NaN", none},
		{"Inf", none},
		{"1-2", none},
		{"--1", none},
		{"1.2.3", none},
		{"-", none},
		{",", none},
		{"Fri, 32 Jan 2026 03:05:05 GMT", none},
		{"1s1s1s1s1s1s1s1s1s", none},
		{strings.Repeat("9", 10_000), none},
	}
	for _, test := range tests {
		got, ok := RetryAfter(http.Header{"Retry-After": {test.value}}, retryNow)
		if test.want == none {
			if ok {
				t.Errorf("Retry-After: %.40s is read as %v", test.value, got)
			}
			continue
		}
		if !ok || got != test.want {
			t.Errorf("Retry-After: %.40s = %v, %v, want %v", test.value, got, ok, test.want)
		}
	}
}

func TestRetryAfterHeaders(t *testing.T) {
	tests := []struct {
		name   string
		header http.Header
		want   time.Duration
		ok     bool
	}{
		{"none", http.Header{}, 0, false},
		{"the longest of several", http.Header{"Retry-After": {"5", "soon", "10"}}, 10 * time.Second, true},
		{"a server whose clock is an hour late", http.Header{"Retry-After": {"Fri, 02 Jan 2026 02:05:05 GMT"}, "Date": {"Fri, 02 Jan 2026 02:04:05 GMT"}}, time.Minute, true},
		{"a Date that is none", http.Header{"Retry-After": {"Fri, 02 Jan 2026 03:05:05 GMT"}, "Date": {"today"}}, time.Minute, true},
		{"GitHub", http.Header{"X-Ratelimit-Remaining": {"0"}, "X-Ratelimit-Reset": {"1767323105"}}, time.Minute, true},
		{"GitHub, with something left", http.Header{"X-Ratelimit-Remaining": {"12"}, "X-Ratelimit-Reset": {"1767323105"}}, 0, false},
		{"GitLab", http.Header{"Ratelimit-Remaining": {"0"}, "Ratelimit-Reset": {"1767323105"}}, time.Minute, true},
		{"in seconds", http.Header{"Ratelimit-Remaining": {"0"}, "Ratelimit-Reset": {"30"}}, 30 * time.Second, true},
		{"draft 6", http.Header{"Ratelimit": {"limit=100, remaining=0, reset=30"}}, 30 * time.Second, true},
		{"draft 9", http.Header{"Ratelimit": {`"default";r=0;t=30`}}, 30 * time.Second, true},
		{"draft 9, with something left", http.Header{"Ratelimit": {`"default";r=5;t=30`}}, 0, false},
		{"Retry-After wins", http.Header{"Retry-After": {"5"}, "Ratelimit": {`"default";r=0;t=30`}}, 5 * time.Second, true},
		{"an unreadable Retry-After does not", http.Header{"Retry-After": {"soon"}, "Ratelimit": {`"default";r=0;t=30`}}, 30 * time.Second, true},
		{"Twitter", http.Header{"X-Rate-Limit-Remaining": {"0"}, "X-Rate-Limit-Reset": {"1767323105"}}, time.Minute, true},
	}
	for _, test := range tests {
		if got, ok := RetryAfter(test.header, retryNow); got != test.want || ok != test.ok {
			t.Errorf("%s: %v, %v, want %v", test.name, got, ok, test.want)
		}
	}
}

func FuzzRetryAfter(f *testing.F) {
	for _, seed := range []string{"30", "1m30s", "1.5", "-1", "Fri, 02 Jan 2026 03:05:05 GMT", "2026-01-02T03:05:05Z", "1767323105",
		"1767323105000", "2 minutes", "30, 60", "99999999999999999999", "Thu, 01 Jan 2026 22:05:05 EST", ""} {
		f.Add(seed, "0", seed)
	}
	f.Fuzz(func(t *testing.T, value, remaining, reset string) {
		h := http.Header{}
		h.Set("Retry-After", value)
		h.Set("Date", reset)
		h.Set("X-RateLimit-Remaining", remaining)
		h.Set("X-RateLimit-Reset", reset)
		wait, ok := RetryAfter(h, retryNow)
		if wait < 0 || wait > maxRetryAfter || !ok && wait != 0 {
			t.Errorf("%q, %q: %v, %v", value, reset, wait, ok)
		}
	})
}
