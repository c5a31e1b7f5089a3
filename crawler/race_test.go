//go:build race

package crawler

const raceDetector = true
