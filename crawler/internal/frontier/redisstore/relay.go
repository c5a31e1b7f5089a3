package redisstore

import (
	"context"
	"errors"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/orbweaver/orbweaver/crawler/internal/frontier"
)

// relayEvery is how often a relay looks for what other processes have left, and entriesAtOnce how many
// entries of an outbox it takes in one step.
const (
	relayEvery    = time.Second
	entriesAtOnce = 64
)

// Relay implements frontier.Process. An entry stays in the outbox until it has been entered, so
// it is entered at least once: that it is entered again changes nothing.
func (s process) Relay(ctx context.Context) error {
	all, ctx := errgroup.WithContext(ctx)
	for _, from := range s.parts.all {
		for _, to := range s.parts.all {
			if from != to {
				all.Go(func() error { return relay(ctx, from, to) })
			}
		}
	}
	return all.Wait()
}

// relay moves what one server has for another until the context ends.
func relay(ctx context.Context, from, to *part) error {
	r := relayed{from: from, to: to}
	for {
		n, err := r.step(ctx)
		switch {
		case ctx.Err() != nil:
			return nil
		case err != nil && !errors.Is(err, frontier.ErrAbsent):
			return err
		case err == nil && n > 0:
			continue
		}
		select {
		case <-ctx.Done():
			return nil
		case <-from.posted[to.at.number]:
		case <-time.After(relayEvery):
		}
	}
}

// relayed is how far a relay has come.
type relayed struct {
	from, to   *part
	stays      int64  // number of the first entry that it has not entered
	generation string // of the numbers
}

// step enters some entries, and returns their number. They are removed by the next step.
func (r *relayed) step(ctx context.Context) (n int, err error) {
	from, to := r.from, r.to
	answer, err := from.to.run(ctx, "outbox", to.at.number, r.stays, r.generation, from.worker+"/"+from.session, entriesAtOnce)
	if err != nil {
		return 0, err
	}
	list, _ := answer.([]any)
	if len(list) < 2 {
		return 0, errAnswer
	}
	first := asInt(list[1])
	r.generation, r.stays = asText(list[0]), first
	var items []byte
	for _, one := range list[2:] {
		entry := asText(one)
		if len(entry) < 5 {
			return 0, errAnswer
		}
		entry = entry[1:] // without its wave
		if entry[:4] == noItems {
			if err := r.endPage(ctx, entry[4:]); err != nil {
				return 0, err
			}
			continue
		}
		if len(items) > 0 && len(items)+len(entry) > bytesAtOnce {
			if err := to.enter(ctx, items); err != nil {
				return 0, err
			}
			items = nil
		}
		items = append(items, entry...)
	}
	if len(items) > 0 {
		if err := to.enter(ctx, items); err != nil {
			return 0, err
		}
	}
	r.stays = first + int64(len(list)-2)
	return len(list) - 2, nil
}

// bytesAtOnce is how much is entered in one step, if it is more than one entry.
const bytesAtOnce = 128 << 10

// noItems begins an entry that is not a list of items.
const noItems = "\xff\xff\xff\xff"

// endPage tells the server that counts pages that one has ended: see endPage in common.lua.
func (r *relayed) endPage(ctx context.Context, entry string) error {
	f := fieldsOf([]byte(entry))
	kind, server, id, fence, pages := f.Byte(), f.uint32(), f.uint32(), f.float(), f.uint32()
	if f.Failed || kind != 1 {
		return errAnswer
	}
	_, err := r.to.to.run(ctx, "endpage", server, id, int64(fence), pages)
	return err
}
