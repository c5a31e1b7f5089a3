//go:build !race

package main

import (
	"cmp"
	"os"
	"testing"

	"github.com/orbweaver/orbweaver/crawler/crawlertest"
)

// TestBombs checks that no bomb takes much memory or an endless time, with the settings of
// a command line without flags except those that make tests quick, and with a large --max-body. Each run is a process
// of its own, whose peak memory the system counts.
//
// The long form runs all bombs, one at a time, and logs the memory and the time that each takes.
// The short form has one bomb for each kind of limit. The packages that hold the limits test
// the others with less input: fetch (TestServerFaults, TestDecodeBombs, TestTimeLimits, cookies),
// extract (TestDocumentBombs, TestGrowth), robots, trap (TestTrapsEnd), and crawler
// (TestEndlessSites).
func TestBombs(t *testing.T) {
	program, err := os.Executable() // this test is the program, too, and measures its memory
	if err != nil {
		t.Fatal(err)
	}
	long := crawlertest.Long()
	for _, b := range bombs() {
		if !b.short && !long {
			continue
		}
		t.Run(b.name, func(t *testing.T) {
			if !long {
				t.Parallel()
			}
			most := cmp.Or(b.memory, maxBombMemory)
			peak := b.run(t, program)
			if peak > most { // it depends on when memory is collected, so a second run decides
				peak = min(peak, b.run(t, program))
			}
			if peak > most {
				t.Errorf("%d MB, want at most %d", peak, most)
			}
		})
	}
}
