package redisstore

import (
	"cmp"
	"context"
	"crypto/tls"
	"embed"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/gomodule/redigo/redis"

	"github.com/orbweaver/orbweaver/crawler/internal/frontier"
)

// Options say how a server is reached.
type Options struct {
	TLS      *tls.Config   // for an encrypted connection; nil for the defaults
	Patience time.Duration // how long an unreachable server is waited for
	// Wait is told why this process waits for the servers, each reason once, and "" when it waits for
	// none any more. It may be nil.
	Wait func(why string)
	// Now is the clock, for tests in which time is simulated; nil is the clock of the server.
	Now func() time.Time
	// dial replaces the network in tests.
	dial func(ctx context.Context, network, address string) (net.Conn, error)

	waits *waits // of all servers of a crawl
}

// waits are the exchanges of a process that wait for a server.
type waits struct {
	mu   sync.Mutex
	n    int
	told map[string]bool // reasons, since there were none
}

// say tells why an exchange waits, which is new or has told another reason before.
func (w *waits) say(isNew bool, why string, tell func(why string)) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if isNew {
		w.n++
	}
	if w.told == nil {
		w.told = map[string]bool{}
	}
	if !w.told[why] && tell != nil {
		tell(why)
	}
	w.told[why] = true
}

// end is called when an exchange that has told why it waits does so no more.
func (w *waits) end(tell func(why string)) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.n--; w.n > 0 {
		return
	}
	w.told = nil
	if tell != nil {
		tell("")
	}
}

// client sends scripts to the server, and waits for a server that is away.
type client struct {
	server  *connections
	address *Address
	options Options
	several bool // the crawl has other servers
	prefix  string
	session script // of the crawl: see session.lua
}

func newClient(a *Address, at place, o Options) *client {
	o.waits = cmp.Or(o.waits, &waits{})
	c := &client{address: a, options: o, several: at.of > 1, prefix: a.prefix(at.number, at.of)}
	c.session = newScript("-- " + c.prefix + "\n" + source("session"))
	c.server = newConnections(a, o, c.noteRestart)
	return c
}

// do sends one command. The error is redis.ErrNil only if a helper for the type of the answer
// makes it of nil.
func (c *client) do(ctx context.Context, command string, args ...any) (any, error) {
	return c.server.do(ctx, command, args...)
}

// noteRestart lets the crawl know if the server was started after any process of the crawl was
// connected: it has forgotten a script that was run then.
func (c *client) noteRestart(ctx context.Context, on doer) error {
	_, err := c.session.known(ctx, on, c.prefix, c.options.time(), "")
	if isReply(err, "NOSCRIPT") {
		_, err = c.session.send(ctx, on, c.prefix, c.options.time(), "1")
	}
	if isReply(err, "MOVED") { // a node of the cluster without the crawl
		err = nil
	}
	return err
}

// RefusedError is an error that waiting does not change: the server or its settings are not
// fit, or it does not let this process in.
type RefusedError struct{ why string }

// Error says what is wrong.
func (e *RefusedError) Error() string { return e.why }

// refused returns a RefusedError about the server.
func (c *client) refused(format string, args ...any) error {
	return &RefusedError{c.address.String() + ": " + fmt.Sprintf(format, args...)}
}

// explain turns an error of the server that waiting does not change into a RefusedError. For
// others it returns why this process waits, "" if it does not.
func (c *client) explain(err error) (wait string, final error) {
	if err == nil {
		return "", nil
	}
	text := err.Error()
	var unknown *tls.CertificateVerificationError
	var alert tls.AlertError
	var header tls.RecordHeaderError
	starts := func(list ...string) bool {
		for _, s := range list {
			if strings.HasPrefix(text, s) {
				return true
			}
		}
		return false
	}
	switch {
	case errors.As(err, &unknown), errors.As(err, &alert), strings.Contains(text, "remote error: tls"):
		return "", c.refused("the certificate is not accepted: %v", err)
	case errors.As(err, &header):
		return "", c.refused("the server does not speak TLS on this port; the address without TLS begins with redis:")
	case starts("NOAUTH", "WRONGPASS", "ERR invalid password", "ERR AUTH", "ERR Client sent AUTH"), strings.Contains(text, "WRONGPASS"), strings.Contains(text, "NOAUTH"):
		return "", c.refused("the server refuses the password: %s", text)
	case starts("NOPERM"):
		return "", c.refused("the user may not do what is needed: %s", text)
	case starts("READONLY"):
		return "", c.refused("the server is a read-only replica")
	case strings.Contains(text, "cluster support disabled"):
		return "", c.refused("the server is not in cluster mode; the address of a single server begins with redis:")
	case starts("MOVED", "CROSSSLOT") && !c.address.isCluster():
		return "", c.refused("the server is a node of a cluster; the address of a cluster begins with redis-cluster:")
	case starts("ERR DB index", "ERR invalid DB"):
		return "", c.refused("there is no database %d", c.address.db)
	case starts("OOM"), strings.Contains(text, "maxmemory"):
		return "server full (maxmemory)", nil
	case starts("MISCONF"):
		return "server full: it cannot write to its disk", nil
	case starts("LOADING", "BUSY", "CLUSTERDOWN", "TRYAGAIN", "MASTERDOWN", "UNKILLABLE", "MOVED"): // more often than a command follows, when a node comes back
		return "server not ready (" + strings.Fields(text)[0] + ")", nil
	case errors.Is(err, io.EOF), errors.Is(err, context.DeadlineExceeded), errors.Is(err, net.ErrClosed), strings.Contains(text, "max number of clients"):
		return "server away", nil
	}
	var network net.Error
	if errors.As(err, &network) || strings.Contains(text, "connection") || strings.Contains(text, "broken pipe") {
		return "server away", nil
	}
	var reply redis.Error
	if errors.As(err, &reply) {
		return "", fmt.Errorf("%s: %w", c.address, err)
	}
	return "server away", nil // an answer that was cut off
}

// try calls fn until the server answers it. An absent server is waited for.
func (c *client) try(ctx context.Context, fn func(context.Context) error) error {
	var since time.Time
	var told string
	var cause error // of the last failure that was not only the end of the patience
	defer func() {
		if told != "" {
			c.options.waits.end(c.options.Wait)
		}
	}()
	for n := 0; ; n++ {
		sent := time.Now()
		// The patience also bounds an exchange with a server that does not answer.
		exchange, done := context.WithDeadline(ctx, cmp.Or(since, sent).Add(max(c.options.Patience, time.Millisecond)))
		err := fn(exchange)
		done()
		if err == nil || isNil(err) {
			return err
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
		wait, final := c.explain(err)
		if final != nil {
			return final
		}
		if c.several && !c.address.isCluster() { // whose nodes the user did not name one by one
			wait += ": " + c.address.String()
		}
		if cause == nil || !errors.Is(err, context.DeadlineExceeded) {
			cause = err
		}
		now := time.Now()
		if since.IsZero() {
			since = sent
		}
		if now.Sub(since) >= c.options.Patience {
			return fmt.Errorf("%s: %w: %w", c.address, frontier.ErrAway, cmp.Or(cause, err))
		}
		if wait != told && n > 0 { // one failure may be a lost connection
			c.options.waits.say(told == "", wait, c.options.Wait)
			told = wait
		}
		pause := min(50*time.Millisecond<<min(n, 6), 2*time.Second)
		pause = pause/2 + rand.N(pause)
		select {
		case <-time.After(min(pause, c.options.Patience-now.Sub(since)+time.Millisecond)):
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

//go:embed *.lua
var sources embed.FS

// source returns the text of a script.
func source(name string) string {
	b, err := sources.ReadFile(name + ".lua")
	if err != nil {
		panic(err)
	}
	return string(b)
}

// scripts returns the scripts by name. Most runs need none.
var scripts = sync.OnceValue(func() map[string]script {
	list := map[string]script{}
	for parts, names := range map[string][]string{
		"":                             {"ack", "countup"}, // frequent, and short
		"common":                       {"coordinate", "endpage", "facts", "once", "outbox", "publish", "redirect", "set", "setonce", "state", "tally", "trim"},
		"common queues":                {"pace"},
		"common queues leases":         {"beginpage", "extend", "hosts", "release", "start"},
		"common queues leases workers": {"claim", "giveback", "join", "leave"},
		"common queues leases items":   {"add", "complete", "fill"},
	} {
		for _, name := range names {
			list[name] = newScript(nested(append(strings.Fields(parts), name)))
		}
	}
	return list
})

// nested returns a script of some parts, each of which is a function inside the one before.
func nested(parts []string) string {
	var b strings.Builder
	for i, part := range parts {
		if i > 0 {
			b.WriteString("\nlocal function inner()\n")
		}
		b.WriteString(source(part))
	}
	return b.String() + strings.Repeat("\nend\nreturn inner()", len(parts)-1)
}

// time returns the time as scripts take it: "" for the clock of the server.
func (o *Options) time() string {
	if o.Now == nil {
		return ""
	}
	return strconv.FormatInt(o.Now().UnixMicro(), 10)
}

// now returns the time of the server.
func (c *client) now(ctx context.Context) (time.Time, error) {
	if c.options.Now != nil {
		return c.options.Now(), nil
	}
	if c.address.isCluster() { // the one with the keys of the crawl
		t, err := redis.Int64(newScript("local t = redis.call('TIME') return t[1] * 1000000 + t[2]").send(ctx, c.do, c.prefix))
		return time.UnixMicro(t), err
	}
	t, err := redis.Int64s(c.do(ctx, "TIME"))
	if err != nil || len(t) != 2 {
		return time.Time{}, cmp.Or(err, errAnswer)
	}
	return time.Unix(t[0], t[1]*1000), nil
}

// run runs a script and returns its answer.
func (c *client) run(ctx context.Context, name string, args ...any) (any, error) {
	var answer any
	args = append([]any{c.options.time()}, args...)
	err := c.try(ctx, func(ctx context.Context) (err error) {
		s := scripts()[name]
		if answer, err = s.known(ctx, c.do, c.prefix, args...); !isReply(err, "NOSCRIPT") {
			return err
		}
		if err := c.noteRestart(ctx, c.do); err != nil { // a server forgets scripts when it is restarted
			return err
		}
		answer, err = s.send(ctx, c.do, c.prefix, args...)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("frontier: %s: %w", name, err)
	}
	if text, ok := answer.([]byte); ok {
		answer = string(text)
	}
	return answer, nil
}

// runText runs a script whose answer is a text.
func (c *client) runText(ctx context.Context, script string, args ...any) (string, error) {
	answer, err := c.run(ctx, script, args...)
	text, _ := answer.(string)
	return text, err
}

// close closes the connections.
func (c *client) close() error { return c.server.pool.Close() }

// key returns a key of the crawl.
func (c *client) key(name string) string { return c.prefix + name }

// micros returns a duration in microseconds, as scripts take it.
func micros(d time.Duration) string { return strconv.FormatInt(d.Microseconds(), 10) }
