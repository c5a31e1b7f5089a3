package session

import (
	"fmt"

	"github.com/orbweaver/orbweaver/crawler/check"
	"github.com/orbweaver/orbweaver/crawler/internal/judging"
)

// A Failure says why nobody is signed in. Code is judging.CodeLoginFailed,
// judging.CodeLoginFormMissing or judging.CodeLoginChallenge.
type Failure struct {
	Code    check.Code
	Message string
	// refused is true if the site answered a form with the form again, or with an error.
	refused bool

	formless bool // the sign-in page has no form
}

// Error returns the message.
func (f *Failure) Error() string { return f.Message }

func failed(format string, args ...any) *Failure {
	return &Failure{Code: judging.CodeLoginFailed, Message: fmt.Sprintf(format, args...)}
}

func refused(format string, args ...any) *Failure {
	return &Failure{Code: judging.CodeLoginFailed, Message: fmt.Sprintf(format, args...), refused: true}
}

func formMissing(format string, args ...any) *Failure {
	return &Failure{Code: judging.CodeLoginFormMissing, Message: fmt.Sprintf(format, args...)}
}

func challenge(format string, args ...any) *Failure {
	return &Failure{Code: judging.CodeLoginChallenge, Message: fmt.Sprintf(format, args...)}
}
