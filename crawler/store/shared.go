package store

import (
	"context"
	"fmt"
	"io"
	"time"

	"github.com/orbweaver/orbweaver/crawler/internal/frontier"
	"github.com/orbweaver/orbweaver/crawler/internal/frontier/redisstore"
)

type (
	// Shared is a crawl on one or several Redis or Valkey servers, on which several processes work.
	Shared = redisstore.Crawl
	// Address is the address of a shared crawl on one of its servers.
	Address = redisstore.Address
	// Addresses are those of all servers of a shared crawl, in their order.
	Addresses = redisstore.Addresses
	// RedisOptions say how the server of a shared crawl is reached.
	RedisOptions = redisstore.Options
	// RefusedError is an error that waiting does not change: the server or its settings are
	// not fit, or it does not let this process in.
	RefusedError = redisstore.RefusedError
)

// ErrReplaced is wrapped by the error of a worker in whose place another one works.
var ErrReplaced = frontier.ErrReplaced

// CoordinatorName is the name of a coordinator among the workers of its crawl.
const CoordinatorName = redisstore.CoordinatorName

// ParseAddresses reads the addresses of the servers of one crawl, such as redis://HOST:6379/0?crawl=NAME,
// which spaces separate. The scheme may be redis, rediss (over TLS), unix, redis-cluster or rediss-cluster.
// The errors do not contain a password.
func ParseAddresses(text string) (Addresses, error) { return redisstore.ParseAddresses(text) }

// Redis returns the crawl on the servers at some addresses, whose order counts: each has the targets of
// some registrable domains. It connects to nothing.
func Redis(list Addresses, o RedisOptions) *Shared { return redisstore.Open(list, o) }

// Coordination says how a process coordinates a crawl of several: with it, crawler.Run enters the
// seeds, applies the log of each server to its own store, which must be that of a [File] made for so many
// servers ([FileOptions].Servers), works itself, and reports from there. Each of the other processes calls [Join].
type Coordination struct {
	Crawl        *Shared       // on the server
	Process      string        // name of this process
	Version      string        // of the program: workers must have the same
	Command      []byte        // what workers must know, in the caller's own form
	Lease        time.Duration // after which the targets of a silent worker are given to others; 0 means 60 s
	Patience     time.Duration // for a server that loses parts of the crawl while it is filled; 0 means 5 minutes
	Log          int64         // most bytes of the server's log; 0 means 256 MiB
	WorkersHere  int           // requests that this process may have in flight; 0 for none
	MaxTimeGiven bool          // the time limit is of this session: it replaces that of the server
	Notes        io.Writer     // gets lines for the user
}

// Finish marks the crawl as done when its reports are written, and deletes it from the server if
// remove is set.
func (c *Coordination) Finish(ctx context.Context, remove bool) error {
	lead := c.Crawl.Lead()
	if _, _, err := lead.Change(ctx, "done"); err != nil {
		return err
	}
	_ = lead.Resign(ctx, c.Process)
	if !remove {
		return lead.Clear(ctx)
	}
	for until := time.Now().Add(3 * time.Second); time.Now().Before(until); time.Sleep(50 * time.Millisecond) { // the workers learn that it is done
		if n, err := lead.Workers(ctx); err != nil || n == 0 {
			break
		}
	}
	_, _, err := lead.Delete(ctx, true)
	return err
}

// Close ends the role of the coordinator, and the connection to the server.
func (c *Coordination) Close() error {
	ctx, done := context.WithTimeout(context.Background(), time.Second)
	defer done()
	_ = c.Crawl.Lead().Resign(ctx, c.Process) // it ends by itself after a lease
	return c.Crawl.Close()
}

// TakenError is the error of crawler.Run if the crawl on the server is that of another coordinator.
type TakenError struct {
	Process string // that coordinates it; "" for an unfinished crawl of another state
	During  bool   // it has taken over while this process coordinated the crawl
	Command []byte // Coordination.Command of that crawl; nil if it is unknown
}

// Error says whose the crawl is.
func (e *TakenError) Error() string {
	switch {
	case e.During:
		return fmt.Sprintf("another process, %s, coordinates the crawl now", e.Process)
	case e.Process != "":
		return "it is coordinated by another process, " + e.Process
	}
	return "it is unfinished, and belongs to another state"
}

// Joined is the part that a process takes in a shared crawl. Store and Lease are those of a
// crawler.Keep: with them, crawler.Run visits targets until the crawl is over.
type Joined struct {
	Store Store
	Lease time.Duration
}

// Waits tells why nothing is given out to the process at the moment, "" if that has no
// particular reason.
func (j *Joined) Waits() string { return j.Store.(frontier.Shared).Process().Why() }

// Join lets this process take part in the crawl on a server, which must have begun, under a name and
// with a version of the program. browser says that it can render pages.
func Join(ctx context.Context, crawl *Shared, name, version string, browser bool) (*Joined, error) {
	lead := crawl.Lead()
	h, err := lead.Header(ctx)
	if err == nil && h == nil {
		err = frontier.ErrAbsent
	}
	if err != nil {
		return nil, err
	}
	own := lead.Store(h, name, version)
	own.Browser = browser
	return &Joined{Store: own, Lease: h.Lease}, own.Process().Join(ctx)
}
