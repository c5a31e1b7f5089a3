package render

import (
	"bytes"
	"os"
	"strconv"
	"strings"
	"syscall"
	"testing"
)

// processesOf returns the processes of a browser, with their command lines.
func processesOf(group int) map[int]string {
	all := map[int]string{}
	entries, _ := os.ReadDir("/proc")
	for _, e := range entries {
		pid, err := strconv.Atoi(e.Name())
		if err != nil {
			continue
		}
		if g, err := syscall.Getpgid(pid); err != nil || g != group {
			continue
		}
		line, _ := os.ReadFile("/proc/" + e.Name() + "/cmdline")
		if len(line) > 0 { // otherwise it has ended
			all[pid] = string(bytes.ReplaceAll(line, []byte{0}, []byte(" ")))
		}
	}
	return all
}

// killProcess kills the processes of a kind: "renderer", "gpu-process", or the browser
// itself.
func killProcess(t *testing.T, r *Renderer, kind string) {
	r.mu.Lock()
	browser := r.process.cmd.Process.Pid
	r.mu.Unlock()
	killed := false
	for pid, line := range processesOf(browser) {
		if kind == "browser" && pid == browser || strings.Contains(line, "--type="+kind) {
			_ = syscall.Kill(pid, syscall.SIGKILL)
			killed = true
		}
	}
	if !killed {
		t.Logf("there is no %s process", kind)
	}
}

// listening returns the TCP ports that the processes of a browser listen on.
func listening(t *testing.T, group int) (ports []string) {
	inodes := map[string]bool{}
	for pid := range processesOf(group) {
		dir := "/proc/" + strconv.Itoa(pid) + "/fd"
		fds, _ := os.ReadDir(dir)
		for _, fd := range fds {
			if to, err := os.Readlink(dir + "/" + fd.Name()); err == nil {
				if inode, ok := strings.CutPrefix(to, "socket:["); ok {
					inodes[strings.TrimSuffix(inode, "]")] = true
				}
			}
		}
	}
	for _, table := range []string{"/proc/net/tcp", "/proc/net/tcp6"} {
		text, err := os.ReadFile(table)
		if err != nil {
			continue
		}
		for line := range strings.Lines(string(text)) {
			const listen = "0A"
			if f := strings.Fields(line); len(f) > 9 && f[3] == listen && inodes[f[9]] {
				ports = append(ports, f[1])
			}
		}
	}
	return ports
}
