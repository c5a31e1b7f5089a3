//go:build !linux && !freebsd

package urinorm

import "time"

// elapsed is the time that f takes; only some systems tell it from what others take.
func elapsed(f func(string), s string) time.Duration {
	start := time.Now()
	f(s)
	return time.Since(start)
}
