package references

import (
	"strings"
	"testing"
)

func TestIsSourceView(t *testing.T) {
	for ref, want := range map[string]bool{
		"main.go#L10": true, "main.go#L10-L12": true, "main.go#L10-12": true, "x.html#L10C3-L12": true, "x.html#L10C3-L12C5": true,
		"README.md?plain=1#L3-L6": true, "README.md?plain=1#L3": true,
		"README.md#L3": false, "docs/a.rst#L3": false, "main.go#10-12": false, "main.go#L": false, "main.go#L1-": false, "main.go#L1-Lx": false,
		"main.go#setup": false, "main.go#LC3": false, "dir/#L1": false, "#L1": false, "README.md?plain=1#setup": false,
	} {
		name, fragment, _ := strings.Cut(ref, "#")
		if got := isSourceView(name, fragment); got != want {
			t.Errorf("%s: %v, want %v", ref, got, want)
		}
	}
}
