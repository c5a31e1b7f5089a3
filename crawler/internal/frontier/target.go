package frontier

// target is what a ledger keeps of one target besides its fingerprint.
type target struct {
	host   uint32 // number
	wave   Wave   // it is in, or was in when it was leased
	lowest Wave   // it was entered with
	need   Need
	flags  uint8
}

// The bits of target.flags: the state, the needs that the last visit met, and the
// number of leases since the target was last settled.
const (
	stateBits  = 0b11
	metBits    = 0b111 << metShift
	metShift   = 2
	triesShift = 5
	maxTries   = 7
)

type state uint8

const (
	queued state = iota
	leased
	settled        // by a visit
	enteredSettled // without a visit
)

func (t *target) state() state     { return state(t.flags & stateBits) }
func (t *target) setState(s state) { t.flags = t.flags&^stateBits | uint8(s) }
func (t *target) tries() int       { return int(t.flags >> triesShift) }
func (t *target) setTries(n int) {
	t.flags = t.flags&(1<<triesShift-1) | uint8(min(n, maxTries))<<triesShift
}

// met returns the visitNeeds that the last visit met.
func (t *target) met() Need {
	bits := Need(t.flags&metBits) >> metShift
	n := bits & (NeedContent | NeedLinks)
	if bits&metRender != 0 {
		n |= NeedRender
	}
	return n
}

func (t *target) setMet(n Need) {
	bits := n & (NeedContent | NeedLinks)
	if n&NeedRender != 0 {
		bits |= metRender
	}
	t.flags = t.flags&^metBits | uint8(bits)<<metShift
}

// metRender stands for NeedRender among the met needs.
const metRender = 1 << 2

// visitNeeds are the needs that a visit meets or leaves open.
const visitNeeds = NeedContent | NeedLinks | NeedRender
