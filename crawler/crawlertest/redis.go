package crawlertest

import (
	"net"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"
	"time"
)

// ServeRedis starts a redis-server on a free port of 127.0.0.1 until the test ends. PORT in its
// arguments is the port; without arguments it is a plain server. Without the program the test is
// skipped, or fails if the environment variable CI is true.
func ServeRedis(t testing.TB, args ...string) (port string) {
	t.Helper()
	program, err := exec.LookPath("redis-server")
	switch {
	case err != nil && os.Getenv("CI") == "true":
		t.Fatal(err)
	case err != nil:
		t.Skip(err)
	}
	if len(args) == 0 {
		args = []string{"--port", "PORT"}
	}
	dir := t.TempDir()
	for range 10 { // another process may have taken the port since, or that of the cluster's bus
		port = freePorts(t)
		line := []string{"--bind", "127.0.0.1", "--dir", dir, "--save", "", "--appendonly", "no"}
		for _, arg := range args {
			line = append(line, strings.ReplaceAll(arg, "PORT", port))
		}
		if serveRedis(t, exec.Command(program, line...), port) {
			return port
		}
	}
	t.Fatal("redis-server finds no free port")
	return ""
}

// freePorts returns a port of 127.0.0.1 that was free a moment ago, as was the one that is 10,000 higher,
// on which a node of a cluster listens as well.
func freePorts(t testing.TB) string {
	t.Helper()
	for {
		own, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		port := own.Addr().(*net.TCPAddr).Port
		bus, err := net.Listen("tcp", net.JoinHostPort("127.0.0.1", strconv.Itoa(port+10_000)))
		own.Close()
		if err == nil {
			bus.Close()
			return strconv.Itoa(port)
		}
	}
}

// serveRedis starts a server until the test ends, and returns when it answers; false if it ended.
func serveRedis(t testing.TB, server *exec.Cmd, port string) bool {
	t.Helper()
	if err := server.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		_ = server.Wait()
	}()
	t.Cleanup(func() {
		_ = server.Process.Kill()
		<-ended
	})
	for range 6000 {
		c, err := net.Dial("tcp", net.JoinHostPort("127.0.0.1", port))
		if err == nil {
			c.Close()
		}
		select {
		case <-ended:
			return false
		case <-time.After(50 * time.Millisecond):
		}
		if err == nil {
			return true
		}
	}
	t.Fatal("redis-server does not answer")
	return false
}

// ServeRedisCluster starts a cluster of so many nodes until the test ends, which have the same number of
// slots, and returns their ports. See [ServeRedis].
func ServeRedisCluster(t testing.TB, nodes int) (ports []string) {
	t.Helper()
	const slots = 16384
	for i := range nodes {
		port := ServeRedis(t, "--port", "PORT", "--cluster-enabled", "yes")
		commands := [][]string{{"addslotsrange", strconv.Itoa(i * slots / nodes), strconv.Itoa((i+1)*slots/nodes - 1)}}
		if i > 0 {
			commands = append(commands, []string{"meet", "127.0.0.1", ports[0]})
		}
		for _, command := range commands {
			if out, err := exec.Command("redis-cli", append([]string{"-p", port, "cluster"}, command...)...).CombinedOutput(); err != nil || !strings.HasPrefix(string(out), "OK") {
				t.Fatalf("cluster %s: %v: %s", command, err, out)
			}
		}
		ports = append(ports, port)
	}
	return ports
}
