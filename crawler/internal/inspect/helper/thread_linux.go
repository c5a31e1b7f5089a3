package helper

import (
	"os/exec"
	"syscall"
)

// EndWithThread makes the kernel kill a program when the thread that starts it ends, and so
// when this process does. It is called before StartGroup.
func EndWithThread(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL} }
