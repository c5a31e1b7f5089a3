package fetch

import "testing"

func TestAffordable(t *testing.T) {
	for _, row := range []struct {
		requests int
		files    uint64
		want     int
	}{
		{64, 0, 64}, {64, 1 << 20, 64}, {64, 256, 64}, {64, 64, 20}, {64, 128, 52}, {64, 20, 1}, {0, 64, 1}, {4096, 1024, 500}, {1, 26, 1},
	} {
		if got := affordable(row.requests, row.files); got != row.want {
			t.Errorf("affordable(%d, %d) = %d, want %d", row.requests, row.files, got, row.want)
		}
	}
	if n := Affordable(8); n < 1 || n > 8 {
		t.Errorf("Affordable(8) = %d", n)
	}
}
