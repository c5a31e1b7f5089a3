// Package programtest provides the program to tests that start it: the one that the environment
// variable ORBWEAVER_BIN names, so that a run of many packages builds it once, or one that it
// builds for the package.
package programtest

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// variable names a program that was built before.
const variable = "ORBWEAVER_BIN"

// Given returns the absolute path of the program that the environment names, "" if there is
// none. It removes the variable, which the program would take for a misspelled setting.
func Given() string {
	path := os.Getenv(variable)
	os.Unsetenv(variable)
	if path == "" {
		return ""
	}
	path, err := filepath.Abs(path)
	if err == nil {
		_, err = os.Stat(path)
	}
	if err != nil {
		panic(fmt.Sprintf("%s: %v", variable, err))
	}
	return path
}

// Run runs the tests of a package with the program, and returns the exit status.
func Run(m *testing.M, program *string) int {
	if *program = Given(); *program != "" {
		return m.Run()
	}
	dir, err := os.MkdirTemp("", "orbweaver-")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer os.RemoveAll(dir)
	*program = filepath.Join(dir, "orbweaver.exe")
	if out, err := exec.Command("go", "build", "-o", *program, "github.com/orbweaver/orbweaver/cmd/orbweaver").CombinedOutput(); err != nil {
		fmt.Fprintf(os.Stderr, "build the program: %v\n%s", err, out)
		return 1
	}
	return m.Run()
}
