package lsp

import (
	"context"
	"errors"
	"os"
	"time"

	"golang.org/x/sys/unix"
)

// awaitEnd waits until a process is gone, or ctx ends. Nothing runs in the meantime: the kernel tells of the end. It
// returns an error if that is not possible here.
func awaitEnd(ctx context.Context, process int) error {
	fd, err := unix.PidfdOpen(process, unix.PIDFD_NONBLOCK)
	if errors.Is(err, unix.ESRCH) {
		return nil
	}
	if err != nil {
		return err
	}
	f := os.NewFile(uintptr(fd), "the process of the editor")
	defer f.Close()
	conn, err := f.SyscallConn()
	if err != nil {
		return err
	}
	if err := f.SetReadDeadline(time.Time{}); err != nil { // it cannot be waited for
		return err
	}
	defer context.AfterFunc(ctx, func() { _ = f.SetReadDeadline(time.Unix(1, 0)) })()
	err = conn.Read(func(fd uintptr) bool {
		n, err := unix.Poll([]unix.PollFd{{Fd: int32(fd), Events: unix.POLLIN}}, 0)
		return n > 0 || err != nil && !errors.Is(err, unix.EINTR)
	})
	if ctx.Err() != nil {
		return nil
	}
	return err
}
