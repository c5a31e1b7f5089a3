//go:build unix

package diskstore

import (
	"syscall"
	"time"
)

// userTime returns the processor time of the process.
func userTime() time.Duration {
	var u syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &u) != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
