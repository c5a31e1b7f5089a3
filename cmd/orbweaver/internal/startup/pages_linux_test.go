package startup

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

// A process whose program file was removed from its memory uses little of it, and runs on.
func TestReleasePages(t *testing.T) {
	advise(unix.MADV_POPULATE_READ)
	before := fileMemory(t)
	ReleasePages()
	if after := fileMemory(t); after > before*3/4 {
		t.Errorf("the process has %d bytes of files in memory, %d before", after, before)
	}
}

// fileMemory returns how many bytes of files the process has in memory.
func fileMemory(t *testing.T) (n int64) {
	t.Helper()
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		t.Fatal(err)
	}
	_, after, _ := strings.Cut(string(status), "RssFile:")
	if _, err := fmt.Sscanf(after, "%d kB", &n); err != nil {
		t.Fatal(err)
	}
	return n << 10
}
