//go:build !race

package extract

const raceDetector = false

// documentSize is the size of the documents of the tests of memory, in bytes.
const documentSize = 16 << 20
