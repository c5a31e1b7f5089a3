package formlogin

import (
	"fmt"

	"github.com/orbweaver/orbweaver/crawler/internal/judging"
	"github.com/orbweaver/orbweaver/crawler/session"
)

func failed(format string, args ...any) *session.Failure {
	return &session.Failure{Code: judging.CodeLoginFailed, Message: fmt.Sprintf(format, args...)}
}

func refused(format string, args ...any) *session.Failure {
	return &session.Failure{Code: judging.CodeLoginFailed, Message: fmt.Sprintf(format, args...), Refused: true}
}

func formMissing(format string, args ...any) *session.Failure {
	return &session.Failure{Code: judging.CodeLoginFormMissing, Message: fmt.Sprintf(format, args...)}
}

func challenge(format string, args ...any) *session.Failure {
	return &session.Failure{Code: judging.CodeLoginChallenge, Message: fmt.Sprintf(format, args...)}
}
