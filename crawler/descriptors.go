package crawler

import (
	"syscall"

	"github.com/orbweaver/orbweaver/crawler/fetch"
)

// descriptorReserve is how many descriptors a process needs besides requests: its standard streams,
// the poller, outputs, directories that are walked.
const descriptorReserve = 24

// descriptorsPerRequest leaves room, beside a connection in use, for one that is
// kept for later, is being tried in parallel, or looks up a name.
const descriptorsPerRequest = 2

// Affordable returns how many of so many requests this process can have in flight
// at once by its limit of open files, which is raised as far as the system lets us.
// It is at least 1.
func Affordable(requests int) int { return affordable(requests, openFiles()) }

// affordable is Affordable for a limit of open files; 0 is none.
func affordable(requests int, files uint64) int {
	if files == 0 || files > descriptorReserve+descriptorsPerRequest*uint64(max(requests, 0)) {
		return max(requests, 1)
	}
	if files <= descriptorReserve {
		return 1
	}
	return max(1, int(files-descriptorReserve)/descriptorsPerRequest)
}

// exhausted reports whether fewer requests at once may avoid a fault of this machine. An
// unreachable proxy is not such a fault.
func exhausted(fault *fetch.Fault) bool {
	for _, errno := range [...]syscall.Errno{syscall.EMFILE, syscall.ENFILE, syscall.EADDRNOTAVAIL, syscall.EADDRINUSE,
		syscall.ENOBUFS, syscall.ENOMEM, syscall.EAGAIN} {
		if fetch.HasErrno(fault, errno) {
			return true
		}
	}
	return false
}
