//go:build race

package extract

// raceDetector reports whether the race detector is on, which makes everything about ten
// times slower.
const raceDetector = true
