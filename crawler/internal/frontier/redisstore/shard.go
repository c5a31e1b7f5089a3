package redisstore

import (
	"bufio"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strings"
	"time"

	"github.com/gomodule/redigo/redis"

	"github.com/orbweaver/orbweaver/crawler/internal/frontier"
)

// place is one of the servers of a crawl.
type place struct {
	number int // from 0
	of     int // how many there are
}

// global returns the ID of a target by its number on this server, and local is the inverse. A server has
// numbers of 32 bits.
func (p place) global(n int64) (frontier.ID, error) {
	if n < 0 || n >= math.MaxUint32 {
		return 0, fmt.Errorf("target %d of server %d: a server can have at most %d targets", n, p.number+1, uint32(math.MaxUint32))
	}
	return p.id(uint32(n)), nil
}

func (p place) id(n uint32) frontier.ID {
	return frontier.ID(n)*frontier.ID(p.of) + frontier.ID(p.number)
}

func (p place) local(id frontier.ID) uint32 { return uint32(id / frontier.ID(p.of)) }

// has reports whether the targets of a host are on this server.
func (p place) has(host string) bool { return p.of == 1 || ServerOf(host, p.of) == p.number }

// Shard is a crawl on one of its servers.
type Shard struct {
	to *client
	at place
}

// Number returns the number of this server, from 0.
func (f Shard) Number() int { return f.at.number }

// Address returns the address of the crawl on this server.
func (f Shard) Address() *Address { return f.to.address }

func (f Shard) check(ctx context.Context) (*Server, error) {
	var info string
	forbidden := false
	err := f.to.try(ctx, func(ctx context.Context) (err error) {
		if err = f.to.locate(ctx); err != nil {
			return err
		}
		if info, err = redis.String(f.to.do(ctx, "INFO")); err != nil && (strings.HasPrefix(err.Error(), "NOPERM") || strings.HasPrefix(err.Error(), "ERR unknown command")) {
			forbidden = true
			_, err = f.to.do(ctx, "PING")
		}
		if err == nil && strings.Contains(info, "\nloading:1") { // its settings are not in force yet
			err = errLoading
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	s := &Server{}
	if forbidden {
		s.Unchecked = "the version and the settings of the server cannot be checked, because it refuses INFO; it must be at least 6.2, with maxmemory-policy noeviction"
		return s, nil
	}
	about := map[string]string{}
	lines := bufio.NewScanner(strings.NewReader(info))
	for lines.Scan() {
		if name, value, ok := strings.Cut(lines.Text(), ":"); ok {
			about[name] = strings.TrimSpace(value)
		}
	}
	s.Version, s.run = about["redis_version"], about["run_id"]
	if s.Version == "" {
		s.Unchecked = "the server does not tell its version; it must be at least 6.2"
	} else if !version62(s.Version) {
		return nil, f.to.refused("the server has version %s; at least 6.2 is needed", s.Version)
	}
	if about["role"] == "slave" {
		return nil, f.to.refused("the server is a read-only replica; use the address of its primary")
	}
	if f.to.address.isCluster() && about["cluster_enabled"] == "0" {
		return nil, f.to.refused("the server is not in cluster mode; the address of a single server begins with redis:")
	}
	policy := about["maxmemory_policy"]
	if policy == "" {
		s.Unchecked = "the server does not tell its maxmemory-policy; it must be noeviction"
	} else if policy != "noeviction" {
		return nil, f.to.refused("the maxmemory-policy of the server is %s, which would delete parts of the crawl; set it to noeviction", policy)
	}
	s.Volatile = about["aof_enabled"] == "0"
	return s, nil
}

var errLoading = errors.New("LOADING the server is reading its data")

// checkLayout refuses a server that has an unfinished crawl of this name, begun with another number or
// order of servers.
func (f Shard) checkLayout(ctx context.Context) error {
	if f.to.address.isCluster() {
		return nil
	}
	layouts := []place{{0, 1}}
	for i := range MaxServers {
		layouts = append(layouts, place{i, MaxServers})
	}
	for _, l := range layouts {
		prefix := f.to.address.prefix(l.number, l.of)
		var text []byte
		var state string
		err := f.to.try(ctx, func(ctx context.Context) (err error) {
			if text, err = redis.Bytes(f.to.do(ctx, "GET", prefix+"cfg")); err != nil {
				return err
			}
			state, err = redis.String(f.to.do(ctx, "HGET", prefix+"c", "state"))
			return err
		})
		if isNil(err) { // there is none
			continue
		}
		if err != nil {
			return err
		}
		h, err := f.readHeader(text)
		if err != nil {
			return err
		}
		if state != "done" && (max(h.Servers, 1) != f.at.of || h.Server != f.at.number) {
			return f.to.refused("the crawl %s was begun with %s, of which this is number %d; it is number %d of %d here: give the same addresses in the same order, or delete that crawl",
				f.to.address.Crawl, servers(h.Servers), h.Server+1, f.at.number+1, f.at.of)
		}
	}
	return nil
}

func servers(n int) string {
	if n == 1 {
		return "1 server"
	}
	return fmt.Sprintf("%d servers", n)
}

// Header returns the header of the crawl on this server, nil if there is none.
func (f Shard) Header(ctx context.Context) (*Header, error) {
	var text []byte
	err := f.to.try(ctx, func(ctx context.Context) (err error) {
		text, err = redis.Bytes(f.to.do(ctx, "GET", f.to.key("cfg")))
		return err
	})
	if isNil(err) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	return f.readHeader(text)
}

func (f Shard) readHeader(text []byte) (*Header, error) {
	h := &Header{}
	if err := json.Unmarshal(text, h); err != nil {
		return nil, fmt.Errorf("read the header of the crawl %s: %w", f.to.address.Crawl, err)
	}
	return h, nil
}

// Create makes the crawl on this server, in place of whatever it has of it. It is not given out until
// Filled is called.
func (f Shard) Create(ctx context.Context, h *Header, l Limits) error {
	if _, err := f.to.removeAll(ctx); err != nil {
		return err
	}
	h.Epoch, h.Servers, h.Server = rand.Text(), f.at.of, f.at.number
	text, err := json.Marshal(h)
	if err != nil {
		return err
	}
	result := appendResult(nil, &frontier.Done{Outcome: l.Lost, Tally: []frontier.Tally{{Name: "checked", By: 1}}})
	return f.to.try(ctx, func(ctx context.Context) error {
		ends := int64(0)
		if l.MaxTime > 0 || !l.Ends.IsZero() {
			now, err := f.to.now(ctx)
			if err != nil {
				return err
			}
			if ends = now.Add(l.MaxTime).UnixMicro(); !l.Ends.IsZero() {
				ends = l.Ends.UnixMicro()
			}
		}
		if _, err := f.to.do(ctx, "HSET", f.to.key("c"), "state", "filling", "generation", h.Epoch, "lim", f.logLimit(l.Log), "ends", ends, "lost", result, "renders", flag(l.Renders), "facts", time.Now().UnixMicro(),
			"shard", f.at.number, "wide", flag(h.Width == frontier.Wide), "holds", flag(f.at.of > 1)); err != nil {
			return err
		}
		_, err := f.to.do(ctx, "SET", f.to.key("cfg"), text)
		return err
	})
}

// logLimit returns the limit of the log on this server.
func (f Shard) logLimit(bytes int64) int64 {
	if f.to.address.isCluster() {
		return bytes / int64(f.at.of)
	}
	return bytes
}

// Now returns the time of this server.
func (f Shard) Now(ctx context.Context) (now time.Time, err error) {
	err = f.to.try(ctx, func(ctx context.Context) (err error) {
		now, err = f.to.now(ctx)
		return err
	})
	return now, err
}

// State returns the state of the crawl on this server. See [Crawl.State].
func (f Shard) State(ctx context.Context) (string, error) {
	c, err := f.to.counters(ctx)
	if err == nil && len(c) == 0 {
		return "absent", nil
	}
	return c["state"], err
}

// Has reports whether the targets of a host are on this server.
func (f Shard) Has(host string) bool { return f.at.has(host) }

// Fill enters targets of a state directory on this server, in the order in which they are given, and
// numbers them. flush is called at the end, and returns how many there were.
func (f Shard) Fill(ctx context.Context, h *Header) (add func(*frontier.Kept) error, flush func() (int, error)) {
	var buffer []byte
	wide, n, all := flag(h.Width == frontier.Wide), 0, 0
	flush = func() (int, error) {
		if len(buffer) == 0 {
			return all, nil
		}
		_, err := f.to.run(ctx, "fill", buffer, wide)
		buffer, n = buffer[:0], 0
		return all, err
	}
	return func(k *frontier.Kept) error {
		all++
		kept := *k
		kept.ID = frontier.ID(all)
		buffer = appendKept(buffer, &kept, h.Width == frontier.Wide, time.Now())
		if n++; n < itemsAtOnce {
			return nil
		}
		_, err := flush()
		return err
	}, flush
}
