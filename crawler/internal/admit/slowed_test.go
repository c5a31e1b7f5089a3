package admit

import (
	"slices"
	"testing"
	"time"

	"github.com/orbweaver/orbweaver/crawler/internal/frontier"
)

func TestPaceText(t *testing.T) {
	var got []string
	for _, p := range []frontier.Pace{{Interval: 100 * time.Millisecond}, {Interval: 2 * time.Second}, {Concurrency: 4}, {Concurrency: 1}} {
		got = append(got, paceText(p))
	}
	if want := []string{"10/s", "1 request every 2 s", "4 requests at once", "1 request at once"}; !slices.Equal(got, want) {
		t.Errorf("got %q", got)
	}
}
