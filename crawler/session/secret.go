package session

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"html"
	"io"
	"net/url"
	"regexp"
	"slices"
	"strings"
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

// shortestSecret is the length of the shortest secret that can be told from other words, in
// bytes.
const shortestSecret = 4

// hide replaces secrets in a text from the site, also encoded ones. A text that repeats a
// secret too short to be told from other words is dropped.
func hide(text string, secrets ...Secret) string {
	for _, s := range secrets {
		word := s.Reveal()
		if word == "" {
			continue
		}
		for _, form := range spellings(word) {
			switch {
			case !strings.Contains(text, form):
			case len(word) < shortestSecret:
				return ""
			default:
				text = strings.ReplaceAll(text, form, hidden)
			}
		}
	}
	return text
}

// spellings returns a text as it is and in the encodings in which a page or a URL may repeat
// it, the longest first.
func spellings(word string) []string {
	quoted, _ := json.Marshal(word) // it is a string: there is no error
	list := []string{word, strings.Join(strings.Fields(word), " "), url.QueryEscape(word), url.PathEscape(word), html.EscapeString(word),
		strings.Trim(string(quoted), `"`), base64.RawStdEncoding.EncodeToString([]byte(word)), base64.RawURLEncoding.EncodeToString([]byte(word))}
	for _, escaped := range list[2:4] {
		list = append(list, percentEncoded.ReplaceAllStringFunc(escaped, strings.ToLower))
	}
	slices.SortStableFunc(list, func(a, b string) int { return len(b) - len(a) })
	return list
}

// percentEncoded matches percent-encoded bytes.
var percentEncoded = regexp.MustCompile("%[0-9A-F]{2}")
