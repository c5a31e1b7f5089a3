package main

import (
	"bufio"
	"fmt"
	"maps"
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

// Mappings of the program file are released, and those that a loader changed are not.
func TestUnchangedMappings(t *testing.T) {
	const smaps = "00400000-00500000 r-xp 00000000 08:01 7 /opt/our program\nRss: 64 kB\nAnonymous:             0 kB\nVmFlags: rd ex\n" +
		"00500000-00600000 r--p 00100000 08:01 7 /opt/our program\nAnonymous:             4 kB\n" +
		"00600000-00700000 rw-p 00200000 08:01 7 /opt/our program\nAnonymous:             0 kB\n" +
		"00700000-00800000 r--p 00000000 08:01 8 /lib/libc.so\nAnonymous:             0 kB\n" +
		"00800000-00900000 r--p 00000000 00:00 0\nAnonymous:             0 kB\n"
	if got, want := unchangedMappings([]byte(smaps), "/opt/our program"), (map[uintptr]uintptr{0x400000: 0x500000}); !maps.Equal(got, want) {
		t.Errorf("the mappings are %x, want %x", got, want)
	}
}

// A process whose program file was removed from its memory uses little of it, and runs on.
func TestReleaseStartUpPages(t *testing.T) {
	before := fileMemory(t)
	releaseStartUpPages()
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
