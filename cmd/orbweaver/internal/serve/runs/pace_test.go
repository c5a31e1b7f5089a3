package runs

import (
	"testing"
	"time"

	"github.com/orbweaver/orbweaver/cmd/orbweaver/internal/serve/api"
)

func TestPace(t *testing.T) {
	began := time.Unix(0, 0)
	p := newPace(time.Minute, began)
	for _, row := range []struct {
		second                    int
		requests, checked, queued int
		rate                      float64
		left                      int64 // -1 for no estimate
	}{
		{0, 0, 0, 1, 0, -1},
		{1, 20, 10, 90, 20, -1}, // it is too early to estimate
		{4, 80, 40, 60, 20, -1},
		{5, 100, 50, 50, 20, 5000},
		{12, 100, 50, 50, 7.3, 50_000 * 11 / 40}, // over the 11 s since the last moment before 10 s ago
		{30, 100, 50, 50, 0, -1},                 // nothing was checked in the last 10 s
	} {
		got := &api.Progress{Requests: row.requests, Checked: row.checked, Queued: row.queued}
		p.measure(began.Add(time.Duration(row.second)*time.Second), got)
		left := int64(-1)
		if got.RemainingMS != nil {
			left = *got.RemainingMS
		}
		if got.ElapsedMS != int64(60+row.second)*1000 || got.Rate != row.rate || left != row.left {
			t.Errorf("after %d s: %d ms, %v a second, %d ms left; want %v and %d", row.second, got.ElapsedMS, got.Rate, left, row.rate, row.left)
		}
	}
}
