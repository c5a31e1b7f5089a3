package fetch

// descriptorReserve is how many descriptors a process needs besides requests: for its
// standard streams, the poller, outputs, and directories that are walked.
const descriptorReserve = 24

// descriptorsPerRequest leaves room for the connection in use and for another one,
// which is kept idle, is tried in parallel, or looks up a name.
const descriptorsPerRequest = 2

// Affordable returns how many of the given number of requests this process can have in
// flight at once under its limit of open files, which is raised as far as the system
// allows. It is at least 1.
func Affordable(requests int) int { return affordable(requests, openFiles()) }

// affordable is Affordable for a given limit of open files; 0 means no limit.
func affordable(requests int, files uint64) int {
	if files == 0 || files > descriptorReserve+descriptorsPerRequest*uint64(max(requests, 0)) {
		return max(requests, 1)
	}
	if files <= descriptorReserve {
		return 1
	}
	return max(1, int(files-descriptorReserve)/descriptorsPerRequest)
}
