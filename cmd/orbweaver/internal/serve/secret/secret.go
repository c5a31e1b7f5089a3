// Package secret encrypts the secrets that the web interface must be able to use again:
// passwords and header fields of projects, keys of webhooks. They are written and used, but
// never shown.
//
// The key is a file of the data directory, not of the database: a copy of the database
// alone gives no secret away. Each value is encrypted with ChaCha20-Poly1305 under a nonce of
// its own (XChaCha20-Poly1305, 192 bits), and bound to the place it was written for, so that
// a value cannot be moved to another project.
package secret

import (
	"crypto/cipher"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"golang.org/x/crypto/chacha20poly1305"
)

// Shown stands for a secret wherever it would be shown. Sending it back keeps the secret.
const Shown = "***"

// keyFile is the name of the file in the data directory that holds the key.
const keyFile = "secret"

// Box encrypts and decrypts secrets. It is safe for concurrent use.
type Box struct{ aead cipher.AEAD }

// Open returns the Box of a data directory. It creates the key if the directory has none.
func Open(dir string) (*Box, error) {
	name := filepath.Join(dir, keyFile)
	key, err := readKey(name)
	if errors.Is(err, os.ErrNotExist) {
		if err = createKey(dir, name); err == nil || errors.Is(err, os.ErrExist) {
			key, err = readKey(name)
		}
	}
	if err != nil {
		return nil, err
	}
	aead, err := chacha20poly1305.NewX(key)
	if err != nil {
		return nil, err
	}
	return &Box{aead}, nil
}

func readKey(name string) ([]byte, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, fmt.Errorf("read the key of the secrets: %w", err)
	}
	defer f.Close()
	key, err := io.ReadAll(io.LimitReader(f, chacha20poly1305.KeySize+1))
	if err != nil {
		return nil, fmt.Errorf("read the key of the secrets: %w", err)
	}
	if len(key) != chacha20poly1305.KeySize {
		return nil, fmt.Errorf("read the key of the secrets: %s is damaged: restore it from a backup, or remove it and enter the secrets again", name)
	}
	return key, nil
}

// createKey writes a new key. Several processes may do so at once; one of them succeeds,
// and no other ever sees a part of a key.
func createKey(dir, name string) error {
	f, err := os.CreateTemp(dir, keyFile+"-*") // with mode 0600
	if err != nil {
		return fmt.Errorf("create the key of the secrets: %w", err)
	}
	defer os.Remove(f.Name())
	defer f.Close()
	key := make([]byte, chacha20poly1305.KeySize)
	rand.Read(key)
	if _, err := f.Write(key); err != nil {
		return fmt.Errorf("create the key of the secrets: %w", err)
	}
	if err := errors.Join(f.Sync(), f.Close()); err != nil {
		return fmt.Errorf("create the key of the secrets: %w", err)
	}
	err = os.Link(f.Name(), name)
	if err != nil && !errors.Is(err, os.ErrExist) {
		err = os.Rename(f.Name(), name) // a file system without hard links
	}
	if err != nil {
		return fmt.Errorf("create the key of the secrets: %w", err)
	}
	return nil
}

// Seal encrypts a secret. place says what it is for, such as "project p1 header"; Open
// needs the same.
func (b *Box) Seal(place, secret string) []byte {
	nonce := make([]byte, b.aead.NonceSize(), b.aead.NonceSize()+len(secret)+b.aead.Overhead())
	rand.Read(nonce)
	return b.aead.Seal(nonce, nonce, []byte(secret), []byte(place))
}

// Open decrypts what Seal returned for the same place.
func (b *Box) Open(place string, sealed []byte) (string, error) {
	if len(sealed) < b.aead.NonceSize() {
		return "", errUnreadable
	}
	n := b.aead.NonceSize()
	secret, err := b.aead.Open(nil, sealed[:n], sealed[n:], []byte(place))
	if err != nil {
		return "", errUnreadable
	}
	return string(secret), nil
}

var errUnreadable = errors.New("a stored secret cannot be decrypted with the key of the data directory: enter it again")
