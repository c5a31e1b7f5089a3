package main

import (
	"runtime"

	"golang.org/x/sys/unix"
)

// growInLargePages has the kernel back the next n bytes that the heap grows to by pages
// of 2 MiB, where the system leaves that to programs. A long run touches all of them:
// ten thousand faults on small pages, many of them twice (while the collector is at
// work, what is written is read before), cost it more than its collections.
func growInLargePages(n int) {
	room := make([]byte, n)
	// Where the kernel has no such pages, the small ones do.
	_ = unix.Madvise(room, unix.MADV_HUGEPAGE)
	// Nothing was written: the memory goes back to the heap untouched, its pages marked.
	runtime.GC()
}
