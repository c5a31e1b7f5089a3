// Package quantity parses durations, sizes and rates as flags and configurations have them. Its errors
// tell only what is allowed; the caller adds the name and the text.
package quantity

import (
	"errors"
	"math"
	"strconv"
	"strings"
	"time"
)

var errDuration = errors.New("use a duration such as 500ms, 20s, 1m30s or 2h (a plain number is in seconds)")

// ParseDuration parses a duration in Go's notation, in days with "d", or in seconds
// without a unit, as for curl's --max-time.
func ParseDuration(s string) (time.Duration, error) {
	if n, err := strconv.ParseFloat(s, 64); err == nil {
		return seconds(n)
	}
	if days, ok := strings.CutSuffix(s, "d"); ok {
		n, err := strconv.ParseFloat(days, 64)
		if err != nil {
			return 0, errDuration
		}
		return seconds(n * 86400)
	}
	d, err := time.ParseDuration(s)
	if err != nil || d < 0 {
		return 0, errDuration
	}
	return d, nil
}

func seconds(n float64) (time.Duration, error) {
	d := n * float64(time.Second)
	if !(d >= 0 && d < math.MaxInt64) {
		return 0, errDuration
	}
	return time.Duration(d), nil
}

// sizeUnits are the units in lower case. A single letter is a power of 1024, as for
// curl's --limit-rate.
var sizeUnits = []struct {
	suffix string
	bytes  float64
}{
	{"kib", 1 << 10}, {"mib", 1 << 20}, {"gib", 1 << 30},
	{"kb", 1e3}, {"mb", 1e6}, {"gb", 1e9},
	{"k", 1 << 10}, {"m", 1 << 20}, {"g", 1 << 30},
	{"b", 1},
}

// ParseSize parses a number of bytes, which is at least one.
func ParseSize(s string) (int64, error) {
	number, unit := strings.ToLower(s), 1.0
	for _, u := range sizeUnits {
		if n, ok := strings.CutSuffix(number, u.suffix); ok {
			number, unit = strings.TrimSpace(n), u.bytes
			break
		}
	}
	n, err := strconv.ParseFloat(number, 64)
	if size := n * unit; err == nil && size >= 1 && size < math.MaxInt64 {
		return int64(size), nil
	}
	return 0, errors.New("use a size such as 500kB, 10MiB or a number of bytes, 1 or more")
}

// ParseRate parses a number of requests per second; zero means no limit.
func ParseRate(s string) (float64, error) {
	number, unit, found := strings.Cut(s, "/")
	per := 1.0
	if found {
		switch unit {
		case "s":
		case "m":
			per = 60
		case "h":
			per = 3600
		default:
			number = ""
		}
	}
	n, err := strconv.ParseFloat(number, 64)
	if rate := n / per; err == nil && rate >= 0 && rate <= 1e6 {
		return rate, nil
	}
	return 0, errors.New("use requests per second, minute or hour, such as 5/s, 30/m or 100/h")
}
