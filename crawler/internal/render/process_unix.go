//go:build unix

package render

import (
	"os"
	"os/exec"
	"syscall"

	"github.com/chromedp/chromedp"
)

// connect prepares a command that reads from its file descriptor 3 and writes to 4. begin
// closes the ends of the browser, once it has its own.
func connect(cmd *exec.Cmd) (pipe *chromedp.PipeConn, begin func(), err error) {
	theirIn, in, err := os.Pipe()
	if err != nil {
		return nil, nil, err
	}
	out, theirOut, err := os.Pipe()
	if err != nil {
		theirIn.Close()
		in.Close()
		return nil, nil, err
	}
	cmd.ExtraFiles = []*os.File{theirIn, theirOut}
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} // an interrupt from the keyboard is ours alone
	return newPipe(out, in), func() { theirIn.Close(); theirOut.Close() }, nil
}

// endGroup ends all processes of the browser.
func endGroup(cmd *exec.Cmd) {
	if cmd.Process != nil {
		_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL)
	}
}

// isRunning reports whether there is a process with a number.
func isRunning(pid int) bool { return syscall.Kill(pid, 0) != syscall.ESRCH }
