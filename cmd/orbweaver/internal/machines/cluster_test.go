//go:build linux

package machines

import (
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/orbweaver/orbweaver/crawler/crawlertest"
)

// The report of a crawl on the nodes of a cluster equals that of one process, and deleting the crawl
// leaves nothing on any node.
func TestCluster(t *testing.T) {
	t.Parallel()
	site := startWebsite(t)
	flags := []string{site.url(0, "/"), "--show", "all", "-f", "json"}
	for host := range siteHosts {
		flags = append(flags, "--include", "^"+strings.ReplaceAll(site.url(host, "/"), ".", `\.`))
	}
	one := run(t, append([]string{"check"}, flags...)...)
	if code := one.wait(); code != 1 {
		t.Fatalf("one process: exit status %d\n%s", code, one.err.Bytes())
	}
	nodes := crawlertest.ServeRedisCluster(t, 3)
	address := "redis-cluster://127.0.0.1:" + nodes[0] + ",127.0.0.1:" + nodes[1] + "?crawl=cluster"
	worker := run(t, "worker", "--frontier", address, "--name", "a")
	together := run(t, append([]string{"check", "--frontier", address, "--state", filepath.Join(t.TempDir(), "state")}, flags...)...)
	if code := together.wait(); code != 1 {
		t.Fatalf("on a cluster: exit status %d\n%s", code, together.err.Bytes())
	}
	if code := worker.wait(); code != 0 {
		t.Errorf("the worker ended with %d\n%s", code, worker.err.Bytes())
	}
	if got, want := without(afterFault, together.out.Bytes()), without(afterFault, one.out.Bytes()); got != want {
		t.Errorf("the report differs: %s", firstDifference(got, want))
	}
	keys := func(node string) string {
		out, err := exec.Command("redis-cli", "-p", node, "dbsize").Output()
		if err != nil {
			t.Errorf("redis-cli dbsize: %v", err)
		}
		return strings.TrimSpace(string(out))
	}
	for _, node := range nodes {
		if keys(node) == "0" {
			t.Errorf("the node %s has no part of the crawl", node)
		}
	}
	if p := run(t, "frontier", "delete", address); p.wait() != 0 {
		t.Errorf("delete: %s", p.err.Bytes())
	}
	for _, node := range nodes {
		if size := keys(node); size != "0" {
			t.Errorf("after delete, the node %s has %s keys", node, size)
		}
	}
}
