package main

import (
	"bufio"
	"bytes"
	"os"
	"runtime"
	"strconv"
	"strings"

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

// releaseStartUpPages removes the pages of the program file from the memory of the process.
// Starting touches code and tables of every package. What a run uses of them is mapped again
// from the cache of the operating system, and the rest, about 6 MB, is not.
func releaseStartUpPages() {
	self, err := os.Readlink("/proc/self/exe")
	if err != nil {
		return
	}
	mappings, err := os.ReadFile("/proc/self/smaps")
	if err != nil {
		return
	}
	for start, end := range unchangedMappings(mappings, self) {
		_, _, _ = unix.Syscall(unix.SYS_MADVISE, start, end-start, unix.MADV_DONTNEED) // if that fails, they stay
	}
}

// unchangedMappings returns the addresses of those read-only mappings of a file, in the
// contents of smaps, that have no page of their own: a loader that relocates a program
// changes pages before it makes them read-only, and they would be lost.
func unchangedMappings(smaps []byte, file string) map[uintptr]uintptr {
	found := map[uintptr]uintptr{}
	var start, end uintptr
	lines := bufio.NewScanner(bytes.NewReader(smaps))
	for lines.Scan() {
		line := lines.Text()
		fields := strings.Fields(line)
		if len(fields) >= 5 && !strings.HasSuffix(fields[0], ":") { // the first line of a mapping
			from, to, _ := strings.Cut(fields[0], "-")
			first, err := strconv.ParseUint(from, 16, 64)
			last, err1 := strconv.ParseUint(to, 16, 64)
			if start, end = 0, 0; err == nil && err1 == nil && strings.HasSuffix(line, " "+file) && fields[1][0] == 'r' && fields[1][1] == '-' {
				start, end = uintptr(first), uintptr(last)
			}
		}
		if len(fields) >= 2 && fields[0] == "Anonymous:" && fields[1] == "0" && end > start {
			found[start] = end
		}
	}
	return found
}
