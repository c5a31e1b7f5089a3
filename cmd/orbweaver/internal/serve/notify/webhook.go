package notify

import (
	"bytes"
	"cmp"
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/orbweaver/orbweaver/crawler/fetch"
	"github.com/orbweaver/orbweaver/urinorm"
)

// SignatureHeader has the signature of a webhook's body: "sha256=" and the HMAC-SHA-256 in
// lower-case hexadecimal digits.
const SignatureHeader = "X-Orbweaver-Signature"

// Sign returns the value of SignatureHeader.
func Sign(secret string, body []byte) string {
	mac := hmac.New(sha256.New, []byte(secret))
	mac.Write(body)
	return "sha256=" + hex.EncodeToString(mac.Sum(nil))
}

// request sends a request with a body. token is a secret that no error may have.
func (s *Sender) request(ctx context.Context, out *outgoing, body []byte, token string) (result Result, again bool) {
	u, _, err := urinorm.ParseWeb(out.url) // as it was validated
	if err != nil {
		return Result{Error: "the URL is malformed"}, false
	}
	req, err := http.NewRequestWithContext(ctx, cmp.Or(out.method, http.MethodPost), u.WithoutFragment().String(), bytes.NewReader(body))
	if err != nil {
		return Result{Error: "the URL is malformed"}, false
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("User-Agent", s.agent)
	for name, value := range out.header {
		req.Header.Set(name, value)
	}
	resp, err := s.client.Do(req)
	if err != nil {
		reason := sendError(err)
		if path := u.RequestTarget(); path != "/" {
			reason = strings.ReplaceAll(reason, path, hidden) // a server may send it back
		}
		if token != "" {
			reason = strings.ReplaceAll(reason, token, hidden[1:])
		}
		return Result{Error: reason}, !errors.Is(err, fetch.ErrAddressDenied)
	}
	defer resp.Body.Close()
	_, _ = io.CopyN(io.Discard, resp.Body, 64<<10) // the answer has no meaning, but a server may want to finish it
	result.Status = resp.StatusCode
	switch status := resp.StatusCode; {
	case status >= 200 && status < 300:
		result.Delivered = true
	case status >= 300 && status < 400:
		result.Error = fmt.Sprintf("the server answered %d: redirects are not followed", status)
	default:
		result.Error = fmt.Sprintf("the server answered %d %s", status, http.StatusText(status))
		if status == http.StatusTooManyRequests {
			result.After = retryAfter(resp.Header.Get("Retry-After"))
		}
		again = status >= 500 || status == http.StatusRequestTimeout || status == http.StatusTooEarly || status == http.StatusTooManyRequests
	}
	return result, again
}

// retryAfter returns the pause that a server asks for in seconds (RFC 9110, section 10.2.3), at most
// maxAfter.
func retryAfter(field string) time.Duration {
	seconds, err := strconv.ParseFloat(field, 64)
	if err != nil || !(seconds > 0) {
		return 0
	}
	return time.Duration(min(seconds, maxAfter.Seconds()) * float64(time.Second))
}

// sendError describes an error of a request without its URL, which may be a secret.
func sendError(err error) string {
	var dns *net.DNSError
	var timeout interface{ Timeout() bool }
	switch {
	case errors.Is(err, fetch.ErrAddressDenied):
		return "address-denied: " + fetch.ErrAddressDenied.Error()
	case errors.As(err, &dns) && dns.IsNotFound:
		return "the host name does not exist"
	case errors.As(err, &timeout) && timeout.Timeout():
		return "no answer within " + tryTime.String()
	}
	if requested, ok := errors.AsType[*url.Error](err); ok {
		err = requested.Err
	}
	return oneLine(err.Error())
}

// slackText returns an event in Slack's markup, in which & < > are escaped.
func slackText(e *Event) string {
	entities := strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;").Replace
	escape := func(s string) string { return entities(callsNobody(s)) } // Mattermost takes it, too
	var b strings.Builder
	b.WriteString("*" + escape(e.Title()) + "*\n")
	for _, p := range e.paragraphs() {
		b.WriteString(escape(p) + "\n")
	}
	list, _ := e.listed()
	list = list[:min(len(list), maxBrief)]
	for _, f := range list {
		fmt.Fprintf(&b, "• %s (%s)\n", escape(oneLine(f.URL)), escape(oneLine(f.Code)))
	}
	if more := e.total() - len(list); more > 0 {
		fmt.Fprintf(&b, "and %d more\n", more)
	}
	if e.URL != "" {
		b.WriteString("<" + entities(e.URL) + "|" + e.linkText() + ">")
	}
	return strings.TrimSuffix(b.String(), "\n")
}
