package api

import "fmt"

// Problem is an error answer (RFC 9457).
type Problem struct {
	Type   string  `json:"type"`
	Title  string  `json:"title"`
	Status int     `json:"status"`
	Detail string  `json:"detail"`
	Errors []Fault `json:"errors,omitempty"` // of status 422
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
	return &Problem{Type: "orbweaver:" + t[0], Title: t[1], Status: status, Detail: fmt.Sprintf(format, args...)}
}

// Invalid returns the problem for fields that are wrong, of which there is at least one.
func Invalid(faults ...Fault) *Problem {
	p := NewProblem(422, "%s", faults[0].Message)
	p.Errors = faults
	return p
}
