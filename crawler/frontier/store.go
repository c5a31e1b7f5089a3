package frontier

import (
	"context"
	"errors"
	"time"
)

// Encoding is the version of the bytes that stores are given: of jobs, references,
// outcomes and notes. Whoever changes what they mean raises it, so that no store
// takes those of another version for its own; a state in crawler/testdata tells
// when that was forgotten.
//
// The first knew no references that repeat others; it is still read.
const (
	Encoding      = 2
	FirstEncoding = 1 // that is read
)

// ID numbers targets in the order they were entered, from 1.
type ID uint32

// Fingerprint stands for a target's Key: a keyed hash of 64 bits, or of 128, as is
// the store's Width.
type Fingerprint struct {
	Low  uint64
	High uint64 // 0 where fingerprints are narrow
}

// Width is how many bits fingerprints have.
type Width int

const (
	// Narrow fingerprints are the usual ones: the odds that any two of n targets share
	// one are n²/2⁶⁵, 2.7e-6 at ten million, 2.7e-4 at a hundred million, 0.027 at a
	// thousand million.
	Narrow Width = 64
	// Wide ones take 10 to 13 bytes more of memory each, and their odds are n²/2¹²⁹:
	// 1.5e-21 at a thousand million.
	Wide Width = 128
)

// Wave orders work: a wave's targets are handed out before those of the next.
type Wave uint8

const (
	// Pages is the wave of pages to be read. With a depth limit a page's wave is
	// its depth, so that no page is reached by a detour first.
	Pages Wave = 0
	// LastPages is the greatest wave of pages.
	LastPages Wave = 199
	// Leaves are targets that are only checked. They are handed out when no page may
	// be visited yet and none is out; or, once the crawl has gone on for a moment,
	// whether one is out or not.
	Leaves Wave = 200
	// SecondPass repeats what still failed, when everything else is settled.
	SecondPass Wave = 201
)

// Need is a set of what is wanted of a target. Needs of several references add up.
type Need uint8

const (
	// NeedContent wants the body, for its anchors.
	NeedContent Need = 1 << iota
	// NeedLinks wants the links in the body followed; it comes with NeedContent.
	NeedLinks
	// NeedSeed marks a target the user named.
	NeedSeed
	// NeedListed marks a target that is listed with the page "command line".
	NeedListed
	// NeedLinked marks a target that something other than a form's action refers to.
	NeedLinked
)

// Item is a target as it is entered. The store copies what it keeps.
type Item struct {
	// ID, when it is not zero, is what this store has returned for the target before:
	// nothing is looked up, and there need be no Host and no Job.
	ID          ID
	Fingerprint Fingerprint
	Host        []byte // politeness is kept per Host
	Wave        Wave
	Need        Need
	Job         []byte // what the target is; opaque to the store
	Outcome     []byte // when not nil, the item is entered as settled
}

// Lease is the right to visit one target until it is completed, released, or its deadline has passed.
type Lease struct {
	ID    ID
	Fence uint64 // grows with every lease; a stale one changes nothing
	Host  string
	Wave  Wave
	Need  Need
	Tries int // how often it was leased before, as far as 15
	Job   []byte
	Note  []byte // what was put down when it was last released
}

// Done is what became of a leased target: the outcome, and everything found
// there, entered in the same step so that a crash can lose neither alone.
type Done struct {
	Outcome []byte
	Found   []Item
	Links   []byte // the references on the page; they name Found by index
	// Page is what only the session that reads a page learns of it, for those that
	// follow. A store that ends with its process need not keep it.
	Page  []byte
	Tally []Tally
}

// Deferral is how a leased target is put back.
type Deferral struct {
	Wave      Wave
	NotBefore time.Time // the zero time: at once
	// Note comes back with the next lease, and is forgotten when the target is
	// completed: what is remembered of a visit that settled nothing.
	Note  []byte
	Tally []Tally
}

// Tally adds to one of the sums that a store keeps beside its targets. What is
// counted of a visit is added in the same step that ends it, so that a crash can
// neither lose it nor count it twice.
type Tally struct {
	Name string
	By   int64
}

// Record is all a store knows of a target. Its slices belong to the store and are
// good until the callback returns.
type Record struct {
	ID      ID
	Settled bool
	Wave    Wave
	Need    Need
	Job     []byte
	Outcome []byte
	Found   []ID
	Links   []byte
	Page    []byte
	Note    []byte // of a target that was put back
}

// Parts is a set of the parts of a Record that must be read from where its bytes
// are kept.
type Parts uint8

const (
	// PartJob is Job.
	PartJob Parts = 1 << iota
	// PartOutcome is Outcome, and Note.
	PartOutcome
	// PartFound is Found.
	PartFound
	// PartLinks is Links.
	PartLinks
	// PartPage is Page.
	PartPage
	// AllParts is everything.
	AllParts = PartJob | PartOutcome | PartFound | PartLinks | PartPage
)

// Counts say how much work there is.
type Counts struct {
	Known   int // targets entered
	Settled int
	Queued  int
	Leased  int
	// Pages counts outstanding targets of the page waves, and of the second pass
	// those that need links.
	Pages int
}

// Pace bounds what one host gets.
type Pace struct {
	Concurrency int           // leases at once; 0 is no limit
	Interval    time.Duration // between the starts of two visits
	NotBefore   time.Time     // no visit before this time
}

// ErrStale answers a Complete, Release or Extend whose lease is no longer held.
var ErrStale = errors.New("the lease is no longer held")

// Store keeps targets, queues and what was found, as bytes. It may lie in this
// process, in a file, or on another machine where several processes share it; so
//
//   - a call is one atomic step, whoever makes others at the same time, and its error
//     means that the step was not made, or that nobody knows: then it may be made
//     again, as Add changes nothing that is entered and a second Complete is stale;
//   - calls come in batches: Add and Complete take all that a page holds, Claim leases
//     as many targets as its caller has use for;
//   - a lease ends by its deadline, by the store's own clock, and its target is queued
//     again: who dies with it holds up nobody, and who comes late changes nothing;
//   - Complete settles a page and enters what it refers to in one step, so that no
//     crash lies between them;
//   - the end of the crawl is what the store's own count says, in answer to Claim: no
//     process can know it by itself.
//
// Calls may be made from many goroutines at once. storetest is the contract in full.
type Store interface {
	// Width is the width of the fingerprints that the store tells apart; it never
	// changes.
	Width() Width
	// Add enters items and returns their IDs. An item already known keeps its
	// job; its needs are added up and its wave becomes the lower of both. If it
	// was settled with fewer needs than are now wanted, it is queued again; so is
	// one that was entered as settled and now comes without an outcome. An
	// outcome given for a known item is passed over, but for the first with NeedLinked
	// of one that was entered as settled without that.
	Add(ctx context.Context, items []Item) ([]ID, error)
	// Claim leases up to max targets that may be visited now. With none, it says
	// when to ask again (the zero time: when something changes), or io.EOF when
	// nothing is queued and nothing is leased. A lease of 0 has no deadline.
	Claim(ctx context.Context, max int, lease time.Duration) ([]Lease, time.Time, error)
	// Complete settles a leased target and enters what was found. The store copies what
	// it keeps.
	Complete(ctx context.Context, l Lease, d Done) ([]ID, error)
	// Release puts a leased target back. Of a store that outlives its process, a
	// crash may take a Release back, as it ends leases; never a Complete.
	Release(ctx context.Context, l Lease, d Deferral) error
	// Extend moves a lease's deadline.
	Extend(ctx context.Context, l Lease, lease time.Duration) error
	// SetPace bounds a host from now on.
	SetPace(ctx context.Context, host string, p Pace) error
	// Paces reads the pace of every host. fn must not call the store.
	Paces(ctx context.Context, fn func(host string, p Pace) error) error
	// Find returns the IDs of fingerprints, 0 for those not known.
	Find(ctx context.Context, fingerprints []Fingerprint) ([]ID, error)
	// Get reads one target. The slices of the record are copies; Links may be left
	// out, which nobody reads one by one.
	Get(ctx context.Context, id ID) (Record, error)
	// Scan reads all targets in order of ID. Parts that were not asked for may be
	// left out; ID, Settled, Wave and Need are always there. fn must not call the
	// store.
	Scan(ctx context.Context, parts Parts, fn func(*Record) error) error
	// Count says how much work there is.
	Count(ctx context.Context) (Counts, error)
	// Tally adds to the sums, and Tallies reads them.
	Tally(ctx context.Context, t []Tally) error
	Tallies(ctx context.Context) (map[string]int64, error)
	// Close lets go of what the store holds.
	Close() error
}

// Keyed is a store that outlives its process or is shared by several, all of which
// must give a target the same fingerprint.
type Keyed interface {
	// FingerprintKey is a secret, so that nobody can make two URLs that share a
	// fingerprint.
	FingerprintKey() [16]byte
}

// Sealer is a store that has memory to give back when the crawl is over.
type Sealer interface {
	// Seal is called when no target is leased and none will be: only Get, Scan,
	// Paces, Tally, Tallies and Close come after it.
	Seal()
}
