//go:build unix

package helper

import (
	"os/exec"
	"syscall"
)

// Group is a program and all that it has started. The zero value is that of no program.
type Group struct{ cmd *exec.Cmd }

// StartGroup starts a program in a process group of its own.
func StartGroup(cmd *exec.Cmd) (Group, error) {
	if cmd.SysProcAttr == nil {
		cmd.SysProcAttr = new(syscall.SysProcAttr)
	}
	cmd.SysProcAttr.Setpgid = true
	if err := cmd.Start(); err != nil {
		return Group{}, err
	}
	return Group{cmd}, nil
}

// Kill ends all processes of the group. It must be called before Wait: until then the group keeps
// its number.
func (g Group) Kill() {
	if g.cmd != nil {
		syscall.Kill(-g.cmd.Process.Pid, syscall.SIGKILL)
	}
}
