package main

import (
	"os"

	"golang.org/x/sys/windows"
)

// obeysEscapes turns on escape sequences for a console and reports whether that worked.
// Windows' own console supports them since Windows 10, and only for programs that ask for
// it.
func obeysEscapes(f *os.File) bool {
	var mode uint32
	console := windows.Handle(f.Fd())
	if windows.GetConsoleMode(console, &mode) != nil {
		return false
	}
	needs, differs := modeForEscapes(mode)
	return !differs || windows.SetConsoleMode(console, needs) == nil
}
