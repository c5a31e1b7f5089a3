//go:build !linux

package startup

// ReleasePages does nothing on this system.
func ReleasePages() {}
