package redisstore

import (
	"context"
	"errors"
	"net"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/orbweaver/orbweaver/crawler/internal/frontier"
)

// A server that is away is reported with what went wrong, not with the end of the patience,
// which cuts the last try off.
func TestCauseOfAbsence(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		address, err := ParseAddress("redis://127.0.0.1:1?crawl=c")
		if err != nil {
			t.Fatal(err)
		}
		c := &client{address: address, options: Options{Patience: time.Second}}
		tries := 0
		err = c.try(context.Background(), func(ctx context.Context) error {
			if tries++; tries == 1 {
				return &net.OpError{Op: "dial", Net: "tcp", Err: syscall.ECONNREFUSED}
			}
			<-ctx.Done()
			return ctx.Err()
		})
		if !errors.Is(err, frontier.ErrAway) || !strings.Contains(err.Error(), syscall.ECONNREFUSED.Error()) || tries != 2 {
			t.Errorf("after %d tries: %v", tries, err)
		}
	})
}
