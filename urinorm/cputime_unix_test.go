//go:build linux || freebsd

package urinorm

import (
	"runtime"
	"time"

	"golang.org/x/sys/unix"
)

// elapsed is the time that f takes of a processor, whatever else it is busy with.
func elapsed(f func(string), s string) time.Duration {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	start := threadTime()
	f(s)
	return threadTime() - start
}

// threadTime is what this thread has used of a processor.
func threadTime() time.Duration {
	var ts unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_THREAD_CPUTIME_ID, &ts); err != nil {
		panic(err)
	}
	return time.Duration(ts.Nano())
}
