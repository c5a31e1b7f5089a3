package judging

import (
	"fmt"
	"net/http"
	"strings"
	"unicode/utf8"

	"github.com/orbweaver/orbweaver/crawler/check"
	"github.com/orbweaver/orbweaver/crawler/fetch"
	"github.com/orbweaver/orbweaver/urinorm"
)

// Observe returns the Outcome of an answer's status, headers and excerpt. It does not
// read the body: what that shows is added by With.
//
// It uses the Question's Conditional, and its URL to resolve a relative Location. The
// Outcome does not depend on the reference's site or fragment.
func Observe(req Question, resp *fetch.Response) Outcome {
	o := Outcome{
		Code:        check.CodeOK,
		Status:      resp.Status,
		ContentType: fetch.MediaType(resp.ContentType),
		Size:        max(resp.Size, -1),
		Modified:    resp.Modified,
		Requests:    resp.Requests,
		Path:        resp.Path,
	}
	for _, note := range resp.Notes {
		o.Warn(check.Warning{Code: check.Code(note.Code), Message: note.Message})
	}
	return o.With(answerFacts(req, resp))
}

// answerFacts returns what an answer is, other than one with the content.
func answerFacts(req Question, resp *fetch.Response) Facts {
	status := resp.Status
	if status == 0 { // a scheme without statuses
		return Facts{}
	}
	if wall, walled := Wall(status, resp.Header, resp.Excerpt); walled {
		return wall
	}
	switch {
	case status >= 200 && status <= 299:
	case status == http.StatusSwitchingProtocols && isWebSocket(req.URL):
	case status == http.StatusNotModified:
		if !req.Conditional {
			return failed(check.HTTPCode(status), statusMessage(status)+", but the request was not conditional")
		}
	case status >= 300 && status <= 399:
		base := req.URL
		if !resp.URL.IsZero() {
			base = resp.URL // redirects were followed on the way
		}
		return redirect(status, base, resp.Location)
	case resp.Proxy != "" && status == http.StatusProxyAuthRequired:
		return failed(check.HTTPCode(status), fmt.Sprintf("the proxy %s asks for a name and a password (407)", resp.Proxy))
	case resp.Proxy != "" && status != http.StatusTooManyRequests:
		return failed(check.HTTPCode(status), fmt.Sprintf("the proxy %s answered %d (%s) in place of the server", resp.Proxy, status, check.StatusTitle(status)))
	case status == http.StatusTooManyRequests:
		return failed(check.CodeRateLimited, statusMessage(status))
	case status < 100 || status > 999:
		return failed(CodeProtocolError, fmt.Sprintf("the server answered %d, which is not a valid status", status))
	default:
		return failed(check.HTTPCode(status), statusMessage(status))
	}
	return Facts{}
}

// failed returns what went wrong.
func failed(code check.Code, message string) Facts { return Facts{Code: code, Message: message} }

// isWebSocket reports whether 101 is a regular answer for a URL: the answer to the opening
// handshake of a WebSocket (RFC 6455 4.2.2).
func isWebSocket(u urinorm.URL) bool {
	return !u.IsZero() && (u.Scheme() == "ws" || u.Scheme() == "wss")
}

// redirect returns the target of a 3xx answer as Next, or the code redirect-invalid.
//
// Browsers follow 301, 302, 303, 307 and 308. A 300, or an undefined status of this
// class, may be followed if it has a Location (RFC 9110 15.4 and 15.4.1); 305 and 306
// must not be followed (15.4.6, 15.4.7).
func redirect(status int, base urinorm.URL, location string) Facts {
	if location == "" {
		return failed(check.CodeRedirectInvalid, statusMessage(status)+" without a Location header")
	}
	next, err := resolveLocation(base, location)
	switch {
	case status == http.StatusUseProxy || status == 306:
		return failed(check.CodeRedirectInvalid, statusMessage(status)+", which browsers do not follow")
	case err != nil:
		return failed(check.CodeRedirectInvalid, fmt.Sprintf("%s with the Location %s, which is not a URL", statusMessage(status), quoteName(urinorm.Redact(location))))
	case !followable(next.Scheme()):
		return failed(check.CodeRedirectInvalid, fmt.Sprintf("%s and redirects to a %s: address, which browsers do not follow", statusMessage(status), next.Scheme()))
	}
	return Facts{Code: check.CodeRedirect, Next: next.String()}
}

// followable reports whether browsers follow a redirect to a scheme. They pass most
// schemes that they do not fetch to another program (ftp, mailto, app links).
func followable(scheme string) bool {
	switch scheme {
	case "javascript", "data", "file", "blob", "filesystem", "about", "view-source", "chrome", "resource":
		return false
	}
	return true
}

// resolveLocation resolves a Location as browsers do, like an href on the requested URL.
// In a Location that is not UTF-8, such as Latin-1, each non-ASCII byte is
// percent-encoded.
func resolveLocation(base urinorm.URL, location string) (urinorm.URL, error) {
	if !utf8.ValidString(location) {
		var b strings.Builder
		for i := range len(location) {
			if c := location[i]; c < utf8.RuneSelf {
				b.WriteByte(c)
			} else {
				fmt.Fprintf(&b, "%%%02X", c)
			}
		}
		location = b.String()
	}
	if base.IsZero() {
		u, _, err := urinorm.ParseWeb(location)
		return u, err
	}
	document, err := urinorm.NewBase(base, "")
	if err != nil {
		return urinorm.URL{}, err
	}
	u, _, err := document.Resolve(location)
	return u, err
}

func isHTML(mediaType string) bool {
	return mediaType == "text/html" || mediaType == "application/xhtml+xml"
}

// statusMessage returns what a server answered: "the server answered 404 (not found)".
func statusMessage(status int) string {
	if title := check.StatusTitle(status); title != "" {
		return fmt.Sprintf("the server answered %d (%s)", status, title)
	}
	return fmt.Sprintf("the server answered %d", status)
}
