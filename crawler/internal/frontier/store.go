package frontier

import (
	"context"
	"errors"
	"time"
)

// Encoding is the version of the bytes that stores keep: jobs, references, outcomes and
// notes. A change of their meaning needs a new version, so that no session misreads what
// another version wrote. A state in crawler/testdata fails its test when a new version
// was forgotten.
//
// Version 1 has no references that repeat others, and version 2 nothing for the next crawl in
// Done.Page; both can still be read.
const (
	Encoding      = 3
	FirstEncoding = 1 // the oldest version that can be read
)

// ID is the number of a target. Targets are numbered from 1 in the order in which they
// are entered. A store on several servers numbers them on each server. What a single process or server has
// fits into 32 bits, which is how it keeps them.
type ID uint64

// Fingerprint identifies a target: it is a keyed hash of the target's Key, of 64 or 128
// bits as the store's Width says.
type Fingerprint struct {
	Low  uint64
	High uint64 // 0 in a narrow fingerprint
}

// Width is the number of bits in a fingerprint.
type Width int

const (
	// Narrow is the usual width. The probability that any two of n targets share a
	// fingerprint is n²/2⁶⁵: 2.7e-6 for 10 million targets, 2.7e-4 for 100 million,
	// 0.027 for 1,000 million.
	Narrow Width = 64
	// Wide takes 10 to 13 bytes more of memory for each target. The probability of a
	// shared fingerprint is n²/2¹²⁹: 1.5e-21 for 1,000 million targets.
	Wide Width = 128
)

// Wave orders targets: those of a lower wave are handed out first.
type Wave uint8

const (
	// Pages is the first wave of pages that are to be read. With a depth limit, the wave
	// of a page is its depth, so that each page is first reached by a shortest path.
	Pages Wave = 0
	// LastPages is the last wave of pages.
	LastPages Wave = 199
	// Leaves are targets that are only checked. They are handed out when no page is
	// leased and none may be visited yet; two seconds after the first claim also while
	// pages are leased.
	Leaves Wave = 200
	// SecondPass repeats targets that failed, when all others are settled.
	SecondPass Wave = 201
	// Dormant is in place of the wave of a target that an earlier crawl has left in the store, until
	// this crawl enters it. No Item has it.
	Dormant Wave = 255
)

// Need is a set of what a crawl needs of a target. The needs of several references add
// up.
type Need uint8

const (
	// NeedContent needs the body, for its anchors.
	NeedContent Need = 1 << iota
	// NeedLinks needs the links in the body followed. It comes with NeedContent.
	NeedLinks
	// NeedSeed marks a target that the user named.
	NeedSeed
	// NeedListed marks a target that is listed under the page "command line".
	NeedListed
	// NeedLinked marks a target with a reference other than the action of a form.
	NeedLinked
	// NeedRender needs the page rendered by a browser. A settled page that was not is
	// queued again, as for NeedContent and NeedLinks.
	NeedRender
	// NeedLeft marks a target that is not requested, whatever else is needed of it: a link
	// says that it signs out or deletes something.
	NeedLeft
	// NeedPage marks a target that is read for links if it turns out to be a page, whatever its
	// name looks like.
	NeedPage
)

// Item is a target as it is entered. The store copies what it keeps.
type Item struct {
	// ID, if it is not zero, is the number that this store returned for the target
	// before. The store then ignores Host and Job, and one that other processes share needs the
	// Fingerprint nevertheless.
	ID          ID
	Fingerprint Fingerprint
	Host        []byte // the politeness key
	Wave        Wave
	Need        Need
	Job         []byte // describes the target; opaque to the store
	Outcome     []byte // if not nil, the target is entered as settled
}

// Lease is the right to visit one target. It ends when the target is completed or
// released, or when the deadline of the lease passes.
type Lease struct {
	ID    ID
	Fence uint64 // grows with every lease; a stale one changes nothing
	Host  string
	Wave  Wave
	Need  Need
	Tries int // how often the target was leased before, at most 7
	Job   []byte
	Note  []byte // of the last Deferral

	// A store that several processes share sets these, too.
	Controller uint64        // version of the state of the host's pace
	Interval   time.Duration // between the starts of two visits to the host
	Facts      uint64        // version of the facts
	Claimed    time.Time     // when the claim was sent
	Again      bool          // a visit has settled the target before

	Fingerprint Fingerprint // of the target
	Server      int         // number of the server that has it
}

// Done is the result of a visit that settles a target. Its outcome and findings are
// entered in one step, so that a crash cannot lose one without the other.
type Done struct {
	Outcome []byte
	Found   []Item
	Links   []byte // the references on the page; they name Found by index
	// Page is what later sessions cannot learn without reading the page again. A store
	// that ends with its process need not keep it.
	Page  []byte
	Tally []Tally
	// Earlier is what a crawl before has kept of the page, if it has not changed since; nil for
	// nothing. A store that began as a copy of that crawl writes only what differs from it.
	Earlier *Earlier
	// Cheap says that it costs little to visit the target again. If nothing differs from Earlier, a
	// crash may undo the step.
	Cheap bool
}

// Earlier is what the store of an earlier crawl kept of a page, all as it is stored.
type Earlier struct {
	Crawl   []byte // identifies what the store was at the end of that crawl
	ID      ID     // of the page in that store
	Record  []byte // of the outcome, in the form of the store
	Outcome []byte // a part of Record
	Found   []byte // the IDs of Done.Found
	Page    []byte // Done.Page
	Links   []byte // Done.Links
}

// Deferral says how a leased target is queued again.
type Deferral struct {
	Wave      Wave
	NotBefore time.Time // the zero time: now
	// Note comes with the next lease. It is deleted when the target is completed.
	Note  []byte
	Tally []Tally
	// Unvisited means that the lease was no visit: it is not counted in Lease.Tries.
	Unvisited bool
}

// Tally adds to one of the sums that a store keeps. The tallies of a visit are added in
// the step that ends it, so that a crash neither loses them nor counts them twice.
type Tally struct {
	Name string
	By   int64
}

// Record is all that a store knows of a target. Its slices belong to the store and are
// valid until the callback returns.
type Record struct {
	ID      ID
	Settled bool
	Entered bool // as settled, without a visit; a store that processes share does not tell
	Wave    Wave
	Need    Need
	Job     []byte
	Outcome []byte
	Found   []ID
	Links   []byte
	Page    []byte
	Note    []byte // of a deferred target
}

// Parts is a set of the parts of a Record that a store has to read.
type Parts uint8

const (
	// PartJob is Job.
	PartJob Parts = 1 << iota
	// PartOutcome is Outcome and Note.
	PartOutcome
	// PartFound is Found.
	PartFound
	// PartLinks is Links.
	PartLinks
	// PartPage is Page.
	PartPage
	// AllParts is every part.
	AllParts = PartJob | PartOutcome | PartFound | PartLinks | PartPage
)

// Counts are the numbers of targets.
type Counts struct {
	Known   int // entered
	Settled int
	Queued  int
	Leased  int
	// Pages is the number of queued and leased targets in the waves of pages, and of
	// those in the second pass that need links.
	Pages int
}

// Pace bounds the visits to one host.
type Pace struct {
	Concurrency int           // leases at the same time; 0 is no limit
	Interval    time.Duration // between the starts of two visits
	NotBefore   time.Time     // no visit before this time
	Within      [Shares]Share // limits that the host has in common with others
}

// Share bounds the visits to all hosts that have something in common. The zero value is no limit.
type Share struct {
	Key  string // names what they have in common; "" while that is not known
	Most int    // leases at the same time, of all these hosts together
}

// The shares of a Pace.
const (
	ByDomain  = iota // hosts of one registrable domain
	ByAddress        // hosts at one address
	Shares
)

// ErrStale is the error of Complete, Release and Extend for a lease that is no longer
// held.
var ErrStale = errors.New("the lease is no longer held")

// Store keeps targets, queues and findings as bytes. It may be in this process, in a
// file, or on another machine where several processes share it. Therefore:
//
//   - Each call is one atomic step, even if calls are concurrent. An error means that
//     the step was not made, or that it is unknown whether it was made. The call may
//     then be repeated: Add does not change what is already entered, and a second
//     Complete is stale.
//   - Calls are batches: Add and Complete take all targets of a page, and Claim leases
//     as many targets as the caller can use.
//   - A lease ends at its deadline by the store's own clock, and its target is queued
//     again. A process that fails does not block others, and one that is late changes
//     nothing.
//   - Complete settles a page and enters its findings in one step, so that a crash
//     cannot separate the two.
//   - The crawl ends when the store says so in answer to Claim, by its own counts. No
//     process can know the end by itself.
//
// Calls may be made from several goroutines at the same time. Package storetest is the
// contract in full.
type Store interface {
	// Width returns the width of the fingerprints, which never changes.
	Width() Width
	// Add enters items and returns their IDs. A known target keeps its job, its needs
	// are added up, and the lower wave counts. A target that was settled with fewer
	// needs than it has now is queued again. So is one that was entered as settled and
	// is now entered without an outcome. The outcome of an item for a known target is
	// ignored, with one exception: it replaces the outcome of a target that was entered
	// as settled without NeedLinked, if the item has NeedLinked.
	Add(ctx context.Context, items []Item) ([]ID, error)
	// Claim leases up to max targets that may be visited now. If there is none, it
	// returns the time to ask again (the zero time: when something changes), or io.EOF
	// when no target is queued and none is leased. A lease of 0 has no deadline.
	Claim(ctx context.Context, max int, lease time.Duration) ([]Lease, time.Time, error)
	// Complete settles a leased target, enters what was found there, and returns the
	// IDs of d.Found. The store copies what it keeps. A store on several servers returns 0 for a
	// target that another server than that of the lease has, where it is entered later.
	Complete(ctx context.Context, l Lease, d Done) ([]ID, error)
	// Release queues a leased target again. In a store that outlives its process, a
	// crash may undo a Release, as it ends leases, but never a Complete (see Done.Cheap).
	Release(ctx context.Context, l Lease, d Deferral) error
	// Extend moves the deadline of a lease to the given duration from now.
	Extend(ctx context.Context, l Lease, lease time.Duration) error
	// SetPace bounds a host from now on.
	SetPace(ctx context.Context, host string, p Pace) error
	// Paces calls fn with the pace of every host. fn must not call the store.
	Paces(ctx context.Context, fn func(host string, p Pace) error) error
	// Find returns the IDs of fingerprints, 0 for each that is not known.
	Find(ctx context.Context, fingerprints []Fingerprint) ([]ID, error)
	// Get returns one target. The slices of the record are copies. Parts that were not
	// asked for may be missing, and so may Links.
	Get(ctx context.Context, id ID, parts Parts) (Record, error)
	// Scan calls fn with all targets in order of their IDs. Parts that were not asked
	// for may be missing; ID, Settled, Wave and Need are always set. fn must not call
	// the store.
	Scan(ctx context.Context, parts Parts, fn func(*Record) error) error
	// Count returns the numbers of targets.
	Count(ctx context.Context) (Counts, error)
	// Tally adds to the sums.
	Tally(ctx context.Context, t []Tally) error
	// Tallies returns the sums by name.
	Tallies(ctx context.Context) (map[string]int64, error)
	// Close releases the store's resources.
	Close() error
}

// Keyed is a store that outlives its process or is shared by several, all of which
// must compute the same fingerprint for a target.
type Keyed interface {
	// FingerprintKey returns the secret key of the hash. It keeps others from making
	// two URLs with the same fingerprint.
	FingerprintKey() [16]byte
}

// Sealer is a store that can free memory when the crawl is over.
type Sealer interface {
	// Seal is called when no target is leased and none will be. Only Get, Scan, Paces,
	// Tally, Tallies and Close may follow.
	Seal()
}
