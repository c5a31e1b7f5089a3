package store

import (
	"crypto/hmac"
	"crypto/pbkdf2"
	"crypto/sha256"
	"encoding/hex"
	"strconv"
	"sync"

	"github.com/orbweaver/orbweaver/crawler/internal/cacheentry"
	"github.com/orbweaver/orbweaver/crawler/internal/traffic"
	"github.com/orbweaver/orbweaver/urinorm"
)

// rounds is the number of PBKDF2 rounds for a secret: 30 ms, once for each secret of a
// run, so that a password cannot be guessed from the file.
const rounds = 100_000

// Key returns the key of a request. Requests have the same key only if their URLs and
// their identities are the same. A key reveals nothing about secrets.
func (c *Cache) Key(url urinorm.Key, id traffic.Identity) cacheentry.Key {
	b := append(strconv.AppendQuote(make([]byte, 0, 512), string(url)), ' ')
	b = append(strconv.AppendQuote(b, id.Open), ' ')
	b = append(hex.AppendEncode(b, c.secrets.stretched(id.Secret, c.salt)), ' ')
	b = strconv.AppendQuote(b, id.Cookies)
	if id.Secret+id.Cookies == "" {
		sum := sha256.Sum256(b) // the same in every file, so that people can look entries up
		return cacheentry.Key(sum[:len(cacheentry.Key{})])
	}
	h := hmac.New(sha256.New, c.salt)
	h.Write(b) // never fails
	return cacheentry.Key(h.Sum(nil)[:len(cacheentry.Key{})])
}

// FingerprintKey returns the key of the fingerprints by which pages in the file refer to their
// targets (see FileOptions).
func (c *Cache) FingerprintKey() [16]byte {
	h := hmac.New(sha256.New, c.salt)
	h.Write([]byte("fingerprints")) // never fails
	return [16]byte(h.Sum(nil)[:16])
}

// secrets keeps the results of stretching secrets.
type secrets struct {
	mu    sync.Mutex
	known map[string][]byte // by secret
}

// maxSecrets is the most results that are kept.
const maxSecrets = 10_000

// stretched returns the part of a key for a secret. It is nil for the empty secret.
func (s *secrets) stretched(secret string, salt []byte) []byte {
	if secret == "" {
		return nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if b, ok := s.known[secret]; ok {
		return b
	}
	b, err := pbkdf2.Key(sha256.New, secret, salt, rounds, sha256.Size)
	if err != nil { // only if FIPS 140-3 is enforced and the salt is too short, which it is not
		panic(err)
	}
	if s.known == nil || len(s.known) >= maxSecrets {
		s.known = map[string][]byte{}
	}
	s.known[secret] = b
	return b
}
