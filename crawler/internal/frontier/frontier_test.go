package frontier_test

import (
	"context"
	"fmt"
	"io"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"

	"github.com/orbweaver/orbweaver/crawler/check"
	"github.com/orbweaver/orbweaver/crawler/internal/frontier"
	"github.com/orbweaver/orbweaver/crawler/internal/judging"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func seed(f *frontier.Frontier, n int, host string) frontier.Item {
	url := fmt.Sprintf("https://%s/%d", host, n)
	return frontier.Item{Fingerprint: f.Fingerprint([]byte(url)), Host: []byte(host), Job: frontier.AppendJob(nil, frontier.Job{URL: []byte(url)})}
}

var fine = judging.Outcome{Code: check.CodeOK, Status: 200, Size: -1}

// TestNextWakesAndEnds tests that workers that wait in Next are woken when a target is
// ready, and that all return at the end.
func TestNextWakesAndEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx := t.Context()
		f := frontier.New(frontier.NewMemory(), frontier.Treatment{})
		if _, err := f.Refer(ctx, []frontier.Item{seed(f, 0, "a")}); err != nil {
			t.Fatal(err)
		}
		var mu sync.Mutex
		visits := map[string]int{}
		var wg sync.WaitGroup
		for range 16 {
			wg.Go(func() {
				for {
					target, err := f.Next(ctx)
					if err == io.EOF {
						return
					}
					if err != nil {
						t.Error(err)
						return
					}
					time.Sleep(time.Second)
					mu.Lock()
					visits[target.URL]++
					n := len(visits)
					mu.Unlock()
					var found []frontier.Item
					for k := range 3 {
						if m := 3*n + k; m < 100 {
							found = append(found, seed(f, m, "a"))
						}
					}
					if _, err := f.Settle(ctx, target, frontier.Settlement{Outcome: &fine, Found: found}); err != nil {
						t.Error(err)
					}
				}
			})
		}
		start := time.Now()
		wg.Wait()
		for url, n := range visits {
			if n != 1 {
				t.Errorf("%s was visited %d times", url, n)
			}
		}
		if took := time.Since(start); took > 20*time.Second {
			t.Errorf("%d visits of a second by 16 workers took %v", len(visits), took)
		}
	})
}

func TestDrain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx := t.Context()
		f := frontier.New(frontier.NewMemory(), frontier.Treatment{})
		if _, err := f.Refer(ctx, []frontier.Item{seed(f, 0, "a"), seed(f, 1, "a")}); err != nil {
			t.Fatal(err)
		}
		target, err := f.Next(ctx)
		if err != nil {
			t.Fatal(err)
		}
		f.Drain()
		if _, err := f.Next(ctx); err != io.EOF {
			t.Errorf("Next after Drain = %v, want io.EOF", err)
		}
		if _, err := f.Settle(ctx, target, frontier.Settlement{Outcome: &fine}); err != nil {
			t.Errorf("Settle after Drain: %v", err)
		}
	})
}

func TestNextCancelled(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		f := frontier.New(frontier.NewMemory(), frontier.Treatment{})
		if _, err := f.Refer(ctx, []frontier.Item{seed(f, 0, "a")}); err != nil {
			t.Fatal(err)
		}
		if _, err := f.Next(ctx); err != nil {
			t.Fatal(err)
		}
		time.AfterFunc(time.Minute, cancel)
		if _, err := f.Next(ctx); err != context.Canceled {
			t.Errorf("Next = %v, want the context's error", err)
		}
	})
}

// TestPaceFindsWhatAHostBears tests that a host that refuses more than five visits a
// second gets about that many, and that another host is not delayed.
func TestPaceFindsWhatAHostBears(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx := t.Context()
		f := frontier.New(frontier.NewMemory(), frontier.Treatment{Pace: frontier.Pace{Concurrency: 8}})
		var items []frontier.Item
		for n := range 300 {
			items = append(items, seed(f, n, "strict"), seed(f, n, "easy"))
		}
		if _, err := f.Refer(ctx, items); err != nil {
			t.Fatal(err)
		}
		var mu sync.Mutex
		var recent []time.Time
		refused, easyDone := 0, time.Time{}
		easy, most := 0, 0
		start := time.Now()
		overLimit := func() bool {
			mu.Lock()
			defer mu.Unlock()
			now := time.Now()
			for len(recent) > 0 && now.Sub(recent[0]) >= time.Second {
				recent = recent[1:]
			}
			if len(recent) >= 5 {
				refused++
				return true
			}
			recent = append(recent, now)
			return false
		}
		var wg sync.WaitGroup
		for range 16 {
			wg.Go(func() {
				for {
					target, err := f.Next(ctx)
					if err != nil {
						if err != io.EOF {
							t.Error(err)
						}
						return
					}
					started := time.Now()
					time.Sleep(50 * time.Millisecond)
					over := target.Host == "strict" && overLimit()
					if err := f.Hosts().Observe(ctx, target.Host, frontier.Answer{Started: started, Overloaded: over, Latency: 50 * time.Millisecond}); err != nil {
						t.Error(err)
					}
					if over {
						mu.Lock()
						most = max(most, target.Tries+1)
						mu.Unlock()
						err = f.Defer(ctx, target, time.Now(), nil, nil)
					} else {
						_, err = f.Settle(ctx, target, frontier.Settlement{Outcome: &fine})
					}
					if err != nil {
						t.Error(err)
					}
					if target.Host == "easy" {
						mu.Lock()
						if easy++; easy == 300 {
							easyDone = time.Now()
						}
						mu.Unlock()
					}
				}
			})
		}
		wg.Wait()
		if took := easyDone.Sub(start); took > 3*time.Second {
			t.Errorf("the easy host's 300 visits took %v; eight at once of 50 ms each take 1.9s", took)
		}
		if took := time.Since(start); took > 3*time.Minute {
			t.Errorf("the strict host's 300 visits took %v; at five a second they take a minute", took)
		}
		if refused > 100 {
			t.Errorf("the strict host refused %d visits", refused)
		}
		if most > 2 {
			t.Errorf("one target was refused %d times: the pace is found at the cost of few", most)
		}
		t.Logf("strict: %v, %d refused; easy: %v", time.Since(start), refused, easyDone.Sub(start))
	})
}
