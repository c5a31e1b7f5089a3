//go:build !windows

package main

import "os"

// obeysEscapes is true of every terminal but Windows'.
func obeysEscapes(*os.File) bool { return true }
