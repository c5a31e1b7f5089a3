//go:build unix && !linux

package validator

import (
	"os/exec"
	"syscall"
)

// startGroup starts a program in a process group of its own, and returns what kills the group.
// It must be called before Wait: until then the group keeps its number.
func startGroup(cmd *exec.Cmd) (kill func(), err error) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	return func() { syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }, nil
}
