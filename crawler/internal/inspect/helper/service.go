// Package helper has what programs and servers that help to check pages have in common:
// processes that end with all that they started ([StartGroup]), and questions that are asked
// again until the helper is given up ([Service]).
package helper

import (
	"context"
	"sync"
	"time"
)

// Service is a helper that answers a few questions at once. When it is lost, nothing is asked
// any more. It is safe for concurrent use.
type Service struct {
	// Wait waits between two tries of a question. Tests replace it.
	Wait func(ctx context.Context, pause time.Duration)

	slots chan struct{} // one element for each question
	lose  sync.Once
	lost  chan struct{} // closed when the service is lost
	err   error         // why; read only after lost is closed
}

// NewService returns a service that answers that many questions at once.
func NewService(parallel int) *Service {
	s := &Service{slots: make(chan struct{}, parallel), lost: make(chan struct{})}
	s.Wait = s.sleep
	return s
}

// Lost returns why nothing is asked any more, nil as long as questions are.
func (s *Service) Lost() error {
	select {
	case <-s.lost:
		return s.err
	default:
		return nil
	}
}

// Lose makes sure that nothing is asked any more. The first reason counts.
func (s *Service) Lose(why error) {
	s.lose.Do(func() {
		s.err = why
		close(s.lost)
	})
}

// Enter waits until a question may be asked, or until it is in vain. leave must be called
// when it has its answer.
func (s *Service) Enter(ctx context.Context) (leave func()) {
	select {
	case s.slots <- struct{}{}:
		return func() { <-s.slots }
	case <-ctx.Done():
	case <-s.lost:
	}
	return func() {}
}

// Try asks a question, and once more after each pause until ask returns nil. The error is why
// the service is lost, the cause of the end of the context, or that of the last try.
func (s *Service) Try(ctx context.Context, pauses []time.Duration, ask func() error) error {
	for try := 0; ; try++ {
		if err := s.Lost(); err != nil {
			return err
		}
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		err := ask()
		if err == nil || try == len(pauses) {
			return err
		}
		s.Wait(ctx, pauses[try])
	}
}

// sleep waits for a pause to end, but not for a question that is in vain.
func (s *Service) sleep(ctx context.Context, pause time.Duration) {
	timer := time.NewTimer(pause)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-ctx.Done():
	case <-s.lost:
	}
}
