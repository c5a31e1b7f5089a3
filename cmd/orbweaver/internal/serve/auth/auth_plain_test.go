//go:build !race

package auth

import (
	"fmt"
	"net/netip"
	"testing"
)

func TestLimiterForgets(t *testing.T) {
	var l limiter
	for i := range maxLimited {
		end, err := l.begin(t.Context(), fmt.Sprint("name", i), netip.AddrFrom4([4]byte{10, byte(i >> 16), byte(i >> 8), byte(i)}))
		if err != nil {
			t.Fatal(err)
		}
		end(true)
	}
	if len(l.seen) > maxLimited+1 {
		t.Errorf("%d are remembered", len(l.seen))
	}
}
