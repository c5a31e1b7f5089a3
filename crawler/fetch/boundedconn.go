package fetch

import (
	"net"
	"sync"
	"time"
)

// boundedConn is a connection whose reads are bounded: a step, from one thing said
// to the end of its answer, takes no longer than the time limit, the whole no
// longer than five times that, and no more than so many bytes are read. Deadlines
// that libraries set are passed over. One goroutine may read while another writes.
type boundedConn struct {
	net.Conn
	session   *session
	streaming bool // each read is a step: a body, bounded by its longest silence
	stop      func() bool
	// control waits while this connection brings something.
	control *boundedConn

	mu        sync.Mutex
	stepEnd   time.Time // the end of this step
	remaining int64
	err       error // the first; libraries wrap it beyond recognition
}

// step begins a step.
func (c *boundedConn) step() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.extend(time.Now().Add(c.session.web.timeout))
}

// extend moves the end of the step, for a read under way too.
func (c *boundedConn) extend(until time.Time) {
	if c.stepEnd = until; until.After(c.session.deadline) {
		c.stepEnd = c.session.deadline
	}
	c.Conn.SetReadDeadline(c.stepEnd)
}

func (c *boundedConn) Read(p []byte) (int, error) {
	c.mu.Lock()
	left := c.remaining
	if c.streaming {
		c.extend(time.Now().Add(c.session.web.timeout))
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

// writeInStep writes without beginning a step.
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

// firstError returns what went wrong first, nil for nothing.
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
