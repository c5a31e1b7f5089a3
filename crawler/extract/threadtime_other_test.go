//go:build !linux

package extract

import "time"

var started = time.Now()

// threadTime returns the elapsed time on systems where the thread's own time is not
// available.
func threadTime() time.Duration { return time.Since(started) }
