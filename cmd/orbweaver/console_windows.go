package main

import (
	"os"

	"golang.org/x/sys/windows"
)

// obeysEscapes has a console obey escape sequences, which Windows' own does only for
// a program that asks for it, and since Windows 10.
func obeysEscapes(f *os.File) bool {
	var mode uint32
	console := windows.Handle(f.Fd())
	if windows.GetConsoleMode(console, &mode) != nil {
		return false
	}
	const obey = windows.ENABLE_PROCESSED_OUTPUT | windows.ENABLE_VIRTUAL_TERMINAL_PROCESSING
	return mode&obey == obey || windows.SetConsoleMode(console, mode|obey) == nil
}
