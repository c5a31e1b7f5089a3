//go:build unix

package fetch

import "syscall"

// idleProbe finds out whether a server has sent anything, or has ended a connection, that
// is idle: HTTP/1.1 servers send nothing without a request.
type idleProbe struct {
	raw   syscall.RawConn
	peek  func(fd uintptr)
	input bool
	octet [1]byte
}

func (p *idleProbe) watch(conn syscall.Conn) {
	raw, err := conn.SyscallConn()
	if err != nil {
		return
	}
	p.raw = raw
	p.peek = func(fd uintptr) {
		n, _, err := syscall.Recvfrom(int(fd), p.octet[:], syscall.MSG_PEEK|syscall.MSG_DONTWAIT)
		p.input = n >= 0 && err == nil || err != syscall.EAGAIN && err != syscall.EINTR
	}
}

// hasInput reports whether a read would return at once, with data or with the end of the
// connection. It may be called while a read is waiting.
func (p *idleProbe) hasInput() bool {
	if p.raw == nil {
		return false
	}
	p.input = false
	return p.raw.Control(p.peek) != nil || p.input
}
