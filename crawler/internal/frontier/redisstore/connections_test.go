package redisstore

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/gomodule/redigo/redis"

	"github.com/orbweaver/orbweaver/crawler/crawlertest"
	"github.com/orbweaver/orbweaver/crawler/internal/frontier"
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
	c, ctx := newClient(a, place{0, 1}, Options{}), context.Background()
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
	other, err := redis.Dial("tcp", a.hosts[0])
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

// The parts of a crawl are spread over the nodes of a cluster, whichever node is named.
func TestClusterOfThree(t *testing.T) {
	nodes := crawlertest.ServeRedisCluster(t, 3)
	for _, node := range nodes {
		crawlOne(t, "redis-cluster://127.0.0.1:"+node+"?crawl=c", Options{})
	}
	f, _ := newCrawlWith(t, "redis-cluster://127.0.0.1:"+nodes[0]+"?crawl=c", Options{Patience: 20 * time.Second}, frontier.Narrow, [16]byte{1})
	defer f.Close()
	parts := map[string]int{}
	for _, shard := range f.shards {
		if _, err := redis.String(shard.to.do(t.Context(), "GET", shard.to.key("cfg"))); err != nil {
			t.Fatal(err)
		}
		parts[shard.to.server.node()]++
	}
	for _, node := range nodes {
		if parts["127.0.0.1:"+node] != clusterParts/len(nodes) {
			t.Errorf("the nodes have parts %v, want %d each", parts, clusterParts/len(nodes))
		}
	}
	for _, node := range nodes {
		if c := f.shards[0].to; !slices.Contains(c.server.nodes, "127.0.0.1:"+node) {
			t.Errorf("the nodes are %v, want 127.0.0.1:%s among them", c.server.nodes, node)
		}
	}
}

// The slots are those of the cluster specification, and each part has one of its own share of them.
func TestSlots(t *testing.T) {
	if got := slotOf("123456789"); got != 0x31c3 {
		t.Errorf("slotOf(123456789) = %#x, want 0x31c3", got)
	}
	for _, name := range []string{"c", "docs", strings.Repeat("x", 64)} {
		for of := 1; of <= MaxServers; of++ {
			for part := range of {
				if got := slotOf((&Address{Crawl: name}).tag(part, of)); got*of/slots != part {
					t.Errorf("part %d of %d of the crawl %s is in slot %d", part, of, name, got)
				}
			}
		}
	}
}

// A command that is sent from node to node while one comes back waits, and is not refused.
func TestMovedTooOften(t *testing.T) {
	moved := redis.Error("MOVED 3999 127.0.0.1:6381")
	for address, waits := range map[string]bool{"redis-cluster://127.0.0.1:1?crawl=c": true, "redis://127.0.0.1:1?crawl=c": false} {
		a, err := ParseAddress(address)
		if err != nil {
			t.Fatal(err)
		}
		c := newClient(a, place{0, 1}, Options{})
		if wait, final := c.explain(moved); (wait != "") != waits || (final == nil) != waits {
			t.Errorf("%s: explain = %q, %v", address, wait, final)
		}
		if err := c.server.pool.Close(); err != nil {
			t.Error(err)
		}
	}
}

// Each reason is told once, however many exchanges wait, until none does.
func TestWaitsAreToldOnce(t *testing.T) {
	var told []string
	tell := func(why string) { told = append(told, why) }
	w := &waits{}
	w.say(true, "away", tell)
	w.say(true, "away", tell)
	w.say(false, "full", tell)
	w.end(tell)
	w.say(true, "away", tell)
	w.say(false, "full", tell)
	w.end(tell)
	w.end(tell)
	w.say(true, "away", tell)
	w.end(nil)
	if want := []string{"away", "full", "", "away"}; !slices.Equal(told, want) {
		t.Errorf("told %q, want %q", told, want)
	}
}
