package urinorm

import (
	"errors"
	"strconv"
	"strings"
	"unicode/utf8"
)

// The causes an [Error] can wrap. Each names the part that no mending could
// save; errors.Is tells them apart.
var (
	// ErrTooLong is a reference longer than [MaxReference] bytes.
	ErrTooLong = errors.New("reference is too long")
	// ErrRelative is a relative reference without a base it could be resolved
	// against: none was given, or its path is opaque (URL Standard 4.4, scheme
	// state and no scheme state).
	ErrRelative = errors.New("relative reference without a usable base")
	// ErrHost is a host that is missing where the scheme needs one, or that holds
	// a code point no host may hold (URL Standard 3.1).
	ErrHost = errors.New("host is missing or invalid")
	// ErrIPv4 is a host that ends in a number and is no IPv4 address (3.5).
	ErrIPv4 = errors.New("host ends in a number but is no IPv4 address")
	// ErrIPv6 is a bracketed host that is no IPv6 address (3.5).
	ErrIPv6 = errors.New("host in brackets is no IPv6 address")
	// ErrDomain is a host name that Unicode IDNA processing rejects (3.3).
	ErrDomain = errors.New("host is no valid internationalized domain name")
	// ErrPort is a port that is no number from 0 to 65535.
	ErrPort = errors.New("port is no number from 0 to 65535")
	// ErrCharset is the name of an encoding that the Encoding Standard does not know.
	ErrCharset = errors.New("unknown character encoding")
)

// Error says what could not be done to which input, and why.
type Error struct {
	Op    string // "parse", "resolve", …
	Input string // the object, passwords removed and shortened
	Err   error  // the cause
}

// Error says operation, object and cause.
func (e *Error) Error() string {
	return e.Op + " " + strconv.Quote(e.Input) + ": " + e.Err.Error()
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// maxShown is how much of an input an error repeats, in bytes.
const maxShown = 200

// newError builds the Error for an input, which it redacts and shortens.
func newError(op, input string, err error) *Error {
	return &Error{Op: op, Input: shorten(input), Err: err}
}

// shorten makes an input fit to be shown: without passwords, and cut in the
// middle of nothing but a run of whole characters. The password is looked for
// in the whole input, as the cut could hide the '@' that gives it away.
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
