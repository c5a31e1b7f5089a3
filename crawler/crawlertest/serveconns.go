package crawlertest

import (
	"net"
	"sync"
	"testing"
)

// ServeConns calls handle for each connection to a loopback port until the test ends, each
// in a goroutine of its own. The connections are numbered from 0, and closed after handle.
// It is for servers that [http.Server] cannot be: faulty ones and those of other protocols.
func ServeConns(t testing.TB, handle func(conn *net.TCPConn, nth int)) *net.TCPAddr {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	var wg sync.WaitGroup
	var open sync.Map
	wg.Go(func() {
		for nth := 0; ; nth++ {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			open.Store(conn, true)
			wg.Go(func() {
				defer open.Delete(conn)
				defer conn.Close()
				handle(conn.(*net.TCPConn), nth)
			})
		}
	})
	t.Cleanup(func() {
		listener.Close()
		open.Range(func(conn, _ any) bool { conn.(net.Conn).Close(); return true })
		wg.Wait()
	})
	return listener.Addr().(*net.TCPAddr)
}
