//go:build !unix

package fetch

import "syscall"

// idleProbe would find out whether a connection has ended, which this system does not
// tell without reading.
type idleProbe struct{}

func (*idleProbe) watch(syscall.Conn) {}

func (*idleProbe) hasInput() bool { return false }
