package urinorm

import (
	"errors"
	"strconv"
	"strings"
	"unicode/utf8"
)

// The causes that an [Error] wraps. errors.Is distinguishes them.
var (
	// ErrTooLong: a reference is longer than [MaxReference] bytes.
	ErrTooLong = errors.New("reference is too long")
	// ErrRelative: a relative reference has no base, or one with an opaque path
	// (URL Standard 4.4, scheme state and no scheme state).
	ErrRelative = errors.New("relative reference without a usable base")
	// ErrHost: a host is missing where the scheme needs one, or contains a forbidden
	// code point (URL Standard 3.1).
	ErrHost = errors.New("host is missing or invalid")
	// ErrIPv4: a host ends in a number but is not an IPv4 address (3.5).
	ErrIPv4 = errors.New("host ends in a number but is not an IPv4 address")
	// ErrIPv6: a host in brackets is not an IPv6 address (3.5).
	ErrIPv6 = errors.New("host in brackets is not an IPv6 address")
	// ErrDomain: Unicode IDNA processing rejects a host name (3.3).
	ErrDomain = errors.New("host is not a valid internationalized domain name")
	// ErrPort: a port is not a number from 0 to 65535.
	ErrPort = errors.New("port is not a number from 0 to 65535")
	// ErrCharset: the Encoding Standard has no encoding with this label.
	ErrCharset = errors.New("unknown character encoding")
)

// Error reports an operation that failed, its input and the cause.
type Error struct {
	op    string // "parse", "resolve", …
	input string // redacted (see [Redact]) and shortened
	Err   error  // the cause
}

// Error returns the operation, the quoted input and the cause.
func (e *Error) Error() string {
	return e.op + " " + strconv.Quote(e.input) + ": " + e.Err.Error()
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// maxShown limits the input in an error, in bytes.
const maxShown = 200

// newError returns an Error whose input is redacted and shortened.
func newError(op, input string, err error) *Error {
	return &Error{op: op, input: shorten(input), Err: err}
}

// shorten redacts an input and cuts it to maxShown bytes, between characters. It
// redacts first, as the cut could remove the '@' that marks a password.
func shorten(input string) string {
	shown := Redact(input)
	if len(shown) <= maxShown {
		return shown
	}
	cut := maxShown
	for cut > 0 && !utf8.RuneStart(shown[cut]) {
		cut--
	}
	return strings.Clone(shown[:cut]) + "…"
}
