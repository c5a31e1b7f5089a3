package migrate

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

// text returns a scalar as text, and whether the value is a scalar.
func text(v any) (string, bool) {
	switch v := v.(type) {
	case string:
		return v, true
	case aPattern:
		return string(v), true
	case bool:
		return strconv.FormatBool(v), true
	case int64:
		return strconv.FormatInt(v, 10), true
	case uint64:
		return strconv.FormatUint(v, 10), true
	case int:
		return strconv.Itoa(v), true
	case float64:
		return strconv.FormatFloat(v, 'f', -1, 64), true
	}
	return "", false
}

// texts returns the scalars of an array, or a single scalar.
func texts(v any) []string {
	if array, ok := v.([]any); ok {
		var all []string
		for _, e := range array {
			if t, ok := text(e); ok {
				all = append(all, t)
			}
		}
		return all
	}
	if t, ok := text(v); ok {
		return []string{t}
	}
	return nil
}

func isTrue(v any) bool {
	t, _ := text(v)
	switch strings.ToLower(t) {
	case "1", "true", "yes", "on":
		return true
	}
	return false
}

// seconds parses a duration, in seconds if it has no unit, and returns it in the syntax
// of our flags.
func seconds(v any) (string, error) {
	t, ok := text(v)
	if !ok {
		return "", fmt.Errorf("%v is not a duration", v)
	}
	if n, err := strconv.ParseFloat(t, 64); err == nil {
		if n < 0 || n > 1e9 {
			return "", fmt.Errorf("%s seconds are out of range", t)
		}
		return strconv.FormatFloat(n, 'f', -1, 64) + "s", nil
	}
	if days, ok := strings.CutSuffix(t, "d"); ok {
		if _, err := strconv.ParseFloat(days, 64); err == nil {
			return t, nil
		}
	}
	if _, err := time.ParseDuration(strings.ReplaceAll(t, " ", "")); err != nil {
		return "", fmt.Errorf("%q is not a duration", t)
	}
	return strings.ReplaceAll(t, " ", ""), nil
}

// rateOf returns the rate for an interval between two requests.
func rateOf(interval string) (string, error) {
	t, err := seconds(interval)
	if err != nil {
		return "", err
	}
	d, err := time.ParseDuration(t)
	if err != nil || d <= 0 {
		return "", fmt.Errorf("%q is not an interval", interval)
	}
	return strconv.FormatFloat(float64(time.Second)/float64(d), 'g', 4, 64) + "/s", nil
}

// aPattern is a pattern that is written as such, and not as a text.
type aPattern string
