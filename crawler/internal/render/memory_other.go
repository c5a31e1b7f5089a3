//go:build !linux

package render

// killLarge does nothing: the limit of JavaScript's memory, which the browser itself keeps,
// applies everywhere.
func killLarge(int, int64) {}
