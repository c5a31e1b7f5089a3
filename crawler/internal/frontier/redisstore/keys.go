package redisstore

import (
	"context"
	"slices"

	"github.com/gomodule/redigo/redis"
)

// removeAll removes all keys and returns their number.
func (c *client) removeAll(ctx context.Context) (removed int64, err error) {
	return c.remove(ctx, func(string) bool { return false })
}

// remove removes the keys that are not to be kept, in small steps, and returns their number.
func (c *client) remove(ctx context.Context, keep func(key string) bool) (removed int64, err error) {
	for cursor := uint64(0); ; {
		err := c.try(ctx, func(ctx context.Context) error {
			keys, next, err := c.scan(ctx, cursor)
			if err != nil {
				return err
			}
			keys = slices.DeleteFunc(keys, keep)
			if len(keys) > 0 {
				n, err := redis.Int64(c.do(ctx, "UNLINK", redis.Args{}.AddFlat(keys)...))
				if err != nil {
					return err
				}
				removed += n
			}
			cursor = next
			return nil
		})
		if err != nil || cursor == 0 {
			return removed, err
		}
	}
}

// scan returns some keys, and where to go on; 0 at the end.
func (c *client) scan(ctx context.Context, cursor uint64) ([]string, uint64, error) {
	if err := c.locate(ctx); err != nil {
		return nil, 0, err
	}
	answer, err := redis.Values(c.do(ctx, "SCAN", cursor, "MATCH", c.prefix+"*", "COUNT", 1000))
	if err != nil {
		return nil, 0, err
	}
	if len(answer) != 2 {
		return nil, 0, errAnswer
	}
	names, err := redis.Strings(answer[1], nil)
	return names, uint64(asInt(answer[0])), err
}

// locate makes sure that commands without a key go to the node of a cluster that has the crawl.
func (c *client) locate(ctx context.Context) error {
	if !c.address.isCluster() {
		return nil
	}
	_, err := c.do(ctx, "GET", c.key("cfg"))
	return err
}

func (f Shard) delete(ctx context.Context) (removed int64, err error) {
	h, err := f.Header(ctx)
	if err == nil && h != nil {
		err = f.to.try(ctx, func(ctx context.Context) error {
			_, err := tombstone(h).send(ctx, f.to.do, f.to.prefix)
			return err
		})
	}
	if err == nil { // from now on, no process adds anything
		err = f.to.try(ctx, func(ctx context.Context) (err error) {
			removed, err = redis.Int64(f.to.do(ctx, "DEL", f.to.key("c")))
			return err
		})
	}
	if err != nil {
		return 0, err
	}
	rest, err := f.to.removeAll(ctx)
	return removed + rest, err
}

// tombstone is a script that a server knows if the crawl was deleted: no key may remain, and
// a crawl that is absent for another reason is filled again.
func tombstone(h *Header) script { return newScript("return '" + h.Epoch + "'") }

// Deleted reports whether the crawl with a header was deleted, as far as the server remembers.
func (f Shard) Deleted(ctx context.Context, h *Header) (deleted bool, err error) {
	err = f.to.try(ctx, func(ctx context.Context) error {
		_, err := tombstone(h).known(ctx, f.to.do, f.to.prefix)
		deleted = err == nil
		if isReply(err, "NOSCRIPT") {
			return nil
		}
		return err
	})
	return deleted, err
}
