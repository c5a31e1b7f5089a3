package redisstore

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/gomodule/redigo/redis"

	"github.com/orbweaver/orbweaver/crawler/internal/frontier"
)

// Lag is how old an entry of the log must be before it is applied. A server whose power was
// cut loses the last second, and assigns the IDs of that second again.
const Lag = 2 * time.Second

// ErrRewound means that the server has lost steps that were applied already.
var ErrRewound = errors.New("the server has lost a part of the crawl")

// Position is a place in the log.
type Position struct {
	Epoch string
	Entry string // ID in the stream
	N     int64  // number of the entry
}

// String returns the stored form.
func (p Position) String() string { return fmt.Sprintf("%s %s %d", p.Epoch, p.Entry, p.N) }

// ParsePosition reads the stored form.
func ParsePosition(text string) (p Position, ok bool) {
	n, err := fmt.Sscanf(text, "%s %s %d", &p.Epoch, &p.Entry, &p.N)
	return p, n == 3 && err == nil
}

// First returns the position before the first entry.
func (h *Header) First() Position { return Position{h.Epoch, "0-0", 0} }

// logAtOnce is how many entries are read at once.
const logAtOnce = 50

// Log is the log of a crawl on one server.
type Log struct {
	crawl  Shard
	header *Header
}

// Log returns the log of the crawl on this server.
func (f Shard) Log(h *Header) Log { return Log{f, h} }

// Read reads entries after a position that are older than lag, and returns the position of
// the last one. The error is ErrRewound if entries are missing.
func (g Log) Read(ctx context.Context, after Position, lag time.Duration) (events []frontier.Event, last Position, err error) {
	f, h := g.crawl, g.header
	var entries []any
	var count int64
	err = f.to.try(ctx, func(ctx context.Context) error {
		upto := "+"
		if lag > 0 {
			now, err := f.to.now(ctx)
			if err != nil {
				return err
			}
			upto = strconv.FormatInt(now.Add(-lag).UnixMilli(), 10)
		}
		var err error
		if entries, err = redis.Values(f.to.do(ctx, "XRANGE", f.to.key("log"), "("+after.Entry, upto, "COUNT", logAtOnce)); err != nil {
			return err
		}
		count, err = f.to.counter(ctx, "log")
		return err
	})
	if err != nil {
		return nil, after, err
	}
	if count < after.N {
		return nil, after, ErrRewound
	}
	last = after
	for _, m := range entries {
		entry, _ := m.([]any) // its id, and its fields
		if len(entry) != 2 {
			return nil, after, errAnswer
		}
		fields, err := redis.StringMap(entry[1], nil)
		if err != nil {
			return nil, after, errAnswer
		}
		text := func(name string) []byte { return []byte(fields[name]) }
		last.Entry = asText(entry[0])
		if last.N++; asInt(fields["n"]) != last.N {
			return nil, after, ErrRewound
		}
		some, err := readEvents(fields["k"], text("a"), text("b"), text("c"), h.Width == frontier.Wide)
		if err != nil {
			return nil, after, err
		}
		events = append(events, some...)
	}
	return events, last, nil
}

// Trim removes the entries up to a position, which have been applied.
func (g Log) Trim(ctx context.Context, upto Position) error {
	_, err := g.crawl.to.run(ctx, "trim", upto.Entry)
	return err
}
