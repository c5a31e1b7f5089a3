package api

import (
	"encoding/json"
	"fmt"
	"strings"
	"unicode/utf8"
)

// Limits on a Problem, so that no answer is much larger than what was asked.
const (
	MaxFaults  = 100
	maxErrors  = 48 << 10 // bytes of all faults in JSON
	maxMessage = 1000     // characters of a detail or a message
	maxQuoted  = 200      // characters of a value that a message quotes, or of the name of a field
)

// Problem is an error answer (RFC 9457).
type Problem struct {
	Type   string  `json:"type"`
	Title  string  `json:"title"`
	Status int     `json:"status"`
	Detail string  `json:"detail"`
	Errors []Fault `json:"errors,omitempty"` // of status 422
	More   int     `json:"more,omitempty"`   // faults that are left out of Errors
	// Current is the object that somebody has changed meanwhile, of status 412.
	Current any `json:"current,omitempty"`
}

// Fault is what is wrong with one field.
type Fault struct {
	Field   string `json:"field"` // the path with dots: options.depth, targets.0
	Message string `json:"message"`
}

// Error returns the detail.
func (p *Problem) Error() string { return p.Detail }

// titles are the types and titles of problems by status. A type is a name, not an address.
var titles = map[int][2]string{
	400: {"malformed", "the request is malformed"},
	401: {"unauthorized", "sign in, or send a token"},
	403: {"forbidden", "this is not allowed"},
	404: {"not-found", "not found"},
	405: {"method-not-allowed", "the method is not allowed here"},
	409: {"conflict", "the state does not allow it"},
	408: {"gone", "the request has ended"},
	412: {"changed", "somebody has changed it meanwhile"},
	413: {"too-large", "the body is too large"},
	415: {"media-type", "the body must be JSON"},
	421: {"host", "the host is not served here"},
	422: {"invalid", "the content is not valid"},
	429: {"too-many", "too many attempts"},
	500: {"internal", "the server failed"},
	503: {"unavailable", "the server is not ready"},
	507: {"storage", "the disk is full"},
}

// NewProblem returns a problem with the usual type and title of its status.
func NewProblem(status int, format string, args ...any) *Problem {
	t, ok := titles[status]
	if !ok {
		t = [2]string{"other", "the request failed"}
	}
	return &Problem{Type: "orbweaver:" + t[0], Title: t[1], Status: status, Detail: short(fmt.Sprintf(format, args...))}
}

// Invalid returns the problem for fields that are wrong, of which there is at least one. It has the
// first MaxFaults of them, or fewer if they are long.
func Invalid(faults ...Fault) *Problem {
	p := NewProblem(422, "%s", faults[0].Message)
	size := 0
	for i, f := range faults {
		f = Fault{clip(f.Field, maxQuoted), short(f.Message)}
		text, err := json.Marshal(f)
		if size += len(text) + 1; err != nil || i == MaxFaults || size > maxErrors {
			p.More = len(faults) - i
			break
		}
		p.Errors = append(p.Errors, f)
	}
	return p
}

// short cuts a message, and the values that it quotes.
func short(message string) string {
	if len(message) <= maxQuoted {
		return message
	}
	var b strings.Builder
	for rest := message; ; {
		before, quoted, found := strings.Cut(rest, `"`)
		b.WriteString(before)
		if !found || b.Len() > maxMessage*utf8.UTFMax {
			break
		}
		end := quoteEnd(quoted)
		b.WriteString(`"` + clip(quoted[:end], maxQuoted))
		if rest = quoted[end:]; rest == "" {
			break
		}
		b.WriteByte('"')
		rest = rest[1:]
	}
	return clip(b.String(), maxMessage)
}

// quoteEnd returns the length of a quoted text up to the quote that ends it.
func quoteEnd(s string) int {
	for i := 0; i < len(s); i++ {
		switch s[i] {
		case '\\':
			i++
		case '"':
			return i
		}
	}
	return len(s)
}

// clip shortens a text to n characters and an ellipsis.
func clip(s string, n int) string {
	for i := range s {
		if n == 0 {
			return s[:i] + "…"
		}
		n--
	}
	return s
}
