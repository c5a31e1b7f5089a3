//go:build race

package main

// raceDetector reports whether the race detector is on, which makes everything several times
// slower and larger.
const raceDetector = true
