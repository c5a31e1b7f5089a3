package render

import (
	"bytes"
	"os"
	"strconv"
	"strings"
	"syscall"
)

// killLarge ends the renderer processes below a process that use more than most bytes of
// memory which they do not share.
func killLarge(root int, most int64) {
	entries, err := os.ReadDir("/proc")
	if err != nil {
		return
	}
	page := int64(os.Getpagesize())
	for _, e := range entries {
		pid, err := strconv.Atoi(e.Name())
		if err != nil || pid == root {
			continue
		}
		if group, err := syscall.Getpgid(pid); err != nil || group != root {
			continue
		}
		stat, err := os.ReadFile("/proc/" + e.Name() + "/statm")
		if err != nil {
			continue
		}
		fields := strings.Fields(string(stat))
		if len(fields) < 3 {
			continue
		}
		resident, _ := strconv.ParseInt(fields[1], 10, 64)
		shared, _ := strconv.ParseInt(fields[2], 10, 64)
		if (resident-shared)*page <= most {
			continue
		}
		if line, err := os.ReadFile("/proc/" + e.Name() + "/cmdline"); err == nil && bytes.Contains(line, []byte("--type=renderer")) {
			_ = syscall.Kill(pid, syscall.SIGKILL)
		}
	}
}
