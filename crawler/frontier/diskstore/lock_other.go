//go:build !unix || solaris || aix

package diskstore

import (
	"os"
	"strconv"
	"strings"
)

// tryLock takes the lock of an open file, where there are no locks of whole files:
// by the number of the process that signed it. It is false while that process runs.
func tryLock(f *os.File) (bool, error) {
	text := make([]byte, 32)
	n, _ := f.ReadAt(text, 0)
	pid, err := strconv.Atoi(strings.TrimSpace(string(text[:n])))
	if err != nil || pid == os.Getpid() {
		return true, nil
	}
	p, err := os.FindProcess(pid) // on Windows it fails when there is none
	if err != nil {
		return true, nil
	}
	_ = p.Release()
	return false, nil
}
