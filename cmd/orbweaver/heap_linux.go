package main

import (
	"runtime"

	"golang.org/x/sys/unix"
)

// growInLargePages asks the kernel to back the next n bytes of the heap with pages of 2
// MiB, if the system leaves that to programs. A long run uses all of that memory. Ten
// thousand page faults, many of them twice (while the collector runs, memory is read
// before it is written), would cost it more time than its collections.
func growInLargePages(n int) {
	room := make([]byte, n)
	// Without such pages, small ones are used.
	_ = unix.Madvise(room, unix.MADV_HUGEPAGE)
	// Nothing was written to the memory, so it returns to the heap unused, with its pages
	// marked.
	runtime.GC()
}
