//go:build !unix

package main

import "os"

// peakMemory returns 0, because the value is not available.
func peakMemory(*os.ProcessState) int64 { return 0 }
