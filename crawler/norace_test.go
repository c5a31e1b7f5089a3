//go:build !race

package crawler

const raceDetector = false
