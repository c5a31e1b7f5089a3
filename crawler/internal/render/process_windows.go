package render

import (
	"os"
	"os/exec"
	"strconv"
	"syscall"

	"github.com/chromedp/chromedp"
)

// connect prepares a command that gets two handles for its pipes. begin closes the ends of
// the browser, once it has its own.
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
	for _, f := range []*os.File{theirIn, theirOut} {
		if err := syscall.SetHandleInformation(syscall.Handle(f.Fd()), syscall.HANDLE_FLAG_INHERIT, syscall.HANDLE_FLAG_INHERIT); err != nil {
			return nil, nil, err
		}
	}
	cmd.SysProcAttr = &syscall.SysProcAttr{AdditionalInheritedHandles: []syscall.Handle{syscall.Handle(theirIn.Fd()), syscall.Handle(theirOut.Fd())}}
	cmd.Args = append(cmd.Args, "--remote-debugging-io-pipes="+strconv.FormatUint(uint64(theirIn.Fd()), 10)+","+strconv.FormatUint(uint64(theirOut.Fd()), 10))
	return newPipe(out, in), func() { theirIn.Close(); theirOut.Close() }, nil
}

// endGroup ends the browser. Its other processes end when it does.
func endGroup(cmd *exec.Cmd) {
	if cmd.Process != nil {
		_ = cmd.Process.Kill()
	}
}

// isRunning reports whether there is a process with a number.
func isRunning(pid int) bool {
	const queryLimitedInformation = 0x1000
	h, err := syscall.OpenProcess(queryLimitedInformation, false, uint32(pid))
	if err != nil {
		return false
	}
	_ = syscall.CloseHandle(h)
	return true
}
