package main

import (
	"context"
	"encoding/json"
	"errors"
	"strings"

	"github.com/orbweaver/orbweaver/crawler"
	"github.com/orbweaver/orbweaver/crawler/result"
	"github.com/orbweaver/orbweaver/crawler/store"
)

// coordinator runs a shared crawl, whose results are kept in its state directory. A nil
// *coordinator is for a crawl of one process.
type coordinator struct {
	store.Coordination
	options  *frontierOptions
	settings *command // of this crawl
	travel   *travel  // what workers must know
}

// newCoordinator connects to the server and checks it. It returns nil without --frontier.
func newCoordinator(f *frontierOptions, s *settings, asked *command, note func(string, ...any)) (*coordinator, error) {
	if f == nil {
		return nil, nil
	}
	c := &coordinator{options: f, settings: asked}
	var err error
	if c.travel, err = newTravel(s); err != nil {
		return nil, usageError("%w", err)
	}
	crawl := f.open(waitNotes(note, f.addresses.String))
	volatile, err := checkServer(crawl, note)
	if err == nil && volatile {
		note("the server has appendonly no: if it is restarted, the crawl is filled again from the state directory")
	}
	if err != nil {
		crawl.Close()
		return nil, frontierError(err)
	}
	c.Coordination = store.Coordination{Crawl: crawl, Process: processName(), Version: version(), Lease: f.lease,
		Patience: f.patience, Log: f.log, WorkersHere: f.workersHere, MaxTimeGiven: f.maxTime, Notes: notes(note)}
	return c, nil
}

// visits reports whether the coordinator works itself.
func (c *coordinator) visits() bool { return c.options.workersHere > 0 }

func (c *coordinator) servers() int { return c.Crawl.Servers() }

func (c *coordinator) close() {
	if c != nil {
		_ = c.Close()
	}
}

// run runs the crawl and reports it from the state directory. The summary is nil if there is
// no report.
func (c *coordinator) run(ctx context.Context, cfg *crawler.Config, seeds []crawler.Seed, out result.Sink) (*result.Summary, error) {
	if err := c.travel.withTargets(seeds); err != nil {
		return nil, err
	}
	travel := *c.travel
	travel.Command = c.settings
	var err error
	if c.Command, err = travel.marshal(); err != nil {
		return nil, err
	}
	cfg.Keep.Coordination = &c.Coordination
	sum, err := crawler.Run(ctx, cfg, seeds, out)
	if taken, ok := errors.AsType[*store.TakenError](err); ok {
		return nil, c.taken(taken)
	}
	return sum, frontierError(err)
}

// taken says that the crawl on the server is that of another coordinator.
func (c *coordinator) taken(e *store.TakenError) error {
	address := c.options.addresses
	switch {
	case e.During:
		return usageError("%w", e)
	case e.Process != "":
		return usageError("the crawl %s is coordinated by another process, %s%s", address, e.Process, c.hint(e.Command))
	}
	return usageError("the unfinished crawl %s belongs to another state directory; name another crawl, or delete it: orbweaver frontier delete '%s'%s",
		address, address.WithoutPasswords(), c.hint(e.Command))
}

// hint lists how the settings of another crawl differ from those of this one.
func (c *coordinator) hint(other []byte) string {
	t := &travel{}
	if json.Unmarshal(other, t) != nil {
		return ""
	}
	if lines := differingSettings(t.Command, c.settings); lines != "" {
		return "\nit was started with other settings:\n  " + lines
	}
	return ""
}

// finish marks the crawl as done when its reports are written, or deletes it.
func (c *coordinator) finish() error {
	if c == nil {
		return nil
	}
	return c.Finish(noContext, c.options.delete)
}

// differingSettings lists how the settings of two crawls differ.
func differingSettings(then, now *command) string {
	if then == nil || now == nil {
		return ""
	}
	return strings.Join(then.differences(now), "\n  ")
}
