//go:build !linux

package helper

import "os/exec"

// EndWithThread does nothing: on Windows, the group ends with this process anyway.
func EndWithThread(*exec.Cmd) {}
