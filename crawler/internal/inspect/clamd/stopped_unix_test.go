//go:build unix

package clamd

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/orbweaver/orbweaver/crawler/internal/clamdtest"
)

// A clamd that hangs accepts connections and answers nothing.
func TestStoppedClamdIsLost(t *testing.T) {
	server := clamdtest.Start(t, clamdtest.Options{})
	s := open(t, server.Address)
	server.Stop()

	const limit = 10 * time.Millisecond
	if _, err := Open(t.Context(), s.address, limit); err == nil || !strings.Contains(err.Error(), "no answer within 10ms") {
		t.Errorf("Open: %v", err)
	}
	s.timeout = limit
	waits := 0
	s.service.Wait = func(context.Context, time.Duration) { waits++ }
	// More than the buffers of a socket hold, so that the write takes too long.
	for _, body := range [][]byte{make([]byte, 64<<20), nil} {
		got := s.Scan(t.Context(), body)
		if got.Outcome != Unscanned || !strings.HasSuffix(got.Reason, "was lost: no answer within 10ms") {
			t.Errorf("%+v", got)
		}
	}
	if waits != 2 || s.Lost() == nil {
		t.Errorf("%d waits, lost: %v", waits, s.Lost())
	}
}

func TestResumedClamd(t *testing.T) {
	server := clamdtest.Start(t, clamdtest.Options{})
	s := open(t, server.Address)
	server.Stop()
	s.timeout = 10 * time.Millisecond
	s.service.Wait = func(context.Context, time.Duration) {
		server.Continue()
		s.timeout = patience
	}
	if got := s.Scan(t.Context(), []byte(clamdtest.EICAR)); got != found(clamdtest.EICARSignature) {
		t.Errorf("%+v", got)
	}
}
