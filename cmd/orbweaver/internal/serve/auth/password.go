package auth

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"errors"
	"fmt"
	"strings"

	"golang.org/x/crypto/argon2"
)

// Lengths of a password in bytes.
const (
	MinPassword = 8
	MaxPassword = 1024
)

// parameters are those of argon2id for new passwords (RFC 9106): 19 MiB, two passes. One
// hash takes about 50 ms.
var parameters = phc{memory: 19 << 10, time: 2, threads: 1}

const (
	hashLength = 32
	saltLength = 16
)

// maxHashes is the number of passwords that are hashed at a time, over all stores of the
// process. More would let sign-ins exhaust the memory.
const maxHashes = 2

var hashing = make(chan struct{}, maxHashes)

// CheckPassword returns an error if a password is too short or too long.
func CheckPassword(password string) error {
	if n := len(password); n < MinPassword || n > MaxPassword {
		return fmt.Errorf("the password has %d bytes: use %d to %d", n, MinPassword, MaxPassword)
	}
	return nil
}

// phc is a hashed password.
type phc struct {
	memory, time uint32 // KiB, passes
	threads      uint8
	salt, key    []byte
}

func (p *phc) String() string {
	encode := base64.RawStdEncoding.EncodeToString
	return fmt.Sprintf("$argon2id$v=%d$m=%d,t=%d,p=%d$%s$%s", argon2.Version, p.memory, p.time, p.threads, encode(p.salt), encode(p.key))
}

// parsePHC parses the string form. Parameters beyond those that any version of this
// program has used are errors, so that a damaged database cannot exhaust the memory.
func parsePHC(s string) (*phc, error) {
	damaged := errors.New("a stored password is damaged")
	parts := strings.Split(s, "$")
	if len(parts) != 6 || parts[1] != "argon2id" || parts[2] != fmt.Sprintf("v=%d", argon2.Version) {
		return nil, damaged
	}
	var p phc
	if _, err := fmt.Sscanf(parts[3], "m=%d,t=%d,p=%d", &p.memory, &p.time, &p.threads); err != nil || p.memory > 256<<10 || p.time == 0 || p.time > 16 || p.threads == 0 || p.threads > 16 {
		return nil, damaged
	}
	var err error
	if p.salt, err = base64.RawStdEncoding.DecodeString(parts[4]); err != nil {
		return nil, damaged
	}
	if p.key, err = base64.RawStdEncoding.DecodeString(parts[5]); err != nil || len(p.key) < 16 || len(p.key) > 64 {
		return nil, damaged
	}
	return &p, nil
}

// derive computes the key of a password. It waits while maxHashes others are computed.
func (p *phc) derive(ctx context.Context, password string, length int) ([]byte, error) {
	select {
	case hashing <- struct{}{}:
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
	defer func() { <-hashing }()
	return argon2.IDKey([]byte(password), p.salt, p.time, p.memory, p.threads, uint32(length)), nil
}

func hashPassword(ctx context.Context, password string) (string, error) {
	p := parameters
	p.salt = make([]byte, saltLength)
	rand.Read(p.salt)
	var err error
	if p.key, err = p.derive(ctx, password, hashLength); err != nil {
		return "", err
	}
	return p.String(), nil
}

// verifyPassword reports whether a password has a hash. If the hash is empty, because
// there is no such user, it takes as long and reports false.
func verifyPassword(ctx context.Context, hash, password string) (bool, error) {
	p := parameters
	p.salt, p.key = make([]byte, saltLength), make([]byte, hashLength)
	if hash != "" {
		stored, err := parsePHC(hash)
		if err != nil {
			return false, err
		}
		p = *stored
	}
	key, err := p.derive(ctx, password, len(p.key))
	return err == nil && hash != "" && subtle.ConstantTimeCompare(key, p.key) == 1, err
}

// NewSecret returns 256 random bits in letters, digits, "_" and "-", for addresses and
// cookies.
func NewSecret() string {
	var b [32]byte
	rand.Read(b[:])
	return base64.RawURLEncoding.EncodeToString(b[:])
}

// HashSecret returns what is stored of a secret of NewSecret. It needs no salt and no
// slow function, because nobody can guess 256 bits.
func HashSecret(secret string) []byte {
	sum := sha256.Sum256([]byte(secret))
	return sum[:]
}
