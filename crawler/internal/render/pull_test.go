package render

import (
	"context"
	"errors"
	"testing"
)

// What a tab asks is answered in any order, and refused when the tab is closed.
func TestPull(t *testing.T) {
	r := New(Options{Tabs: 1})
	failed := errors.New("failed")
	tab, err := r.open(t.Context(), func(ctx context.Context, q asks) (*Rendered, error) {
		statuses := make(chan int)
		for _, url := range []string{"a", "b"} {
			go func() { statuses <- q.ask(ctx, &Ask{URL: url}).Status }()
		}
		if sum := <-statuses + <-statuses; sum != 300 {
			t.Errorf("the statuses add up to %d, want 300", sum)
		}
		if last := q.ask(ctx, &Ask{URL: "c"}); !last.Refused {
			t.Errorf("the answer without a reply is %+v", last)
		}
		return nil, failed
	})
	if err != nil {
		t.Fatal(err)
	}
	first, _ := tab.Next(t.Context())
	second, _ := tab.Next(t.Context())
	tab.Reply(second, Reply{Status: 200})
	tab.Reply(first, Reply{Status: 100})
	if last, err := tab.Next(t.Context()); err != nil || last.URL != "c" || last.Context().Err() != nil {
		t.Errorf("the last request is %+v, %v", last, err)
	}
	tab.Close()
	if ask, err := tab.Next(t.Context()); ask != nil || !errors.Is(err, context.Canceled) {
		t.Errorf("a closed tab asks %+v, %v", ask, err)
	}
	if len(r.tabs) != 0 {
		t.Error("the closed tab is not free")
	}
}
