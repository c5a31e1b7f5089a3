package storetest

import (
	"context"
	"testing"
	"testing/synctest"

	"github.com/orbweaver/orbweaver/crawler/internal/frontier"
)

// run tests a store against the contract. open returns an empty store. It is called for
// each test inside a testing/synctest bubble, so the store must take the time from package
// time and must not use the network.
func run(t *testing.T, open func(t *testing.T) frontier.Store) {
	for _, c := range contract {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := &harness{T: t, Store: open(t), ctx: context.Background()}
				c.test(s)
				if err := s.Close(); err != nil {
					t.Errorf("Close: %v", err)
				}
			})
		})
	}
}

// contract lists the tests of every store.
var contract = []struct {
	name string
	test func(*harness)
}{
	{"an empty store reports the end", testEmpty},
	{"a target is handed out once", testHandedOutOnce},
	{"needs add up and the lower wave counts", testNeedsAddUp},
	{"a known target can be entered by its ID", testEnteredByID},
	{"a settled target is queued again when more is needed", testRenewed},
	{"a leased target is queued again when more is needed", testRenewedWhileLeased},
	{"a target entered as settled is not visited", testEnteredSettled},
	{"of outcomes entered for a target, the first from a link counts", testFirstLinkedOutcome},
	{"a link that leaves a target alone leaves its mark", testLeft},
	{"pages come before leaves", testWaves},
	{"leaves are handed out while pages must wait", testLeavesWhilePagesWait},
	{"leaves do not wait long for a slow page", testLeavesDuringSlowPage},
	{"the second pass comes last", testSecondPass},
	{"a deferred target waits", testDeferred},
	{"the limits of a host hold", testPace},
	{"a resting host does not delay others", testRest},
	{"hosts take turns", testTurns},
	{"a target whose lease has expired is handed out again", testExpiredLease},
	{"an extended lease is held longer", testExtendedLease},
	{"a shortened lease ends at its new deadline", testShortenedLease},
	{"a lease without a deadline can be given one", testExtendedWithoutDeadline},
	{"a stale lease changes nothing", testStaleLease},
	{"many leases are granted, extended and settled", testManyLeases},
	{"Complete enters what was found", testComplete},
	{"Get and Scan read records", testRecords},
	{"a note comes with the next lease", testNotes},
	{"tallies add up", testTallies},
	{"a step has many tallies", testManyTallies},
	{"Paces reads every pace", testPaces},
	{"Find returns the IDs of fingerprints", testFind},
	{"Scan reads the parts that are asked for", testParts},
	{"a sealed store can be read", testSealed},
	{"a crawl by many workers loses nothing", testCrawl},
}
