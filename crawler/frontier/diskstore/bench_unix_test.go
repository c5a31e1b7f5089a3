//go:build unix

package diskstore

import (
	"syscall"
	"time"
)

// userTime is the processor time the process has used.
func userTime() time.Duration {
	var u syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &u) != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
