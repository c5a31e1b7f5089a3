package lsp

import (
	"fmt"
	"slices"
	"testing"
	"testing/synctest"
	"time"
)

// TestProgressReports tests what an editor is told while a folder is judged for some time: that it begins, how
// far it is, four times a second, and that it ends; and nothing if it is judged quickly, or the editor does not agree.
func TestProgressReports(t *testing.T) {
	for _, row := range []struct {
		delay, lasts time.Duration
		agrees       bool
		want         []string
	}{
		{0, time.Second, true, []string{"0s begin", "250ms report 25 of 1000 targets", "500ms report 50 of 1000 targets", "750ms report 75 of 1000 targets", "1s end"}},
		{0, time.Second, false, nil},
		{time.Second, time.Second / 2, true, nil},
		{time.Second, 5 * time.Second / 4, true, []string{"1s begin", "1.25s end"}},
	} {
		synctest.Test(t, func(t *testing.T) {
			began := time.Now()
			var told []string
			p := &progress{title: "x", ask: func(agreed func(bool)) { agreed(row.agrees) }, tell: func(value map[string]any) {
				text := fmt.Sprint(time.Since(began), " ", value["kind"])
				if message, is := value["message"]; is {
					text += fmt.Sprint(" ", message)
				}
				told = append(told, text)
			}}
			p.start(row.delay)
			synctest.Wait()
			for n := 1; time.Since(began) < row.lasts-10*time.Millisecond; n++ {
				time.Sleep(10 * time.Millisecond)
				synctest.Wait()
				p.report(n, 1000)
			}
			time.Sleep(10 * time.Millisecond)
			p.stop()
			p.report(1000, 1000)
			time.Sleep(2 * time.Second)
			if !slices.Equal(told, row.want) {
				t.Errorf("after %v, for %v, the editor agrees: %v: it was told %q, want %q", row.delay, row.lasts, row.agrees, told, row.want)
			}
		})
	}
	var none *progress
	none.report(1, 2)
	none.stop()
}
