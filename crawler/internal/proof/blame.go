package proof

import (
	"slices"

	"github.com/orbweaver/orbweaver/crawler/internal/frontier"
)

// A target ended the session if it was the last one before so many losses in a row. Where sessions
// also end without a cause, two in a row may be a coincidence.
const (
	blamedLosses = 2
	strayLosses  = 3
)

// blame finds the target that ends sessions. The zero value suspects none.
type blame struct {
	page        string // that is asked for proofs: it ends no session
	suspect     suspicion
	trials      int  // proofs that this session had to hold before the suspect was visited again
	unexplained bool // it is not known yet what caused the last loss
	strays      bool // sessions of this site also end without a target that ends them
}

// suspicion is the target that was visited last before a number of losses in a row. The zero value
// is none.
type suspicion struct {
	id        frontier.ID
	signedOut bool // all its answers
	losses    int
}

// culprit returns the index of the held visit that ended the session, -1 if it is not known. Forgets
// means that the site also removes the cookies of sessions that had ended before.
//
// What ends sessions answers alike each time. A session that ends after a number of requests is not
// blamed on a target: each visit is one request, and its proof another one, and the number of trials
// is odd and even in turn, so that the end moves from before an answer to after it.
func (b *blame) culprit(held []Held, forgets bool) int {
	suspected := b.suspect
	b.suspect, b.unexplained = suspicion{}, true
	if i := slices.IndexFunc(held, func(h Held) bool { return h.ends }); i >= 0 && !forgets {
		b.unexplained = false
		return i
	}
	if len(held) != 1 || held[0].Seen.URL.String() == b.page {
		return -1
	}
	b.suspect = suspicion{id: held[0].ID, signedOut: held[0].signedOut, losses: 1}
	if b.suspect.id == suspected.id && b.suspect.signedOut == suspected.signedOut {
		b.suspect.losses += suspected.losses
	}
	needed := blamedLosses
	if b.strays {
		needed = strayLosses
	}
	if b.suspect.losses < needed {
		return -1
	}
	b.suspect, b.unexplained = suspicion{}, false
	return 0
}

// renewed returns the number of proofs that a new session must hold before the suspect is visited
// again.
func (b *blame) renewed() int {
	if b.suspect.id == 0 {
		b.trials = 0
	} else {
		b.trials = 1 + b.trials%2
	}
	return b.trials
}

// stray notes that a session has ended without a target that ended it.
func (b *blame) stray() { b.suspect, b.unexplained, b.strays = suspicion{}, false, true }

// held notes that a session held a target. Again is the number of targets that are still to be
// visited again after the last loss.
func (b *blame) held(id frontier.ID, again int) {
	if id == b.suspect.id || b.unexplained && again == 0 {
		b.stray()
	}
}
