//go:build !linux && !freebsd

package urinorm

import "time"

// elapsed returns the time that f takes. This system has no CPU time of a thread.
func elapsed(f func(string), s string) time.Duration {
	start := time.Now()
	f(s)
	return time.Since(start)
}
