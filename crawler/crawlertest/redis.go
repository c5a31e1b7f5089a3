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
	const most = 50_000 // nodes of a cluster also listen on a port that is 10,000 higher
	for port = ""; port == ""; {
		if free := freeAddress(t).Port; free < most {
			port = strconv.Itoa(free)
		}
	}
	if len(args) == 0 {
		args = []string{"--port", "PORT"}
	}
	line := []string{"--bind", "127.0.0.1", "--dir", t.TempDir(), "--save", "", "--appendonly", "no"}
	for _, arg := range args {
		line = append(line, strings.ReplaceAll(arg, "PORT", port))
	}
	cmd := exec.Command(program, line...)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_, _ = cmd.Process.Wait()
	})
	for range 6000 {
		if c, err := net.Dial("tcp", net.JoinHostPort("127.0.0.1", port)); err == nil {
			c.Close()
			return port
		}
		time.Sleep(50 * time.Millisecond)
	}
	t.Fatal("redis-server does not answer")
	return ""
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

// freeAddress returns a loopback address at which nothing listened a moment ago.
func freeAddress(t testing.TB) *net.TCPAddr {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	return listener.Addr().(*net.TCPAddr)
}
