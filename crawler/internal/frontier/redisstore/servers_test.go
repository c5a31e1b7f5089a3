package redisstore

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"io"
	"net"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/gomodule/redigo/redis"

	"github.com/orbweaver/orbweaver/crawler/crawlertest"
	"github.com/orbweaver/orbweaver/crawler/internal/frontier"
)

// crawlOne enters a target, visits it and deletes the crawl.
func crawlOne(t *testing.T, address string, o Options) {
	t.Helper()
	ctx := context.Background()
	o.Patience = 20 * time.Second
	f, headers := newCrawlWith(t, address, o, frontier.Narrow, [16]byte{1})
	defer f.Close()
	if _, err := f.Check(ctx); err != nil {
		t.Fatal(err)
	}
	s := f.Store(headers[0], "w", "test")
	if err := s.Process().Join(ctx); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Add(ctx, []frontier.Item{{Fingerprint: frontier.Fingerprint{Low: 7}, Host: []byte("h"), Job: []byte("job")}}); err != nil {
		t.Fatal(err)
	}
	leases, _, err := s.Claim(ctx, 5, time.Minute)
	if err != nil || len(leases) != 1 || string(leases[0].Job) != "job" {
		t.Fatalf("Claim = %+v, %v", leases, err)
	}
	if _, err := s.Complete(ctx, leases[0], frontier.Done{Outcome: []byte("ok")}); err != nil {
		t.Fatal(err)
	}
	status, err := f.Status(ctx)
	if err != nil || status.Settled != 1 || len(status.Workers) != 1 {
		t.Errorf("Status = %+v, %v", status, err)
	}
	entries := 0
	for i, shard := range f.Shards() {
		events, _, err := shard.Log(headers[i]).Read(ctx, headers[i].First(), 0)
		if err != nil {
			t.Fatal(err)
		}
		entries += len(events)
	}
	if entries != 2 {
		t.Errorf("the log has %d entries, want 2", entries)
	}
	if _, _, err := f.Delete(ctx, true); err != nil {
		t.Fatal(err)
	}
	for _, shard := range f.shards {
		if n, err := redis.Int(shard.to.do(ctx, "DBSIZE")); err != nil || n != 0 {
			t.Errorf("after Delete, the server has %d keys, %v", n, err)
		}
	}
}

func TestCluster(t *testing.T) {
	number := crawlertest.ServeRedisCluster(t, 1)[0]
	crawlOne(t, "redis-cluster://127.0.0.1:"+number+"?crawl=c", Options{})
	crawlOne(t, "redis-cluster://127.0.0.1:1,127.0.0.1:"+number+"?crawl=c", Options{}) // the first node is down
}

func TestPassword(t *testing.T) {
	number := crawlertest.ServeRedis(t, "--port", "PORT", "--requirepass", "a:b/c@d")
	crawlOne(t, "redis://:a%3Ab%2Fc%40d@127.0.0.1:"+number+"/3?crawl=c", Options{})
	for _, user := range []string{"", ":wrong@", "nobody:a@"} {
		wantRefused(t, "redis://"+user+"127.0.0.1:"+number+"?crawl=c", Options{}, "password")
	}
}

func TestRefusedServers(t *testing.T) {
	primary := crawlertest.ServeRedis(t)
	replica := crawlertest.ServeRedis(t, "--port", "PORT", "--replicaof", "127.0.0.1", primary)
	evicting := crawlertest.ServeRedis(t, "--port", "PORT", "--maxmemory-policy", "allkeys-lru")
	wantRefused(t, "redis://127.0.0.1:"+replica+"?crawl=c", Options{}, "replica")
	wantRefused(t, "redis://127.0.0.1:"+evicting+"?crawl=c", Options{}, "maxmemory-policy", "noeviction")
	wantRefused(t, "redis-cluster://127.0.0.1:"+primary+"?crawl=c", Options{}, "cluster mode")
	wantRefused(t, "redis://127.0.0.1:"+primary+"/99?crawl=c", Options{}, "database 99")
}

// wantRefused wants a server to be refused for a reason.
func wantRefused(t *testing.T, address string, o Options, reasons ...string) {
	t.Helper()
	a, err := ParseAddress(address)
	if err != nil {
		t.Fatal(err)
	}
	o.Patience = 20 * time.Second
	f := Open(Addresses{a}, o).Lead()
	defer f.Close()
	_, err = f.Check(context.Background())
	var refused *RefusedError
	if !errors.As(err, &refused) {
		t.Errorf("%s: Check = %v, want it to be refused", a, err)
		return
	}
	for _, reason := range reasons {
		if !strings.Contains(err.Error(), reason) {
			t.Errorf("%s: refused with %q, want %q", a, err, reason)
		}
	}
}

// A server that accepts connections and does not answer is waited for no longer than one that
// is away.
func TestPatienceWithSilentServer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const patience = 300 * time.Millisecond
		a, err := ParseAddress("redis://silent.test?crawl=c")
		if err != nil {
			t.Fatal(err)
		}
		var reading sync.WaitGroup
		f := Open(Addresses{a}, Options{Patience: patience, dial: func(context.Context, string, string) (net.Conn, error) {
			client, server := net.Pipe()
			reading.Go(func() { _, _ = io.Copy(io.Discard, server) })
			return client, nil
		}}).Lead()
		began := time.Now()
		_, err = f.Check(t.Context())
		if took := time.Since(began); !errors.Is(err, frontier.ErrAway) || took > 2*patience {
			t.Errorf("Check = %v after %v", err, took)
		}
		began = time.Now()
		s := f.Store(&Header{}, "", "test")
		var all sync.WaitGroup
		for n := range 20 * pagesAtOnce {
			all.Go(func() {
				if _, err := s.Complete(t.Context(), frontier.Lease{ID: frontier.ID(n)}, frontier.Done{}); !errors.Is(err, frontier.ErrAway) {
					t.Errorf("Complete = %v", err)
				}
			})
		}
		all.Wait()
		if took := time.Since(began); took > 2*patience {
			t.Errorf("many pages waited for %v", took)
		}
		if err := f.Close(); err != nil {
			t.Error(err)
		}
		reading.Wait()
	})
}

func TestTLS(t *testing.T) {
	signer := (*crawlertest.Authority)(nil).Issue(t, &x509.Certificate{IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}, IsCA: true, BasicConstraintsValid: true,
		NotBefore: time.Unix(0, 0)}) // simulated time begins long ago
	cert, pool := signer.File(t), x509.NewCertPool()
	pool.AddCert(signer.Cert)
	number := crawlertest.ServeRedis(t, "--port", "0", "--tls-port", "PORT", "--tls-cert-file", cert, "--tls-key-file", cert,
		"--tls-ca-cert-file", cert, "--tls-auth-clients", "no", "--requirepass", "a:b")
	address := "rediss://:a%3Ab@127.0.0.1:" + number + "?crawl=c"
	crawlOne(t, address, Options{TLS: &tls.Config{RootCAs: pool}})
	crawlOne(t, address, Options{TLS: &tls.Config{InsecureSkipVerify: true}})
	wantRefused(t, address, Options{}, "certificate")
}

// A server that was restarted has forgotten what was visited in its last second.
func TestIntervalAfterRestart(t *testing.T) {
	number := crawlertest.ServeRedis(t)
	ctx := context.Background()
	f, headers := newCrawlWith(t, "redis://127.0.0.1:"+number+"?crawl=c", Options{Patience: 20 * time.Second}, frontier.Narrow, [16]byte{1})
	defer f.Close()
	s := f.Store(headers[0], "w", "test")
	if err := s.Process().Join(ctx); err != nil {
		t.Fatal(err)
	}
	if err := s.SetPace(ctx, "h", frontier.Pace{Interval: time.Hour}); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Add(ctx, []frontier.Item{{Fingerprint: frontier.Fingerprint{Low: 7}, Host: []byte("h"), Job: []byte("job")},
		{Fingerprint: frontier.Fingerprint{Low: 8}, Host: []byte("g"), Job: []byte("job")}}); err != nil {
		t.Fatal(err)
	}
	leases, _, err := s.Claim(ctx, 1, time.Minute)
	if err != nil || len(leases) != 1 {
		t.Fatalf("Claim = %v, %v", leases, err)
	}
	for _, l := range leases {
		if err := s.Process().GiveBack(ctx, l); err != nil {
			t.Fatal(err)
		}
	}
	// A restart, which also loses the visit; another crawl is there first.
	state, err := redis.Bytes(f.shards[0].to.do(ctx, "HGET", f.shards[0].to.key("h:0"), "z"))
	if err != nil {
		t.Fatal(err)
	}
	clear(state[:32]) // all but its queues
	sendAll(t, f.shards[0].to, []any{"SCRIPT", "FLUSH"}, []any{"HSET", f.shards[0].to.key("h:0"), "z", state},
		[]any{"HDEL", f.shards[0].to.key("c"), "began"}) // it was in that second, too
	loadScripts(t, "redis://127.0.0.1:"+number)
	again := Open(Addresses{f.shards[0].to.address}, f.shards[0].to.options).Lead() // connections do not survive a restart
	defer again.Close()
	s = again.Store(headers[0], "w", "test")
	if err := s.Process().Join(ctx); err != nil {
		t.Fatal(err)
	}
	leases, _, err = s.Claim(ctx, 5, time.Minute)
	if err != nil || len(leases) != 1 || leases[0].Host != "g" {
		t.Errorf("Claim after a restart = %+v, %v, want only the host without an interval", leases, err)
	}
}

// A server that loses targets while the crawl is made does not give out the others.
func TestFilledAfterLoss(t *testing.T) {
	ctx := context.Background()
	a, err := ParseAddress("unix://" + openServer(t) + "?crawl=lossy")
	if err != nil {
		t.Fatal(err)
	}
	f := Open(Addresses{a}, Options{Patience: time.Minute}).Lead()
	defer f.Close()
	h := &Header{Encoding: Encoding, Targets: frontier.Encoding, Width: frontier.Narrow, Key: make([]byte, 16), Lease: time.Minute}
	if err := f.Shards()[0].Create(ctx, h, Limits{Log: 1 << 30}); err != nil {
		t.Fatal(err)
	}
	s := f.Store(h, "", "test")
	items := []frontier.Item{{Fingerprint: frontier.Fingerprint{Low: 7}, Host: []byte("h"), Job: []byte("job")}}
	if _, err := s.Add(ctx, items); err != nil {
		t.Fatal(err)
	}
	numbers, err := redis.String(f.shards[0].to.do(ctx, "GET", f.shards[0].to.key("N")))
	if err != nil {
		t.Fatal(err)
	}
	sendAll(t, f.shards[0].to, []any{"DEL", f.shards[0].to.key("N")})
	if complete, err := s.Filled(ctx, 0, 1); err != nil || complete {
		t.Errorf("Filled without the targets = %t, %v", complete, err)
	}
	sendAll(t, f.shards[0].to, []any{"SET", f.shards[0].to.key("N"), numbers})
	if complete, err := s.Filled(ctx, 0, 1); err != nil || !complete {
		t.Errorf("Filled = %t, %v", complete, err)
	}
	if _, _, err := f.Delete(ctx, true); err != nil {
		t.Fatal(err)
	}
}

// loadScripts lets a server know the scripts, as processes of another crawl do.
func loadScripts(t *testing.T, server string) {
	t.Helper()
	a, err := ParseAddress(server + "?crawl=none")
	if err != nil {
		t.Fatal(err)
	}
	f := Open(Addresses{a}, Options{}).Lead()
	defer f.Close()
	for _, script := range scripts() {
		sendAll(t, f.shards[0].to, []any{"SCRIPT", "LOAD", script.text})
	}
}

// sendAll sends commands, one after the other.
func sendAll(t *testing.T, c *client, commands ...[]any) {
	t.Helper()
	for _, command := range commands {
		if _, err := c.do(context.Background(), command[0].(string), command[1:]...); err != nil {
			t.Fatalf("%v: %v", command, err)
		}
	}
}

// A process whose join a server has lost with its last second joins again, also if the server still knows an
// earlier process of its name. A process that was replaced since then ends.
func TestJoinAfterLoss(t *testing.T) {
	f, h := newCrawl(t)
	defer f.Close()
	ctx := t.Context()
	first, second := f.Store(h, "w", "test"), f.Store(h, "w", "test")
	if _, err := first.Add(ctx, []frontier.Item{{Fingerprint: frontier.Fingerprint{Low: 7}, Host: []byte("h"), Job: []byte("job")}}); err != nil {
		t.Fatal(err)
	}
	if err := first.Process().Join(ctx); err != nil {
		t.Fatal(err)
	}
	known, err := redis.StringMap(f.shards[0].to.do(ctx, "HGETALL", f.shards[0].to.key("w@w")))
	if err != nil {
		t.Fatal(err)
	}
	if err := second.Process().Join(ctx); err != nil {
		t.Fatal(err)
	}
	sendAll(t, f.shards[0].to, []any{"SCRIPT", "FLUSH"}, []any{"HSET", f.shards[0].to.key("w@w"), "s", known["s"], "g", known["g"]})
	if lost, err := second.Process().ExtendAll(ctx, 0, nil, time.Minute); err != nil || len(lost) > 0 {
		t.Errorf("ExtendAll = %v, %v", lost, err)
	}
	leases, _, err := second.Claim(ctx, 1, time.Minute)
	for err == nil && len(leases) == 0 { // it joins first
		leases, _, err = second.Claim(ctx, 1, time.Minute)
	}
	if err != nil {
		t.Errorf("Claim of the process that joined last: %v", err)
	}
	if _, _, err := first.Claim(ctx, 1, time.Minute); !errors.Is(err, frontier.ErrReplaced) {
		t.Errorf("Claim of the other one: %v, want %v", err, frontier.ErrReplaced)
	}
	deleteCrawl(t, f)
}

// A server that loses its last second may still say that a coordinator has its role which was killed before
// the one that has continued the crawl took it. That one keeps it; a third one does not get it.
func TestCoordinateAfterLoss(t *testing.T) {
	f, _ := newCrawl(t)
	defer f.Close()
	ctx := t.Context()
	coordinate := func(process string, lease time.Duration, take bool, want string) {
		t.Helper()
		if other, err := f.Coordinate(ctx, process, lease, take); err != nil || other != want {
			t.Errorf("Coordinate of %s = %q, %v, want %q", process, other, err, want)
		}
	}
	coordinate("killed", time.Minute, true, "")
	to := f.shards[0].to
	known, err := redis.StringMap(to.do(ctx, "HGETALL", to.key("own")))
	if err != nil {
		t.Fatal(err)
	}
	coordinate("another", time.Minute, true, "killed")
	coordinate("second", 0, true, "")
	coordinate("another", time.Minute, false, "second")
	sendAll(t, to, []any{"SCRIPT", "FLUSH"}, []any{"HSET", to.key("own"), "process", known["process"], "seen", known["seen"], "g", known["g"]})
	coordinate("another", time.Minute, true, "killed")
	coordinate("second", time.Minute, false, "")
	coordinate("another", time.Minute, false, "second")
	deleteCrawl(t, f)
}
