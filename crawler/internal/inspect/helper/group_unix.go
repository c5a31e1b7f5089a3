//go:build unix

package helper

import (
	"os/exec"
	"syscall"
)

// StartGroup starts a program in a process group of its own, and returns what kills the
// group. It must be called before Wait: until then the group keeps its number.
func StartGroup(cmd *exec.Cmd) (kill func(), err error) {
	if cmd.SysProcAttr == nil {
		cmd.SysProcAttr = new(syscall.SysProcAttr)
	}
	cmd.SysProcAttr.Setpgid = true
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	return func() { syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }, nil
}
