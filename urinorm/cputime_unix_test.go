//go:build linux || freebsd

package urinorm

import (
	"runtime"
	"time"

	"golang.org/x/sys/unix"
)

// elapsed returns the CPU time that f takes.
func elapsed(f func(string), s string) time.Duration {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	start := threadTime()
	f(s)
	return threadTime() - start
}

// threadTime returns the CPU time of this thread.
func threadTime() time.Duration {
	var ts unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_THREAD_CPUTIME_ID, &ts); err != nil {
		panic(err)
	}
	return time.Duration(ts.Nano())
}
