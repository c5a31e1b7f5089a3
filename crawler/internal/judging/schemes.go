package judging

import (
	"errors"
	"fmt"
	"strings"

	"github.com/orbweaver/orbweaver/crawler/check"
	"github.com/orbweaver/orbweaver/urinorm"
)

// UncheckedScheme returns the outcome of a reference whose scheme is not fetched:
// uri-invalid if a standard defines a grammar and the reference violates it,
// scheme-unchecked for other known schemes, and scheme-unknown, with the scheme that was
// probably meant, for the rest. A well-formed mailto URI is ok; CheckMailto checks its
// domains. A tel URI that violates its grammar but has a digit is scheme-unchecked, with the
// warning uri-invalid-tel, because telephones dial it.
func UncheckedScheme(ref string) Outcome {
	ref = strings.Trim(ref, " \t\r\n\f")
	scheme, rest, ok := strings.Cut(ref, ":")
	if !ok || !isScheme(scheme) {
		return Skip(check.CodeURIInvalid, "there is no scheme before the colon")
	}
	scheme = strings.ToLower(scheme)
	if isHostAndPort(scheme, rest) {
		return Skip(check.CodeSchemeUnknown, fmt.Sprintf("%s looks like a host with its port; write https:// before it", quoteName(scheme+":"+port(rest))))
	}
	switch {
	case !urinorm.KnownScheme(scheme):
		return Skip(check.CodeSchemeUnknown, unknownScheme(scheme, rest))
	case urinorm.FetchableScheme(scheme):
		return Skip(check.CodeSchemeUnchecked, scheme+": addresses are not fetched in this run")
	case !urinorm.CheckableScheme(scheme):
		return Skip(check.CodeSchemeUnchecked, scheme+": addresses are not checked")
	}
	err := urinorm.CheckSyntax(scheme, rest)
	switch {
	case scheme == "tel":
		return telephone(rest, err)
	case err != nil:
		return Invalid(err)
	case scheme == "mailto":
		return Outcome{Code: check.CodeOK, Size: -1}
	}
	return Skip(check.CodeSchemeUnchecked, "only the syntax of "+scheme+": addresses is checked, and it is valid")
}

// telephone returns the outcome of a tel URI, of which rest follows the colon. Telephones dial many
// numbers that RFC 3966 does not allow, so err, which is from the check of the syntax, is only a
// warning, unless nothing before the parameters is a digit.
func telephone(rest string, err error) Outcome {
	switch number, _, _ := strings.Cut(rest, ";"); {
	case err != nil && !strings.ContainsAny(number, "0123456789"):
		return Invalid(err)
	case err == nil:
		return Skip(check.CodeSchemeUnchecked, "only the syntax of tel: addresses is checked, and it is valid")
	}
	o := Skip(check.CodeSchemeUnchecked, "tel: addresses are not checked")
	o.Warn(check.Warning{Code: CodeURIInvalidTel, Message: Invalid(err).Message})
	return o
}

// Invalid returns the outcome uri-invalid for an error of package urinorm. The message is
// the cause alone, because every report shows the reference next to it.
func Invalid(err error) Outcome {
	var syntax *urinorm.SyntaxError
	if errors.As(err, &syntax) {
		return Skip(check.CodeURIInvalid, fmt.Sprintf("%s (%s)", syntax.Reason, syntax.Standard))
	}
	var parse *urinorm.Error
	if errors.As(err, &parse) && parse.Err != nil {
		return Skip(check.CodeURIInvalid, parse.Err.Error())
	}
	return Skip(check.CodeURIInvalid, "the reference cannot be read as a URI")
}

func unknownScheme(scheme, rest string) string {
	if len(scheme) == 1 && (strings.HasPrefix(rest, `\`) || strings.HasPrefix(rest, "/")) {
		return fmt.Sprintf("%s looks like a Windows drive; link to the published address", quoteName(scheme+":"))
	}
	message := "the scheme " + quoteName(scheme) + " is unknown"
	if near, ok := urinorm.NearestScheme(scheme); ok {
		return message + "; did you mean " + quoteName(near) + "?"
	}
	return message
}

// isScheme reports whether s is a scheme: ALPHA *( ALPHA / DIGIT / "+" / "-" / "." ), RFC 3986 3.1.
func isScheme(s string) bool {
	for i := range len(s) {
		switch c := s[i] | 0x20; {
		case c >= 'a' && c <= 'z':
		case i > 0 && (s[i] >= '0' && s[i] <= '9' || s[i] == '+' || s[i] == '-' || s[i] == '.'):
		default:
			return false
		}
	}
	return s != ""
}

// isHostAndPort reports whether a reference such as "localhost:8080/page" is a host with
// its port: the scheme is not registered, and a port follows the colon.
func isHostAndPort(scheme, rest string) bool {
	if urinorm.IsRegistered(scheme) || strings.Contains(scheme, "+") {
		return false
	}
	digits := port(rest)
	if len(digits) == 0 || len(digits) > len("65535") {
		return false
	}
	return len(digits) == len(rest) || strings.IndexByte("/?#", rest[len(digits)]) >= 0
}

func port(rest string) string {
	return rest[:len(rest)-len(strings.TrimLeft(rest, "0123456789"))]
}
