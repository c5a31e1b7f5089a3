package lsp

import (
	"io"
	"os"
)

// maxConfig is the most that is read of a configuration to find a place in it, in bytes.
const maxConfig = 1 << 20

// readSmall returns the text of a regular file, "" if it cannot be read.
func readSmall(file string) string {
	info, err := os.Stat(file)
	if err != nil || !info.Mode().IsRegular() {
		return ""
	}
	f, err := os.Open(file)
	if err != nil {
		return ""
	}
	defer f.Close()
	body, _ := io.ReadAll(io.LimitReader(f, maxConfig))
	return string(body)
}
