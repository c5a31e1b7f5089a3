package fetch

import (
	"net"
	"sync"
	"time"
)

// boundedConn is a connection with limits on its reads. A step, from sending a command
// to the end of its answer, must not exceed the time limit, the whole session must not
// exceed five times that, and the number of bytes read is limited. It ignores deadlines
// that libraries set. One goroutine may read while another writes.
type boundedConn struct {
	net.Conn
	timeout   time.Duration // of a step
	deadline  time.Time     // of all steps
	streaming bool          // each read is a step of its own: the body may not pause for longer than the time limit
	// control is the FTP control connection, whose step is extended while this
	// connection receives data.
	control *boundedConn

	mu        sync.Mutex
	stepEnd   time.Time // the end of the current step
	remaining int64
	err       error // the first error, because libraries replace or hide it
}

// step starts a new step.
func (c *boundedConn) step() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.extend(time.Now().Add(c.timeout))
}

// extend moves the end of the step, also for a read in progress.
func (c *boundedConn) extend(until time.Time) {
	if c.stepEnd = until; until.After(c.deadline) {
		c.stepEnd = c.deadline
	}
	c.Conn.SetReadDeadline(c.stepEnd)
}

func (c *boundedConn) Read(p []byte) (int, error) {
	c.mu.Lock()
	left := c.remaining
	if c.streaming {
		c.extend(time.Now().Add(c.timeout))
	}
	c.mu.Unlock()
	if left <= 0 {
		c.recordError(errTooLarge)
		return 0, errTooLarge
	}
	if int64(len(p)) > left {
		p = p[:left]
	}
	n, err := c.Conn.Read(p)
	c.mu.Lock()
	c.remaining -= int64(n)
	c.mu.Unlock()
	c.recordError(err)
	if c.control != nil {
		c.control.step()
	}
	return n, err
}

func (c *boundedConn) Write(p []byte) (int, error) {
	c.step()
	n, err := c.writeInStep(p)
	c.recordError(err)
	return n, err
}

// writeInStep writes without starting a new step.
func (c *boundedConn) writeInStep(p []byte) (int, error) {
	c.mu.Lock()
	c.Conn.SetWriteDeadline(c.stepEnd)
	c.mu.Unlock()
	return c.Conn.Write(p)
}

func (c *boundedConn) recordError(err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.err == nil {
		c.err = err
	}
}

// firstError returns the first error, or nil if there was none.
func (c *boundedConn) firstError() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.err
}

// SetDeadline does nothing.
func (c *boundedConn) SetDeadline(time.Time) error { return nil }

// SetReadDeadline does nothing.
func (c *boundedConn) SetReadDeadline(time.Time) error { return nil }

// SetWriteDeadline does nothing.
func (c *boundedConn) SetWriteDeadline(time.Time) error { return nil }
