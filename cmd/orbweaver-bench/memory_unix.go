//go:build unix

package main

import (
	"os"
	"runtime"
	"syscall"
)

// peakMemory is the most memory a process had resident, in bytes.
func peakMemory(state *os.ProcessState) int64 {
	usage, ok := state.SysUsage().(*syscall.Rusage)
	switch {
	case !ok:
		return 0
	case runtime.GOOS == "darwin": // there it is in bytes, elsewhere in KiB
		return int64(usage.Maxrss)
	}
	return int64(usage.Maxrss) << 10
}
