// Package totp generates time-based one-time codes.
package totp

import (
	"crypto"
	"crypto/hmac"
	_ "crypto/sha1"
	_ "crypto/sha256"
	_ "crypto/sha512"
	"encoding/base32"
	"encoding/binary"
	"errors"
	"fmt"
	"net/url"
	"strconv"
	"strings"
	"time"
)

// Codes generates time-based one-time codes (RFC 6238). The algorithm is short and
// has test vectors; a library for it would add the drawing of QR codes.
type Codes struct {
	key    []byte
	digits int
	period time.Duration
	hash   crypto.Hash
	last   uint64 // the time step of the last code
}

// New reads a key in base32, or an otpauth://totp/ URL as QR codes contain it.
// Errors do not repeat the key.
func New(secret string) (*Codes, error) {
	c := &Codes{digits: 6, period: 30 * time.Second, hash: crypto.SHA1}
	text := strings.TrimSpace(secret)
	if strings.HasPrefix(strings.ToLower(text), "otpauth:") {
		u, err := url.Parse(text)
		if err != nil || !strings.EqualFold(u.Host, "totp") {
			return nil, errors.New("use a key in base32, or an otpauth://totp/ URL")
		}
		q := u.Query()
		text = q.Get("secret")
		if digits := q.Get("digits"); digits != "" {
			if c.digits, err = strconv.Atoi(digits); err != nil || c.digits < 6 || c.digits > 8 {
				return nil, errors.New("digits must be 6, 7 or 8")
			}
		}
		if period := q.Get("period"); period != "" {
			seconds, err := strconv.Atoi(period)
			if err != nil || seconds < 1 || seconds > 3600 {
				return nil, errors.New("period must be a number of seconds from 1 to 3600")
			}
			c.period = time.Duration(seconds) * time.Second
		}
		switch strings.ToUpper(q.Get("algorithm")) {
		case "", "SHA1":
		case "SHA256":
			c.hash = crypto.SHA256
		case "SHA512":
			c.hash = crypto.SHA512
		default:
			return nil, errors.New("algorithm must be SHA1, SHA256 or SHA512")
		}
	}
	text = strings.TrimRight(strings.ToUpper(strings.NewReplacer(" ", "", "-", "").Replace(text)), "=")
	key, err := base32.StdEncoding.WithPadding(base32.NoPadding).DecodeString(text)
	if err != nil || len(key) == 0 {
		return nil, errors.New("use a key in base32, or an otpauth://totp/ URL")
	}
	c.key = key
	return c, nil
}

// Next returns the code at a time. Servers accept a code only once (RFC 6238 section 5.2),
// but also that of the step before or after: within the step of the last code, the code of
// the following step is returned.
func (c *Codes) Next(now time.Time) string {
	step := uint64(now.Unix()) / uint64(c.period/time.Second)
	if step <= c.last {
		step = c.last + 1
	}
	c.last = step
	return c.at(step)
}

// at returns the code of a time step (RFC 4226 section 5.3).
func (c *Codes) at(step uint64) string {
	mac := hmac.New(c.hash.New, c.key)
	mac.Write(binary.BigEndian.AppendUint64(nil, step))
	sum := mac.Sum(nil)
	offset := sum[len(sum)-1] & 0xF
	number := uint64(binary.BigEndian.Uint32(sum[offset:]) & 0x7FFFFFFF)
	modulus := uint64(1)
	for range c.digits {
		modulus *= 10
	}
	return fmt.Sprintf("%0*d", c.digits, number%modulus)
}
