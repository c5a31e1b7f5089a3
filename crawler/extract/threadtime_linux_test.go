package extract

import (
	"syscall"
	"time"
	"unsafe"
)

// threadTime returns the processor time of this thread. The resolution of getrusage is only a
// few milliseconds.
func threadTime() time.Duration {
	const clockThreadCPUTime = 3 // CLOCK_THREAD_CPUTIME_ID
	var at syscall.Timespec
	if _, _, failed := syscall.Syscall(syscall.SYS_CLOCK_GETTIME, clockThreadCPUTime, uintptr(unsafe.Pointer(&at)), 0); failed != 0 {
		panic(failed)
	}
	return time.Duration(at.Nano())
}
