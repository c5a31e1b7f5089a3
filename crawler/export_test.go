package crawler

// EnterShared is what tests of the engine from outside use of it.
var EnterShared = enter
