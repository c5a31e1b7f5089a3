package proof

import (
	"slices"

	"github.com/orbweaver/orbweaver/crawler/internal/frontier"
)

// gate decides whether a target is requested. After a loss, targets are visited one at a time, each
// with a proof, until those that the loss has queued again were visited. So the target that ends the
// session is found: the one that was visited last before several losses in a row.
type gate struct {
	closed bool // no target is requested until a worker has signed in again
	visits int  // in progress
	again  map[frontier.ID]bool
	alone  bool // the visit that was begun last is one of those in again
}

// admit begins the visit of a target, unless it must wait.
func (g *gate) admit(id frontier.ID) (alone, ready bool) {
	if g.closed || g.visits > 0 && (g.alone || len(g.again) > 0) {
		return false, false
	}
	g.visits++
	g.alone = len(g.again) > 0
	delete(g.again, id)
	return g.alone, true
}

// dismiss takes back that a target was admitted.
func (g *gate) dismiss(id frontier.ID, alone bool) {
	g.visits--
	if alone {
		g.again[id] = true
	}
}

// leave ends the visit of a target.
func (g *gate) leave() { g.visits-- }

// open lets targets be requested again, those of held visits one at a time.
func (g *gate) open(held visits) {
	for i := range held {
		g.again[held[i].ID] = true
	}
	g.closed = false
}

// visits are held visits, in the order of their answers.
type visits []Held

// remove removes those from one index to another one.
func (v *visits) remove(from, to int) { *v = slices.Delete(*v, from, to) }

// trust is how far a session is trusted to last.
type trust struct {
	patience int // visits that are held until a proof is requested
	unsure   int // proofs in a row without an answer
	renewed  int // sign-ins since a visit was settled
}

// begin notes that a session begins.
func (t *trust) begin() { t.patience, t.unsure = firstProof, 0 }

// prove notes that a proof was held.
func (t *trust) prove() { t.patience, t.unsure, t.renewed = min(2*t.patience, laterProof), 0, 0 }

// doubt notes a proof without an answer, and returns how many there were in a row.
func (t *trust) doubt() int {
	t.unsure++
	return t.unsure
}

// renew notes a sign-in, and returns how many there were since a visit was settled.
func (t *trust) renew() int {
	t.renewed++
	return t.renewed
}
