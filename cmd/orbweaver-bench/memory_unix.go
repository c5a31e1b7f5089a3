//go:build unix

package main

import (
	"os"
	"runtime"
	"syscall"
)

// peakMemory returns the peak resident memory of a process, in bytes.
func peakMemory(state *os.ProcessState) int64 {
	usage, ok := state.SysUsage().(*syscall.Rusage)
	switch {
	case !ok:
		return 0
	case runtime.GOOS == "darwin": // in bytes on macOS, in KiB elsewhere
		return int64(usage.Maxrss)
	}
	return int64(usage.Maxrss) << 10
}
