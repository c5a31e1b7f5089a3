//go:build !unix

package validator

import "os/exec"

// startGroup starts a program, and returns what kills it.
func startGroup(cmd *exec.Cmd) (kill func(), err error) {
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	return func() { cmd.Process.Kill() }, nil
}
