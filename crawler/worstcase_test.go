package crawler

import (
	"bytes"
	"compress/gzip"
	"context"
	"fmt"
	"io"
	"net"
	"strings"
	"testing"
	"time"

	"github.com/orbweaver/orbweaver/crawler/fetch"
)

// slowFaults are those that try to keep a visitor for ever; the others are in fixtures.
func slowFaults() []fixture {
	// Each byte comes in time, the whole never; the client's silence is the clock.
	pace := func(x *exchange) {
		x.SetReadDeadline(time.Now().Add(50 * time.Millisecond))
		if _, err := x.Read(make([]byte, 1)); err == io.EOF {
			x.closed = true
		}
	}
	trickle := func(x *exchange) {
		x.send("HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n")
		for !x.closed {
			x.send("x")
			pace(x)
		}
	}
	drip := func(x *exchange) {
		x.send("HTTP/1.1 200 OK\r\n")
		for i := 0; !x.closed; i++ {
			x.send(fmt.Sprintf("X-%d: x\r\n", i))
			pace(x)
		}
	}
	var bomb bytes.Buffer
	z := gzip.NewWriter(&bomb)
	io.CopyN(z, zeros{}, 16<<20)
	z.Close()
	growing := func(x *exchange) { page("<a href=more/>x</a><a href=?" + x.request.URL.RawQuery + "&a=1>x</a>")(x) }
	return []fixture{
		{name: "silent", answer: (*exchange).hang},
		{name: "trickle", url: "http://HOST/page#x", answer: trickle},
		{name: "drip", answer: drip},
		{name: "handshake", url: "https://HOST:8445/"},
		{name: "stalled", url: "http://HOST/page#x", answer: func(x *exchange) { x.send("HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n<p>"); x.hang() }},
		{name: "stalled-error", answer: func(x *exchange) { x.send("HTTP/1.1 403 No\r\nContent-Type: text/html\r\n\r\n<p>"); x.hang() }},
		{name: "bomb", url: "http://HOST/page#x", answer: func(x *exchange) {
			x.say("200 OK", "Content-Type: text/html\r\nContent-Encoding: gzip\r\n", bomb.String())
		}},
		{name: "announcing", answer: raw(strings.Repeat("HTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\n", 200))},
		{name: "tomorrow", answer: func(x *exchange) { x.say("429 No", "Retry-After: 86400\r\n", "") }},
		{name: "soon", answer: func(x *exchange) { x.say("503 No", "Retry-After: 1\r\n", "") }},
		{name: "growing", answer: growing},
	}
}

type zeros struct{}

func (zeros) Read(p []byte) (int, error) {
	clear(p)
	return len(p), nil
}

// A site whose every link is a different fault: the run ends after a bounded number of
// requests, and each link has its result.
func TestEveryFaultAtOnce(t *testing.T) {
	t.Parallel()
	table := append(fixtures(), slowFaults()...)
	s := newStage(t, table, 200*time.Millisecond)
	silent := serveHandshakes(t, func(c net.Conn) { c.Read(make([]byte, 1)) })
	s.config.ConnectTo = append(s.config.ConnectTo, fetch.ConnectTo{From: ":8445", To: silent})
	client, err := fetch.NewHTTP(s.config)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(client.Close)
	s.client = client
	cfg := s.settings(t)
	cfg.Politeness.Retries, cfg.Politeness.MaxWait, cfg.Limits.MaxBody = 1, 2*time.Second, 1<<20
	cfg.Scope.Robots, cfg.Judging.SoftNotFound, cfg.Judging.CheckHTTPS, cfg.Scope.Credentials = RobotsStrict, true, true, true

	c := &collector{}
	sum, err := Run(context.Background(), cfg, seedOf(t, "http://start.test/"), c)
	if err != nil {
		t.Fatal(err)
	}
	found := map[string]bool{}
	for _, r := range c.results {
		for _, ref := range r.References {
			found[ref.Raw] = true
		}
	}
	for i := range table {
		for _, side := range []string{"int-", "ext-"} {
			if !found[table[i].link(side)] {
				t.Errorf("%s%s has no result", side, table[i].name)
			}
		}
	}
	if most := 4 * 2 * len(table); sum.Requests > most { // about three for each link
		t.Errorf("%d requests, want %d at most", sum.Requests, most)
	}
	t.Logf("%d faults on both sides: %d results by %d requests in %v", len(table), sum.Results, sum.Requests, sum.Elapsed)
}
