package fetch

import (
	"context"
	"net"
)

// countingDial counts the bytes read from connections, in tests that use one connection
// at a time.
func countingDial(dial func(context.Context, string, string) (net.Conn, error), read *int) func(context.Context, string, string) (net.Conn, error) {
	return func(ctx context.Context, network, addr string) (net.Conn, error) {
		conn, err := dial(ctx, network, addr)
		if err != nil {
			return nil, err
		}
		return &countedConn{conn, read}, nil
	}
}

type countedConn struct {
	net.Conn
	read *int
}

func (c *countedConn) Read(p []byte) (int, error) {
	n, err := c.Conn.Read(p)
	*c.read += n
	return n, err
}
