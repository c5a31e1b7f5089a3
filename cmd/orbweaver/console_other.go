//go:build !windows

package main

import "os"

// obeysEscapes is true for all terminals except those of Windows.
func obeysEscapes(*os.File) bool { return true }
