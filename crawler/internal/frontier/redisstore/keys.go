package redisstore

import (
	"context"
	"slices"

	"github.com/gomodule/redigo/redis"
)

// keys are the keys of a crawl.
type keys struct{ *client }

// removeAll removes all keys and returns their number.
func (f keys) removeAll(ctx context.Context) (removed int64, err error) {
	return f.remove(ctx, func(string) bool { return false })
}

// remove removes the keys that are not to be kept, in small steps, and returns their number.
func (f keys) remove(ctx context.Context, keep func(key string) bool) (removed int64, err error) {
	for cursor := uint64(0); ; {
		err := f.try(ctx, func(ctx context.Context) error {
			keys, next, err := f.scan(ctx, cursor)
			if err != nil {
				return err
			}
			keys = slices.DeleteFunc(keys, keep)
			if len(keys) > 0 {
				n, err := redis.Int64(f.do(ctx, "UNLINK", redis.Args{}.AddFlat(keys)...))
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
func (f keys) scan(ctx context.Context, cursor uint64) ([]string, uint64, error) {
	if err := f.locate(ctx); err != nil {
		return nil, 0, err
	}
	answer, err := redis.Values(f.do(ctx, "SCAN", cursor, "MATCH", f.prefix+"*", "COUNT", 1000))
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
func (f keys) locate(ctx context.Context) error {
	if !f.address.Cluster() {
		return nil
	}
	_, err := f.do(ctx, "GET", f.key("cfg"))
	return err
}

func (f Shard) delete(ctx context.Context) (removed int64, err error) {
	h, err := f.Header(ctx)
	if err == nil && h != nil {
		err = f.try(ctx, func(ctx context.Context) error {
			_, err := tombstone(h).send(ctx, f.do, f.prefix)
			return err
		})
	}
	if err == nil { // from now on, no process adds anything
		err = f.try(ctx, func(ctx context.Context) (err error) {
			removed, err = redis.Int64(f.do(ctx, "DEL", f.key("c")))
			return err
		})
	}
	if err != nil {
		return 0, err
	}
	rest, err := (keys(f)).removeAll(ctx)
	return removed + rest, err
}

// tombstone is a script that a server knows if the crawl was deleted: no key may remain, and
// a crawl that is absent for another reason is filled again.
func tombstone(h *Header) script { return newScript("return '" + h.Epoch + "'") }

// Deleted reports whether the crawl with a header was deleted, as far as the server remembers.
func (f Shard) Deleted(ctx context.Context, h *Header) (deleted bool, err error) {
	err = f.try(ctx, func(ctx context.Context) error {
		_, err := tombstone(h).known(ctx, f.do, f.prefix)
		deleted = err == nil
		if isReply(err, "NOSCRIPT") {
			return nil
		}
		return err
	})
	return deleted, err
}
