//go:build !race

package main

import (
	"bytes"
	"io"
	"strings"
	"testing"
)

func TestURIBatchLongLine(t *testing.T) {
	line := `{"op":"key","input":"http://h/"}` + "\n"
	long := io.MultiReader(strings.NewReader(line), io.LimitReader(letters{}, maxBatchLine+1), strings.NewReader("\n"+line))
	var out bytes.Buffer
	if err := uriBatch(long, &out, false); err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(out.String(), "\n")
	if len(lines) != 4 || lines[0] != lines[2] || !strings.Contains(lines[1], "longer than") {
		t.Errorf("answers %q", lines)
	}
}
