//go:build race

package extract

// raceDetector is on: everything takes ten times as long.
const raceDetector = true
