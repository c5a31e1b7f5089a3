package crawler

// What tests of the engine from outside use of it.
var (
	EnterShared = enter
	LostOutcome = lostOutcome
)
