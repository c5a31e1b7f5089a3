package main

import (
	"bufio"
	"fmt"
	"os"
	"runtime/debug"
	"runtime/metrics"
	"strings"
	"testing"
)

// The heap has free memory that the kernel backs with large pages, and the live size does
// not grow.
func TestGrowInLargePages(t *testing.T) {
	if _, err := os.Stat("/sys/kernel/mm/transparent_hugepage"); err != nil {
		t.Skip("this kernel has no large pages that programs could ask for")
	}
	defer debug.SetGCPercent(debug.SetGCPercent(100))
	const room = 24 << 20
	before := liveHeap()
	growInLargePages(room)
	if got := liveHeap(); got > before+room/2 {
		t.Errorf("%d MiB are live, %d before", got>>20, before>>20)
	}
	if got := inLargePages(t); got < room {
		t.Errorf("%d MiB are backed by large pages, want %d", got>>20, room>>20)
	}
}

func liveHeap() uint64 {
	sample := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
	metrics.Read(sample)
	return sample[0].Value.Uint64()
}

// inLargePages returns how many bytes of the process are marked for large pages.
func inLargePages(t *testing.T) (marked uint64) {
	t.Helper()
	f, err := os.Open("/proc/self/smaps")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var size uint64
	lines := bufio.NewScanner(f)
	for lines.Scan() {
		name, value, _ := strings.Cut(lines.Text(), ":")
		switch name {
		case "Size":
			if _, err := fmt.Sscanf(value, "%d kB", &size); err != nil {
				t.Fatalf("read a size from %q: %v", value, err)
			}
		case "VmFlags":
			if strings.Contains(value+" ", " hg ") {
				marked += size << 10
			}
		}
	}
	if err := lines.Err(); err != nil {
		t.Fatal(err)
	}
	return marked
}
