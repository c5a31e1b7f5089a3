package auth

import (
	"context"
	"crypto/subtle"
)

// Setup is the way to the first administrator: an address with a secret, which a start of
// the server prints. It ends as soon as there is a user or a token.
type Setup struct {
	store  *Store
	secret string
}

// NewSetup returns a Setup with a new secret.
func (s *Store) NewSetup() *Setup { return &Setup{s, NewSecret()} }

// Secret returns the secret of the address.
func (s *Setup) Secret() string { return s.secret }

// Open reports whether a secret is the right one and still counts. A nil Setup is closed.
func (s *Setup) Open(ctx context.Context, secret string) (bool, error) {
	if s == nil || subtle.ConstantTimeCompare([]byte(secret), []byte(s.secret)) != 1 {
		return false, nil
	}
	return s.store.Empty(ctx)
}
