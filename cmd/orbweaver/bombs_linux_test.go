package main

import "golang.org/x/sys/unix"

// limitBombMemory ends this process before it takes the memory of the other tests.
func limitBombMemory() {
	const most = 1500 << 20
	unix.Setrlimit(unix.RLIMIT_DATA, &unix.Rlimit{Cur: most, Max: most})
}
