package evidence

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// Strings that are repeated are worth looking for, in the middle of a text.
func TestRepetitive(t *testing.T) {
	noise := make([]byte, 16<<10)
	rand.NewChaCha8([32]byte{}).Read(noise)
	markup := []byte(strings.Repeat(`<li class="item"><a href="/page">`, 300))
	for name, c := range map[string]struct {
		text []byte
		want bool
	}{
		"nothing":      {nil, true},
		"a few bytes":  {[]byte("word"), false},
		"noise":        {noise, false},
		"markup":       {markup, true},
		"after a head": {slices.Concat(noise[:1<<10], markup), true},
		"once":         {slices.Concat(noise, noise), false}, // farther apart than what is looked at
	} {
		if got := repetitive(c.text); got != c.want {
			t.Errorf("%s: %v", name, got)
		}
	}
}
