package migrate

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

// text is a scalar as it would be written, and whether it is one.
func text(v any) (string, bool) {
	switch v := v.(type) {
	case string:
		return v, true
	case bool:
		return strconv.FormatBool(v), true
	case int64:
		return strconv.FormatInt(v, 10), true
	case uint64:
		return strconv.FormatUint(v, 10), true
	case int:
		return strconv.Itoa(v), true
	case float64:
		return strconv.FormatFloat(v, 'g', -1, 64), true
	}
	return "", false
}

// texts are the scalars of an array, or a scalar alone.
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

// isTrue reads a switch.
func isTrue(v any) bool {
	t, _ := text(v)
	switch strings.ToLower(t) {
	case "1", "true", "yes", "on":
		return true
	}
	return false
}

// seconds reads a duration whose bare numbers are seconds, and returns it as our
// flags take it.
func seconds(v any) (string, error) {
	t, ok := text(v)
	if !ok {
		return "", fmt.Errorf("%v is no duration", v)
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
		return "", fmt.Errorf("%q is no duration", t)
	}
	return strings.ReplaceAll(t, " ", ""), nil
}

// rateOf is the rate that leaves an interval between two requests.
func rateOf(interval string) (string, error) {
	t, err := seconds(interval)
	if err != nil {
		return "", err
	}
	d, err := time.ParseDuration(t)
	if err != nil || d <= 0 {
		return "", fmt.Errorf("%q is no interval", interval)
	}
	return strconv.FormatFloat(float64(time.Second)/float64(d), 'g', 4, 64) + "/s", nil
}
