package frontier

import (
	"context"
	"errors"
	"time"
)

// Shared is a store that several processes share.
type Shared interface {
	Store
	// Process returns what concerns this process.
	Process() Process
	// Common returns what each process would otherwise remember for itself.
	Common() Common
}

// Process is what a shared store offers for the process that uses it.
type Process interface {
	// Join lets this process take part in the crawl, and Leave ends that: its leases are
	// given back at once. The leases of an earlier process of the same name are given back
	// by Join.
	Join(ctx context.Context) error
	Leave(ctx context.Context) error
	// Servers returns the number of servers that have the crawl. Each has leases and facts of
	// its own.
	Servers() int
	// Relay moves what was found for one server from the others to it, until ctx ends.
	Relay(ctx context.Context) error
	// ExtendAll extends leases of a server in one step and returns the IDs of those that are no
	// longer held. It also shows that the process is alive.
	ExtendAll(ctx context.Context, server int, leases []Lease, d time.Duration) ([]ID, error)
	// Start is called before the request for a target of a host that has an interval, if the
	// request is later than the claim, and before each further request of the visit. It
	// returns how long the request must still wait.
	Start(ctx context.Context, l Lease, further bool) (time.Duration, error)
	// GiveBack queues a target again as if it had not been leased. It does nothing for a
	// lease that is no longer held.
	GiveBack(ctx context.Context, l Lease) error
	// BeginPage counts a lease as one of at most n pages that are read.
	BeginPage(ctx context.Context, l Lease, n int) (PageTurn, error)
	// Offset returns how much the clock of the server of a host is ahead of that of this process.
	Offset(host string) time.Duration
	// Why says why nothing is given out at the moment, although targets may be queued: "" if
	// that has no particular reason.
	Why() string
}

// Common is what the processes of a shared store have in common.
type Common interface {
	// SetController bounds a host as SetPace does, and keeps the state from which the pace
	// was computed, if the version of the state kept so far is the given one. Otherwise it
	// changes nothing and returns that state. The first version is 1.
	SetController(ctx context.Context, host string, version uint64, state []byte, p Pace) (Controller, error)
	// Publish makes a fact known to all processes: each learns it before it visits a target
	// that was entered later.
	Publish(ctx context.Context, name string, value []byte) error
	// Facts returns the facts of a server after a version, and the last version among them.
	Facts(ctx context.Context, server int, after uint64) ([]Fact, uint64, error)
	// Once asks for what one process finds out for all. With Mine, this process has to
	// find it out and to call KeepOnce; the others get Busy for the time being.
	Once(ctx context.Context, name string) (value []byte, whose OnceState, err error)
	// KeepOnce keeps what was found out, for some time. With 0, another process has to find
	// it out.
	KeepOnce(ctx context.Context, name string, value []byte, valid time.Duration) error
	// Redirect enters a redirect, and reports whether it closes a cycle of at most n.
	Redirect(ctx context.Context, from, to ID, n int) (bool, error)
	// CountUp adds to counts, up to the first that exceeds its limit then, and returns the new
	// values of these: 0 for one beyond the number of counts that the store keeps.
	CountUp(ctx context.Context, list []Count) ([]int, error)
}

// Count adds to a count that processes share.
type Count struct {
	Name string
	By   int
	Most int // the limit; negative for none
}

// Exceeds reports whether a value exceeds the limit.
func (c Count) Exceeds(n int) bool { return c.Most >= 0 && n > c.Most }

// Controller is an answer of SetController.
type Controller struct {
	Version uint64
	Set     bool   // the state was kept
	State   []byte // what is kept instead
}

// Fact is what one process has learned and all must know.
type Fact struct {
	Name  string
	Value []byte
}

// PageTurn is an answer of BeginPage.
type PageTurn uint8

const (
	// PageBegins means that the page may be read.
	PageBegins PageTurn = iota
	// PageWaits means that as many pages have begun as may be read, but not all of them are
	// known to be pages.
	PageWaits
	// PageLimit means that the limit is reached.
	PageLimit
)

// OnceState is an answer of Once.
type OnceState uint8

const (
	// Known means that the value is known.
	Known OnceState = iota
	// Mine means that this process has to find out the value.
	Mine
	// Busy means that another process is finding it out.
	Busy
)

// Errors that end the work of a process on a shared store.
var (
	// ErrReplaced means that another process has taken over the name of this one.
	ErrReplaced = errors.New("another process has joined under this name")
	// ErrGone means that the crawl does not exist any more.
	ErrGone = errors.New("the crawl was deleted")
	// ErrAbsent means that the store does not know the crawl: it does not exist yet, or it was
	// lost and is filled again from the state directory.
	ErrAbsent = errors.New("the crawl is not in the frontier")
	// ErrAway means that the server of the store stayed away for longer than is waited for.
	ErrAway = errors.New("the server of the frontier is away")
)
