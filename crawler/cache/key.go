package cache

import (
	"crypto/hmac"
	"crypto/pbkdf2"
	"crypto/sha256"
	"fmt"
	"sync"

	"github.com/orbweaver/orbweaver/crawler/fetch"
	"github.com/orbweaver/orbweaver/urinorm"
)

// Key stands for a request, with all that may change its answer.
type Key [16]byte

// stretch is how many rounds a secret goes through: 30 ms, once for each of a run's
// secrets, so that a password cannot be guessed from a file that lies about.
const stretch = 100_000

// Key returns the key of a request. Two requests have the same only when their URL
// and their identity are the same; nothing of a secret can be told from it.
func (c *Cache) Key(url urinorm.Key, id fetch.Identity) Key {
	h := hmac.New(sha256.New, c.salt)
	if id.Secret+id.Cookies == "" {
		h = sha256.New() // the same in every file, for people who look into one
	}
	fmt.Fprintf(h, "%q %q %x %q", string(url), id.Open, c.secrets.stretched(id.Secret, c.salt), id.Cookies)
	return Key(h.Sum(nil)[:len(Key{})])
}

// secrets remembers what secrets were stretched to.
type secrets struct {
	mu    sync.Mutex
	known map[string][]byte
}

// maxSecrets bounds how many are remembered.
const maxSecrets = 10_000

// stretched turns a secret into what may be part of a key; nothing stays nothing.
func (s *secrets) stretched(secret string, salt []byte) []byte {
	if secret == "" {
		return nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if b, ok := s.known[secret]; ok {
		return b
	}
	b, err := pbkdf2.Key(sha256.New, secret, salt, stretch, sha256.Size)
	if err != nil { // only where FIPS 140-3 is enforced and the salt is too short, which it is not
		panic(err)
	}
	if s.known == nil || len(s.known) >= maxSecrets {
		s.known = map[string][]byte{}
	}
	s.known[secret] = b
	return b
}
