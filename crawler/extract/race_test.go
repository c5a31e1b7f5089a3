//go:build race

package extract

// raceDetector reports that the race detector is on: everything takes ten times as long.
const raceDetector = true
