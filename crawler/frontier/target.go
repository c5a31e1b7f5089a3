package frontier

// target is what is kept of one target besides its fingerprint.
type target struct {
	host   uint32
	wave   Wave // where it is, or was when it was leased
	lowest Wave // where it is wanted
	need   Need // wanted
	flags  uint8
}

// The flags of a target: state, what it was last settled with, and how often it
// was leased.
const (
	stateBits  = 0b11
	metBits    = 0b11 << metShift
	metShift   = 2
	triesShift = 4
	mostTries  = 15
)

type state uint8

const (
	queued state = iota
	leased
	settled
	given // entered as settled
)

func (t *target) state() state     { return state(t.flags & stateBits) }
func (t *target) setState(s state) { t.flags = t.flags&^stateBits | uint8(s) }
func (t *target) tries() int       { return int(t.flags >> triesShift) }
func (t *target) setTries(n int) {
	t.flags = t.flags&(1<<triesShift-1) | uint8(min(n, mostTries))<<triesShift
}

// met is the part of the need that settling a target may leave open.
func (t *target) met() Need     { return Need(t.flags&metBits) >> metShift }
func (t *target) setMet(n Need) { t.flags = t.flags&^metBits | uint8(n&visited)<<metShift&metBits }

// visited are the needs that only a visit can meet.
const visited = NeedContent | NeedLinks
