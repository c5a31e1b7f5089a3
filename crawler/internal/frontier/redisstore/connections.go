package redisstore

import (
	"cmp"
	"context"
	"crypto/sha1"
	"encoding/hex"
	"errors"
	"net"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/gomodule/redigo/redis"
)

// Limits of one exchange with the server, and of the connections to it.
const (
	dialTimeout     = 3 * time.Second
	exchangeTimeout = 5 * time.Second
	maxConnections  = 16
	maxIdle         = 5 * time.Minute
	maxMoves        = 4   // from one node of a cluster to another, for one command
	maxNodes        = 256 // of a cluster that are remembered
)

// connections are the connections to the server. All keys of a part of a crawl are in one slot, so of a
// cluster they lead to one node: MOVED says to which.
type connections struct {
	pool    *redis.Pool
	address *Address
	options Options
	greet   func(ctx context.Context, on doer) error // is called for each new connection

	mu    sync.Mutex
	nodes []string  // the first one is asked; a server has no others
	stale time.Time // connections that have been idle since then are not used again
}

// doer sends a command and returns the answer: nil, an int64, a string, a []byte or a []any.
type doer func(ctx context.Context, command string, args ...any) (any, error)

func newConnections(a *Address, o Options, greet func(ctx context.Context, on doer) error) *connections {
	c := &connections{address: a, options: o, greet: greet, nodes: slices.Clone(a.hosts)}
	c.pool = &redis.Pool{
		MaxIdle: maxConnections, MaxActive: maxConnections, Wait: true, IdleTimeout: maxIdle,
		DialContext: func(ctx context.Context) (redis.Conn, error) { return c.dial(ctx, c.node()) },
		TestOnBorrow: func(_ redis.Conn, used time.Time) error {
			c.mu.Lock()
			defer c.mu.Unlock()
			if !used.After(c.stale) {
				return errLost
			}
			return nil
		},
	}
	return c
}

var errLost = errors.New("the connections to this server were lost")

// node returns the address of the server, or of the node to ask.
func (c *connections) node() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.nodes[0]
}

// leave stops using the idle connections, and goes on with another node if there is one: with the
// one named next, or else with the one that was not asked for the longest time. It does
// nothing if another node than from is asked by now.
func (c *connections) leave(from, next string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.nodes[0] != from {
		return
	}
	c.stale = time.Now()
	if next == "" {
		c.nodes = append(c.nodes[1:], from)
		return
	}
	c.nodes = slices.Insert(slices.DeleteFunc(c.nodes, func(n string) bool { return n == next }), 0, next)
}

// dial connects to the server or to a node.
func (c *connections) dial(ctx context.Context, host string) (redis.Conn, error) {
	network := "tcp"
	if c.address.scheme == "unix" {
		network = "unix"
	}
	dial := (&net.Dialer{Timeout: dialTimeout}).DialContext
	if c.options.dial != nil {
		dial = c.options.dial
	}
	conn, err := redis.DialContext(ctx, network, host, redis.DialContextFunc(dial),
		redis.DialReadTimeout(exchangeTimeout), redis.DialWriteTimeout(exchangeTimeout),
		redis.DialUseTLS(c.address.TLS()), redis.DialTLSConfig(c.options.TLS), redis.DialTLSHandshakeTimeout(dialTimeout),
		redis.DialUsername(c.address.user), redis.DialPassword(c.address.Password), redis.DialDatabase(c.address.db))
	if err != nil {
		return nil, err
	}
	if c.address.isCluster() {
		c.learn(ctx, conn)
	}
	if err := c.greet(ctx, on(conn)); err != nil {
		_ = conn.Close()
		return nil, err
	}
	return conn, nil
}

// learn remembers the nodes of the cluster, for the time when one of them is away. Nothing depends
// on a server that does not tell.
func (c *connections) learn(ctx context.Context, conn redis.Conn) {
	ranges, _ := redis.Values(on(conn)(ctx, "CLUSTER", "SLOTS"))
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, r := range ranges {
		list, _ := r.([]any) // of the first slot, the last one, and the nodes that have them
		for _, n := range list[min(2, len(list)):] {
			about, _ := n.([]any)
			if len(about) < 2 || asText(about[0]) == "" {
				continue
			}
			if node := net.JoinHostPort(asText(about[0]), strconv.FormatInt(asInt(about[1]), 10)); len(c.nodes) < maxNodes && !slices.Contains(c.nodes, node) {
				c.nodes = append(c.nodes, node)
			}
		}
	}
}

// on returns the doer of one connection.
func on(conn redis.Conn) doer {
	return func(ctx context.Context, command string, args ...any) (any, error) {
		left := exchangeTimeout
		if deadline, ok := ctx.Deadline(); ok {
			left = min(left, time.Until(deadline))
		}
		if err := ctx.Err(); err != nil || left <= 0 {
			return nil, cmp.Or(err, context.DeadlineExceeded)
		}
		return redis.DoWithTimeout(conn, left, command, args...)
	}
}

// do sends a command to the server, or to the node that has the crawl.
func (c *connections) do(ctx context.Context, command string, args ...any) (answer any, err error) {
	for range maxMoves {
		node := c.node()
		if answer, err = c.doOnce(ctx, node, command, args...); err == nil || !c.address.isCluster() {
			return answer, err
		}
		next, once, moved := redirection(err, node)
		switch {
		case !moved:
			return answer, err
		case !once:
			c.leave(node, next)
			continue
		}
		// The slot is being moved, and this node has the keys already.
		conn, err := c.dial(ctx, next)
		if err != nil {
			return nil, err
		}
		defer conn.Close()
		if _, err := on(conn)(ctx, "ASKING"); err != nil {
			return nil, err
		}
		return on(conn)(ctx, command, args...)
	}
	return nil, err
}

// doOnce sends a command on one of the connections.
func (c *connections) doOnce(ctx context.Context, node, command string, args ...any) (any, error) {
	conn, err := c.pool.GetContext(ctx)
	if err != nil {
		if ctx.Err() == nil { // otherwise it may only have waited for others
			c.leave(node, "")
		}
		return nil, err
	}
	defer conn.Close()
	answer, err := on(conn)(ctx, command, args...)
	if conn.Err() != nil { // what the other connections lead to is gone, too
		c.leave(node, "")
	}
	return answer, err
}

// redirection returns the node that an answer sends the client to: for one command, or from now on.
func redirection(err error, from string) (node string, once, ok bool) {
	words := strings.Fields(err.Error())
	if len(words) != 3 || !isReply(err, "MOVED") && !isReply(err, "ASK") {
		return "", false, false
	}
	colon := strings.LastIndexByte(words[2], ':')
	if colon < 0 {
		return "", false, false
	}
	host, port := words[2][:colon], words[2][colon+1:]
	if host == "" { // that of the node that answers
		host, _, _ = net.SplitHostPort(from)
	}
	return net.JoinHostPort(strings.Trim(host, "[]"), port), words[0] == "ASK", true
}

// isReply reports whether an error is an answer of the server that begins with a word.
func isReply(err error, word string) bool {
	var reply redis.Error
	return errors.As(err, &reply) && strings.HasPrefix(string(reply), word+" ")
}

// isNil reports whether a key does not exist.
func isNil(err error) bool { return errors.Is(err, redis.ErrNil) }

// script is a script for the server, which knows scripts by their sums.
type script struct{ text, sum string }

func newScript(text string) script {
	sum := sha1.Sum([]byte(text))
	return script{text, hex.EncodeToString(sum[:])}
}

// known runs the script, with one key, if the server knows it; otherwise the answer is NOSCRIPT.
func (s script) known(ctx context.Context, on doer, key string, args ...any) (any, error) {
	return on(ctx, "EVALSHA", append([]any{s.sum, 1, key}, args...)...)
}

// send runs the script, and the server knows it from then on.
func (s script) send(ctx context.Context, on doer, key string, args ...any) (any, error) {
	return on(ctx, "EVAL", append([]any{s.text, 1, key}, args...)...)
}
