package redisstore

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/gomodule/redigo/redis"

	"github.com/orbweaver/orbweaver/crawler/crawlertest"
)

func TestRedirection(t *testing.T) {
	for _, test := range []struct {
		err  error
		node string
		once bool
	}{
		{redis.Error("MOVED 3999 127.0.0.1:6381"), "127.0.0.1:6381", false},
		{redis.Error("ASK 3999 node.test:6381"), "node.test:6381", true},
		{redis.Error("MOVED 3999 :6381"), "[::1]:6381", false}, // on the host that answers
		{redis.Error("MOVED 3999 2001:db8::1:6381"), "[2001:db8::1]:6381", false},
		{redis.Error("MOVED 3999 nowhere"), "", false},
		{redis.Error("MOVED"), "", false},
		{redis.Error("CROSSSLOT a b:1"), "", false},
		{errors.New("MOVED 3999 127.0.0.1:6381"), "", false}, // not an answer of the server
	} {
		node, once, ok := redirection(test.err, "[::1]:6379")
		if node != test.node || once != test.once || ok != (test.node != "") {
			t.Errorf("redirection(%v) = %q, %t, %t, want %q, %t", test.err, node, once, ok, test.node, test.once)
		}
	}
}

func TestLeave(t *testing.T) {
	for _, test := range []struct{ name, from, next, want string }{
		{"a node that is away", "a", "", "b c a"},
		{"a node without the crawl", "a", "c", "c a b"},
		{"a node that was not known", "a", "d", "d a b c"},
		{"a node that others have left", "b", "", "a b c"},
	} {
		c := &connections{nodes: []string{"a", "b", "c"}}
		c.leave(test.from, test.next)
		if got := strings.Join(c.nodes, " "); got != test.want {
			t.Errorf("%s: the nodes are %s, want %s", test.name, got, test.want)
		}
		if left := test.want != "a b c"; c.stale.IsZero() == left {
			t.Errorf("%s: idle connections are stale since %v", test.name, c.stale)
		}
	}
}

// One failure shows that a server was restarted: the idle connections to it are not tried one by one.
func TestLostConnections(t *testing.T) {
	a, err := ParseAddress("redis://127.0.0.1:" + crawlertest.ServeRedis(t) + "?crawl=c")
	if err != nil {
		t.Fatal(err)
	}
	c, ctx := newClient(a, 0, 1, Options{}), context.Background()
	defer c.server.pool.Close()
	var idle []redis.Conn
	for range maxConnections {
		conn, err := c.server.pool.GetContext(ctx)
		if err != nil {
			t.Fatal(err)
		}
		idle = append(idle, conn)
	}
	for _, conn := range idle {
		conn.Close()
	}
	other, err := redis.Dial("tcp", a.Hosts[0])
	if err != nil {
		t.Fatal(err)
	}
	defer other.Close()
	if n, err := redis.Int(other.Do("CLIENT", "KILL", "TYPE", "normal")); err != nil || n != maxConnections {
		t.Fatalf("the server closed %d connections, %v, want %d", n, err, maxConnections)
	}
	if _, err := c.do(ctx, "PING"); err == nil {
		t.Error("a lost connection is not noticed")
	}
	if answer, err := redis.String(c.do(ctx, "PING")); err != nil || answer != "PONG" {
		t.Errorf("after one failure: %q, %v, want PONG", answer, err)
	}
}

// The keys of a crawl are on one node of a cluster, whichever node is named.
func TestClusterOfTwo(t *testing.T) {
	nodes := clusterOf(t, 2)
	for _, node := range nodes {
		crawlOne(t, "redis-cluster://127.0.0.1:"+node+"?crawl=c", Options{})
	}
	a, err := ParseAddress("redis-cluster://127.0.0.1:" + nodes[0] + "?crawl=c")
	if err != nil {
		t.Fatal(err)
	}
	c := newClient(a, 0, 1, Options{})
	defer c.server.pool.Close()
	if _, err := c.do(context.Background(), "GET", c.key("cfg")); err != nil {
		t.Fatal(err)
	}
	for _, node := range nodes {
		if !slices.Contains(c.server.nodes, "127.0.0.1:"+node) {
			t.Errorf("the nodes are %v, want 127.0.0.1:%s among them", c.server.nodes, node)
		}
	}
}
