package crawlertest

import (
	"net"
	"sync"
	"testing"
)

// ServeConns calls talk for each connection to a loopback port, in a goroutine of its
// own and counted from 0, until the test ends. A connection that talk has left open is
// closed behind it. It is for servers that a [http.Server] would not be: those that
// speak badly, or another protocol.
func ServeConns(t testing.TB, talk func(conn *net.TCPConn, nth int)) *net.TCPAddr {
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
				talk(conn.(*net.TCPConn), nth)
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
