//go:build race

package extract

// raceDetector reports whether the race detector is on, which makes everything about ten
// times slower.
const raceDetector = true

// documentSize is the size of the documents of the tests of memory, in bytes. With the race
// detector they measure nothing.
const documentSize = 2 << 20
