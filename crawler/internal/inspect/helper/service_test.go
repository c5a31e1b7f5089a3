package helper

import (
	"errors"
	"testing"
)

// Whoever waits for its turn learns of the loss.
func TestLost(t *testing.T) {
	s, gone := NewService(1), errors.New("gone")
	s.Enter(t.Context())
	s.Lose(gone)
	s.Lose(errors.New("later"))
	defer s.Enter(t.Context())()
	if err := s.Try(t.Context(), nil, func() error { return errors.New("it was asked") }); err != gone {
		t.Errorf("the error is %v, want %v", err, gone)
	}
}
