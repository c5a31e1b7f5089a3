package fetch

import (
	"errors"
	"math"
	"math/rand/v2"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// MaxBackoff is the longest wait before a retry.
const MaxBackoff = time.Minute

// Backoff returns how long to wait after a number of retries. The wait doubles with each
// retry up to longest, and is random by half of it up or down.
func Backoff(mean time.Duration, retries int, longest time.Duration) time.Duration {
	wait := min(mean<<min(retries, 10), longest)
	return wait/2 + rand.N(wait+1)
}

// maxRetryAfter is the longest time that RetryAfter returns. More than a year means
// "never", and the sum with the current time must not overflow.
const maxRetryAfter = 366 * 24 * time.Hour

// maxRetryHeader is the length of the longest header value that is read, in bytes.
const maxRetryHeader = 256

// RetryAfter returns how long to wait before the next request to a server, counted from
// now.
//
// RFC 9110 10.2.3 defines whole seconds and an HTTP-date. Servers also send fractions,
// units ("30s", "1m30s", "2 minutes"), other date formats, Unix times, and values in the
// past or below zero, which mean "at once". A date is compared with the server's Date
// header if there is one, because the server's clock may be wrong. Without a usable
// Retry-After, the headers of rate limits are read if they say that the limit is
// reached. The result is at most 366 days.
func RetryAfter(h http.Header, now time.Time) (time.Duration, bool) {
	longest, found := time.Duration(0), false
	for _, value := range h.Values("Retry-After") {
		if wait, ok := retryValue(value, serverNow(h, now), now); ok {
			longest, found = max(longest, wait), true
		}
	}
	if found {
		return longest, true
	}
	return rateLimitReset(h, now)
}

// serverNow returns the time of the server's clock, or now if it is not known.
func serverNow(h http.Header, now time.Time) time.Time {
	if date, err := http.ParseTime(h.Get("Date")); err == nil {
		return date
	}
	return now
}

func retryValue(value string, serverNow, now time.Time) (time.Duration, bool) {
	value = strings.Trim(value, " \t\"'")
	if value == "" || len(value) > maxRetryHeader {
		return 0, false
	}
	if wait, ok := retrySeconds(value, now); ok {
		return wait, true
	}
	if wait, ok := retryUnits(value); ok {
		return wait, true
	}
	if date, ok := retryDate(value); ok {
		return clampWait(date.Sub(serverNow)), true
	}
	// Proxies join two headers to a list: "30, 30".
	if first, rest, ok := strings.Cut(value, ","); ok {
		a, okA := retrySeconds(strings.TrimSpace(first), now)
		b, okB := retrySeconds(strings.TrimSpace(rest), now)
		return max(a, b), okA && okB
	}
	return 0, false
}

// Larger numbers are points in time: seconds or milliseconds since 1970.
const (
	leastUnixSeconds = 1e9
	leastUnixMillis  = 1e12
)

// retrySeconds reads a decimal number: seconds, or a Unix time when it is large.
func retrySeconds(value string, now time.Time) (time.Duration, bool) {
	if strings.Trim(value, "+-.0123456789") != "" { // no exponents, Inf, NaN, hex
		return 0, false
	}
	n, err := strconv.ParseFloat(value, 64)
	if err != nil && !errors.Is(err, strconv.ErrRange) {
		return 0, false
	}
	switch {
	case n >= leastUnixMillis:
		n = n/1000 - float64(now.UnixMilli())/1000
	case n >= leastUnixSeconds:
		n -= float64(now.UnixMilli()) / 1000
	}
	return secondsWait(n), true
}

// retryUnits reads "30s", "1m30s", "1h 5m", "500ms", "2 minutes".
func retryUnits(value string) (time.Duration, bool) {
	total, rest := 0.0, strings.ToLower(value)
	negative := strings.HasPrefix(rest, "-")
	if negative || strings.HasPrefix(rest, "+") {
		rest = rest[1:]
	}
	for parts := 0; parts == 0 || rest != ""; parts++ {
		digits := len(rest) - len(strings.TrimLeft(rest, "0123456789."))
		n, err := strconv.ParseFloat(rest[:digits], 64)
		if err != nil || parts == 8 {
			return 0, false
		}
		rest = strings.TrimLeft(rest[digits:], " ")
		letters := len(rest) - len(strings.TrimLeft(rest, "abcdefghijklmnopqrstuvwxyz"))
		unit, ok := unitSeconds[rest[:letters]]
		if !ok {
			return 0, false
		}
		total += n * unit
		rest = strings.TrimLeft(rest[letters:], " ,")
	}
	if negative {
		total = 0
	}
	return secondsWait(total), true
}

var unitSeconds = map[string]float64{
	"ms": 1e-3, "msec": 1e-3, "millisecond": 1e-3, "milliseconds": 1e-3,
	"s": 1, "sec": 1, "secs": 1, "second": 1, "seconds": 1,
	"m": 60, "min": 60, "mins": 60, "minute": 60, "minutes": 60,
	"h": 3600, "hr": 3600, "hrs": 3600, "hour": 3600, "hours": 3600,
	"d": 86400, "day": 86400, "days": 86400,
}

// dateLayouts are in use in addition to the three of http.ParseTime.
var dateLayouts = [...]string{
	time.RFC3339Nano,
	time.RFC1123Z,
	time.RFC1123, // other zones than GMT
	"Mon, 2 Jan 2006 15:04:05 MST",
	"Mon, 2 Jan 2006 15:04:05 -0700",
	"Mon, 02 Jan 2006 15:04:05",
	"Mon, 02-Jan-2006 15:04:05 MST",
	"2 Jan 2006 15:04:05 MST",
	"2006-01-02 15:04:05 MST",
	"2006-01-02 15:04:05Z07:00",
	"2006-01-02T15:04:05",
	"2006-01-02 15:04:05",
	time.UnixDate,
}

// namedZones are the zones to which RFC 5322 4.3 gives an offset; package time knows only
// UTC by name.
var namedZones = strings.NewReplacer(" EST", " -0500", " EDT", " -0400", " CST", " -0600", " CDT", " -0500",
	" MST", " -0700", " MDT", " -0600", " PST", " -0800", " PDT", " -0700", " UT", " UTC", " Z", " UTC")

func retryDate(value string) (time.Time, bool) {
	if date, err := http.ParseTime(value); err == nil {
		return date, true
	}
	if !strings.HasSuffix(value, "UTC") && !strings.HasSuffix(value, "GMT") {
		value = namedZones.Replace(value)
	}
	for _, layout := range dateLayouts {
		if date, err := time.Parse(layout, value); err == nil {
			return date, true
		}
	}
	return time.Time{}, false
}

// rateLimitReset reads the headers of rate limits: RateLimit
// (draft-ietf-httpapi-ratelimit-headers), RateLimit-Reset, and X-RateLimit-Reset as
// GitHub and others send it. Each counts only if no requests remain.
func rateLimitReset(h http.Header, now time.Time) (time.Duration, bool) {
	if limit := strings.ToLower(h.Get("RateLimit")); limit != "" && len(limit) <= maxRetryHeader {
		left, reset := "", ""
		for part := range strings.FieldsFuncSeq(limit, func(r rune) bool { return r == ',' || r == ';' }) {
			name, value, _ := strings.Cut(strings.TrimSpace(part), "=")
			switch name {
			case "remaining", "r":
				left = value
			case "reset", "t":
				reset = value
			}
		}
		if left == "0" && reset != "" {
			return retrySeconds(reset, now)
		}
	}
	for _, prefix := range [...]string{"RateLimit-", "X-RateLimit-", "X-Rate-Limit-"} {
		value := strings.TrimSpace(h.Get(prefix + "Reset"))
		if value == "" || len(value) > maxRetryHeader || strings.TrimSpace(h.Get(prefix+"Remaining")) != "0" {
			continue
		}
		if wait, ok := retryValue(value, serverNow(h, now), now); ok {
			return wait, true
		}
	}
	return 0, false
}

func secondsWait(seconds float64) time.Duration {
	if seconds >= maxRetryAfter.Seconds() {
		return maxRetryAfter
	}
	return clampWait(time.Duration(math.Round(seconds * float64(time.Second))))
}

func clampWait(wait time.Duration) time.Duration { return min(max(wait, 0), maxRetryAfter) }
