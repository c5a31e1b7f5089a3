package session

import (
	"fmt"
	"io"
)

// Secret is a password or another text that must not be printed: every way to format or
// to marshal it gives ***. The zero value is empty.
type Secret struct {
	text *string // a pointer, so that a Secret within another value is not printed either
}

const hidden = "***"

// NewSecret returns a text as a Secret.
func NewSecret(text string) Secret {
	if text == "" {
		return Secret{}
	}
	return Secret{&text}
}

// Reveal returns the text.
func (s Secret) Reveal() string {
	if s.text == nil {
		return ""
	}
	return *s.text
}

// IsZero reports whether the text is empty.
func (s Secret) IsZero() bool { return s.text == nil }

// String returns ***.
func (s Secret) String() string { return hidden }

// GoString returns ***.
func (s Secret) GoString() string { return hidden }

// Format writes *** for every verb.
func (s Secret) Format(f fmt.State, _ rune) { io.WriteString(f, hidden) }

// MarshalText returns ***, also for JSON.
func (s Secret) MarshalText() ([]byte, error) { return []byte(hidden), nil }
