package check

import (
	"fmt"
	"net/http"
	"strings"
)

// statusRow holds the texts of one status.
type statusRow struct {
	status              int
	title               string
	explanation, advice string
}

// statusRows are the statuses in use, officially registered or not, in ascending
// order. A status without a row gets the text of its class (RFC 9110
// section 15: an unknown status is treated as the x00 of its class).
var statusRows = [...]statusRow{
	{304, "not modified", "The server says that nothing has changed, although the request was not conditional. There is no content that a reader could see.",
		"Check the caches and proxies in front of the server: one of them answers a plain request as if it were conditional."},
	{400, "bad request", "The server could not understand the request. For a link this nearly always means that the URL itself is malformed.",
		"Compare the link with the address that a browser shows for the page, above all its %-escapes and its query."},
	{401, "authentication required", "The server asks for a name and a password. On your own site, readers are asked for them, too; on other sites, the page may exist for readers with an account.",
		"Give credentials with --user or --netrc, or accept the status with --accept 401 or a rule."},
	{402, "payment required", "The server asks for a payment before it shows the page.",
		"Link to a page that every reader can open, or accept the status with a rule."},
	{403, "forbidden", "The server understood the request and refuses it. Your own site should let readers in. Other sites often refuse programs and let people in, so their refusal proves nothing.",
		"Open the link in a browser. If it works there, accept the status for this host with a rule; otherwise replace the link."},
	{404, "not found", "The server has no page at this address. The page was moved, renamed or deleted, or the link has a typing error.",
		"Correct the address, link to the page's new address, or remove the link."},
	{405, "method not allowed", "The server does not allow GET requests for this address, but that is the request that a reader's click sends.",
		"Link to a page instead of an address for programs, or remove the link."},
	{406, "not acceptable", "The server has no version of this page that matches the usual request headers of a browser.",
		"Open the link in a browser; if it works there, accept the status for this host with a rule."},
	{407, "proxy authentication required", "A proxy between the checker and the server asks for a name and a password.",
		"Write the credentials into the --proxy URL or the proxy variables of the environment."},
	{408, "request timeout", "The server stopped waiting for the request, even after the retries.",
		"Try again later, or with a lower --concurrency."},
	{409, "conflict", "The server says that the request conflicts with the state of the page. A plain link should never cause that.",
		"Link to a page instead of an address for programs."},
	{410, "gone", "The server says that the page was removed permanently.",
		"Replace or remove the link."},
	{414, "address too long", "The URL is too long for the server.",
		"Shorten the link, usually its query."},
	{416, "range not satisfiable", "The server rejects the requested part of the file, usually because the file is empty.",
		"Check whether the file has any content."},
	{418, "I'm a teapot", "A joke status that some servers use to refuse programs.",
		"Open the link in a browser; if it works there, accept the status for this host with a rule."},
	{421, "misdirected request", "The request reached a server that does not answer for this host name.",
		"Check the certificate and the host configuration of the server."},
	{422, "content not processable", "The server understood the request, but rejects its values, usually those in the query.",
		"Correct the query of the link."},
	{423, "locked", "The page is locked.",
		"Try the link later, or link to another page."},
	{425, "too early", "The server did not want to answer on such a new connection, even after the retries.",
		"Try again later."},
	{426, "upgrade required", "The server requires another protocol.",
		"Open the link in a browser; if it works there, accept the status for this host with a rule."},
	{428, "precondition required", "The server answers only conditional requests, and a reader's click does not send one.",
		"Link to a page instead of an address for programs."},
	{429, "too many requests", "The server limits the number of requests, and did so until the end of the run. The check cannot tell whether the page exists.",
		"Set a lower --rate or a longer --delay, or raise --max-wait so that the server's Retry-After can be obeyed."},
	{431, "request headers too large", "The request's headers are too large for the server, often because of cookies.",
		"Check the cookies and headers given to the run."},
	{451, "unavailable for legal reasons", "The server may not show the page here, by law or by a court's order. Readers in other places may see it.",
		"Decide whether your readers can use the link. If so, accept the status with a rule."},
	{499, "client closed request", "A proxy gave up before the server behind it answered.",
		"Check the server's time limits."},
	{500, "internal server error", "The server failed to make the page, each time it was asked.",
		"On your own site, check the server's log. For other sites, try again later, then replace the link."},
	{501, "not implemented", "The server does not support the request, although it is a plain GET.",
		"Replace the link. On your own site, check the server's log."},
	{502, "bad gateway", "A proxy got no usable answer from the server behind it.",
		"On your own site, check the server behind the proxy. For other sites, try again later."},
	{503, "service unavailable", "The server is overloaded or closed for maintenance, and was so until the end of the run.",
		"Try again later. On your own site, check the server's load."},
	{504, "gateway timeout", "A proxy waited too long for the server behind it.",
		"Try again later. On your own site, check the server behind the proxy."},
	{505, "HTTP version not supported", "The server does not support the HTTP version of the request.",
		"Update the server, or replace the link."},
	{507, "insufficient storage", "The server has no storage left.",
		"On your own site, free storage on the server. For other sites, try again later."},
	{508, "loop detected", "The server ran into an infinite loop while it made the page.",
		"Replace the link. On your own site, check the server's log."},
	{511, "network authentication required", "The network of this computer requires a sign-in first, as guest networks do. The request never reached the server.",
		"Sign in to the network, or use another one."},
	{520, "unknown error from the origin", "Cloudflare could not use the answer of the server behind it.",
		"On your own site, check the server behind Cloudflare. For other sites, try again later."},
	{521, "origin is down", "The server behind Cloudflare refused the connection.",
		"On your own site, start the server or let Cloudflare connect to it. For other sites, try again later."},
	{522, "connection to the origin timed out", "Cloudflare could not connect to the server behind it.",
		"On your own site, check the server and its firewall. For other sites, try again later."},
	{523, "origin is unreachable", "Cloudflare could not reach the server behind it.",
		"On your own site, check the server's address in the DNS. For other sites, try again later."},
	{524, "origin took too long", "Cloudflare connected to the server behind it, but got no answer in time.",
		"On your own site, find out why the page is slow. For other sites, try again later."},
	{525, "TLS handshake with the origin failed", "Cloudflare could not set up TLS with the server behind it.",
		"On your own site, check the certificate and TLS settings of the server."},
	{526, "invalid certificate at the origin", "Cloudflare does not trust the certificate of the server behind it.",
		"On your own site, renew the certificate of the server."},
	{530, "origin name not resolved", "Cloudflare could not look up the name of the server behind it.",
		"On your own site, check the server's name in the DNS. For other sites, replace the link."},
	{999, "request denied", "LinkedIn and a few others answer programs with this unofficial status, whether the page exists or not.",
		"Open the link in a browser, and skip the host with --exclude if you trust it."},
}

// StatusTitle returns a status's reason in lower case, as far as one is known.
func StatusTitle(status int) string {
	for i := range statusRows {
		if statusRows[i].status == status {
			return statusRows[i].title
		}
	}
	if text := http.StatusText(status); text != "" {
		return strings.ToLower(text)
	}
	return ""
}

// statusEntry returns the entry of a status, with the texts of its row or else of its
// class.
func statusEntry(status int) Entry {
	e := Entry{
		Code:     HTTPCode(status),
		Title:    fmt.Sprintf("status %d", status),
		number:   unnumbered,
		Severity: SeverityError,
		Internal: judgeStatus(status, true),
		External: judgeStatus(status, false),
		Example:  fmt.Sprintf("https://example.com/page answers %d", status),
	}
	if title := StatusTitle(status); title != "" {
		e.Title = fmt.Sprintf("%d %s", status, title)
	}
	if e.Internal == Unverified {
		e.Severity = SeverityWarning
	}
	for i := range statusRows {
		if statusRows[i].status == status {
			e.Explanation, e.Advice = statusRows[i].explanation, statusRows[i].advice
			return e
		}
	}
	switch {
	case status < 200:
		e.Explanation = "The server sent an interim answer, but never the final one."
		e.Advice = "Check the server or proxy: an answer with a status below 200 must be followed by another one."
	case status < 300:
		e.Explanation = "The server answered the request; a status of this class counts as ok."
		e.Advice = "Nothing needs to be done."
	case status < 400:
		e.Explanation = "The server refers to another address."
		e.Advice = "Link to the address at the end of the redirects."
	case status < 500:
		e.Explanation = "The server says that the request is wrong, which for a link means its address."
		e.Advice = "Open the link in a browser. If it works there, accept the status with a rule; otherwise correct or remove the link."
	case status < 600:
		e.Explanation = "The server failed to answer the request, each time it was asked."
		e.Advice = "On your own site, check the server's log. For other sites, try again later, then replace the link."
	default:
		e.Explanation = "HTTP does not define this status; it is treated as a server error (RFC 9110 section 15)."
		e.Advice = "Open the link in a browser; if it works there, accept the status for this host with a rule."
	}
	return e
}

// judgeStatus returns the verdict on a status after the retries.
func judgeStatus(status int, ours bool) Verdict {
	side := func(internal, external Verdict) Verdict {
		if ours {
			return internal
		}
		return external
	}
	switch status {
	case 401, 403, 407, 418, 451, 999:
		return side(Broken, Unverified) // servers refuse programs where they let readers in
	case 408, 425, 429:
		return Unverified
	case 502, 503, 504:
		return side(Broken, Unverified)
	}
	switch {
	case status >= 200 && status <= 299:
		return OK
	case status >= 520 && status <= 529: // a CDN could not reach the site, perhaps temporarily
		return side(Broken, Unverified)
	default: // other 4xx; 500, 501, 505 and other 5xx; invalid statuses
		return Broken
	}
}
