package redisstore

import (
	"context"
	"time"

	"github.com/cespare/xxhash/v2"

	"github.com/orbweaver/orbweaver/crawler/internal/frontier"
)

// common is what the processes of the crawl have in common.
type common struct{ *parts }

// SetController implements frontier.Common.
func (s common) SetController(ctx context.Context, host string, version uint64, state []byte, p frontier.Pace) (c frontier.Controller, err error) {
	server := s.at(host)
	answer, err := server.to.run(ctx, "pace", append(paceArgs(server.at, host, p), version, state)...)
	if err != nil {
		return c, err
	}
	list, _ := answer.([]any)
	if len(list) < 2 {
		return c, errAnswer
	}
	if len(list) > 2 {
		c.State = []byte(asText(list[2]))
	}
	c.Version, c.Set = uint64(asInt(list[1])), asText(list[0]) == "OK"
	return c, nil
}

// Publish implements frontier.Common. Each server tells those that claim targets there.
func (s common) Publish(ctx context.Context, name string, value []byte) error {
	return s.each(func(c *client) error {
		_, err := c.run(ctx, "publish", name, value)
		return err
	})
}

// Facts implements frontier.Common.
func (s common) Facts(ctx context.Context, server int, after uint64) (facts []frontier.Fact, version uint64, err error) {
	answer, err := s.all[server].to.run(ctx, "facts", after)
	if err != nil {
		return nil, 0, err
	}
	list, _ := answer.([]any)
	if len(list)%2 != 1 {
		return nil, 0, errAnswer
	}
	for i := 1; i < len(list); i += 2 {
		facts = append(facts, frontier.Fact{Name: asText(list[i]), Value: []byte(asText(list[i+1]))})
	}
	return facts, uint64(asInt(list[0])), nil
}

// lockFor is how long others wait for a process that finds something out for all.
const lockFor = 2 * time.Minute

// named is the server that has what one process finds out for all.
func (s common) named(name string) *part {
	return s.all[xxhash.Sum64String(name)%uint64(len(s.all))]
}

// Once implements frontier.Common.
func (s common) Once(ctx context.Context, name string) ([]byte, frontier.OnceState, error) {
	p := s.named(name)
	answer, err := p.to.run(ctx, "once", name, p.worker+"/"+p.session, micros(lockFor))
	if err != nil {
		return nil, 0, err
	}
	list, _ := answer.([]any)
	if len(list) == 0 {
		return nil, 0, errAnswer
	}
	switch asText(list[0]) {
	case "MINE":
		return nil, frontier.Mine, nil
	case "BUSY":
		return nil, frontier.Busy, nil
	}
	if len(list) < 2 {
		return nil, 0, errAnswer
	}
	return []byte(asText(list[1])), frontier.Known, nil
}

// KeepOnce implements frontier.Common.
func (s common) KeepOnce(ctx context.Context, name string, value []byte, valid time.Duration) error {
	_, err := s.named(name).to.run(ctx, "setonce", name, value, micros(valid))
	return err
}

// Redirect implements frontier.Common.
func (s common) Redirect(ctx context.Context, from, to frontier.ID, n int) (bool, error) {
	answer, err := s.home().to.run(ctx, "redirect", uint64(from), uint64(to), n)
	return asInt(answer) == 1, err
}

// counted is a call of CountUp.
type counted struct {
	list   []frontier.Count
	values []int
}

// countsAtOnce is how many calls of CountUp are made in one step.
const countsAtOnce = 64

// CountUp implements frontier.Common.
func (s common) CountUp(ctx context.Context, list []frontier.Count) ([]int, error) {
	c := &counted{list: list}
	fits := func(n int, _ *counted) bool { return n < countsAtOnce }
	home := s.home()
	err := home.counting.do(c, fits, func(calls []*counted) error {
		answer, err := home.to.run(context.WithoutCancel(ctx), "countup", countArgs(calls)...)
		if err != nil {
			return err
		}
		return takeCounts(calls, answer)
	})
	return c.values, err
}

// countArgs returns calls of CountUp as the script takes them.
func countArgs(calls []*counted) (args []any) {
	for _, call := range calls {
		args = append(args, len(call.list))
		for _, one := range call.list {
			args = append(args, one.Name, one.By, one.Most)
		}
	}
	return args
}

// takeCounts gives calls their part of the answer of the script.
func takeCounts(calls []*counted, answer any) error {
	lists, _ := answer.([]any)
	if len(lists) != len(calls) {
		return errAnswer
	}
	for i, call := range calls {
		values, _ := lists[i].([]any)
		if len(values) == 0 && len(call.list) > 0 || len(values) > len(call.list) {
			return errAnswer
		}
		call.values = make([]int, len(values))
		for j := range values {
			call.values[j] = int(asInt(values[j]))
		}
	}
	return nil
}
