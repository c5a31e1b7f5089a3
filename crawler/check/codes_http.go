package check

import (
	"fmt"
	"net/http"
	"strings"
)

// statusRow holds the texts of a status that has something of its own to say.
type statusRow struct {
	status              int
	title               string
	explanation, advice string
}

// statusRows are the statuses met in the wild, officially registered or not, in
// ascending order. A status without a row gets the text of its class (RFC 9110
// section 15: an unknown status is treated as the x00 of its class).
var statusRows = [...]statusRow{
	{304, "not modified", "The server says that nothing has changed, though it was not asked about changes. There is no content a reader could see.",
		"Look at the caches and proxies in front of the server: one of them answers a plain request as if it were conditional."},
	{400, "bad request", "The server could not make sense of the request. For a link this nearly always means that the URL itself is damaged.",
		"Compare the link with the address a browser shows for the page, above all its %-escapes and its query."},
	{401, "authentication needed", "The server asks for a name and a password. On your own site readers meet the same wall; elsewhere the page may well be there for those who have an account.",
		"Give credentials with --user or --netrc, or accept the status with --accept 401 or a rule."},
	{402, "payment needed", "The server wants to be paid before it shows the page.", "Link to a page that every reader can open, or accept the status with a rule."},
	{403, "forbidden", "The server understood the request and refuses it. Your own site should let a reader in; other sites often refuse programs and let people through, so there it proves nothing.",
		"Open the link in a browser. If it works there, accept the status for this host with a rule; if not, replace the link."},
	{404, "not found", "The server is there and has nothing at this address. The page was moved, renamed or deleted, or the link has a typing error.",
		"Correct the address, link to where the page went, or remove the link."},
	{405, "method not allowed", "The server does not let this address be read with GET, which is what a reader's click sends.",
		"Link to a page instead of an address made for programs, or remove the link."},
	{406, "not acceptable", "The server has no form of this page that a browser's usual request headers accept.",
		"Open the link in a browser; if it works there, accept the status for this host with a rule."},
	{407, "proxy authentication needed", "A proxy on the way asks for a name and a password.", "Put the credentials into the --proxy URL or the proxy variables of the environment."},
	{408, "request timeout", "The server gave up waiting for the request, even when it was asked again.", "Try again later, or with less --concurrency."},
	{409, "conflict", "The server finds the request at odds with the state of the page. A plain link should never cause that.", "Link to a page instead of an address made for programs."},
	{410, "gone", "The server says that the page was removed for good.", "Replace or remove the link; it will not come back."},
	{414, "address too long", "The server finds the URL too long to be read.", "Shorten the link, usually its query."},
	{416, "range not satisfiable", "The server rejects the part of the file that was asked for, usually because the file is empty.", "Look whether the file has any content."},
	{418, "I'm a teapot", "A joke status that some servers use to turn programs away.", "Open the link in a browser; if it works there, accept the status for this host with a rule."},
	{421, "misdirected request", "The request reached a server that does not answer for this host name.", "Look at the certificate and the host configuration of the server."},
	{422, "content not processable", "The server understood the request and finds its values wrong, usually those in the query.", "Correct the query of the link."},
	{423, "locked", "The page is locked.", "Open the link later, or link to another page."},
	{425, "too early", "The server did not want to answer on so new a connection, even when it was asked again.", "Try again later."},
	{426, "upgrade needed", "The server insists on another protocol.", "Open the link in a browser; if it works there, accept the status for this host with a rule."},
	{428, "precondition needed", "The server only answers conditional requests, which a reader's click is not.", "Link to a page instead of an address made for programs."},
	{429, "too many requests", "The server limits how often it may be asked, and did so until the end of the run. Whether the page is there was not told.",
		"Set a lower --rate or a longer --delay, or raise --max-wait so that the server's Retry-After can be obeyed."},
	{431, "request headers too large", "The server finds the request's headers too large, often because of cookies.", "Look at the cookies and headers given to the run."},
	{451, "unavailable for legal reasons", "The server may not show the page here, by law or by a court's order. Readers elsewhere may see it.",
		"Decide whether your readers can use the link, and accept the status with a rule if so."},
	{499, "client closed request", "A proxy gave up before the server behind it had answered.", "Look at the server's time limits."},
	{500, "internal server error", "The server failed while it made the page, and did so each time it was asked.", "On your own site look into the server's log; elsewhere try again later, then replace the link."},
	{501, "not implemented", "The server cannot do what is asked of it, not even for a plain GET.", "Replace the link, or look into the server's log if it is yours."},
	{502, "bad gateway", "A proxy got no usable answer from the server behind it.", "On your own site look at the server behind the proxy; elsewhere try again later."},
	{503, "service unavailable", "The server is overloaded or closed for maintenance, and was so until the end of the run.", "Try again later; on your own site look at its load."},
	{504, "gateway timeout", "A proxy waited too long for the server behind it.", "Try again later; on your own site look at the server behind the proxy."},
	{505, "HTTP version not supported", "The server does not speak the version of HTTP it was asked in.", "Bring the server up to date, or replace the link."},
	{507, "insufficient storage", "The server has no room left to do its work.", "Free space on the server if it is yours; else try again later."},
	{508, "loop detected", "The server went round in a circle while it made the page.", "Look into the server's log, or replace the link."},
	{511, "network authentication needed", "The network this run uses wants a sign-in first, as guest networks do; the server was never reached.", "Sign in to the network, or use another one."},
	{520, "unknown error from the origin", "Cloudflare got an answer it could not use from the server behind it.", "On your own site look at the server behind Cloudflare; elsewhere try again later."},
	{521, "origin is down", "Cloudflare was refused by the server behind it.", "On your own site start the server or let Cloudflare through; elsewhere try again later."},
	{522, "connection to the origin timed out", "Cloudflare could not connect to the server behind it.", "On your own site look at the server and its firewall; elsewhere try again later."},
	{523, "origin is unreachable", "Cloudflare found no way to the server behind it.", "On your own site look at the server's address in the DNS; elsewhere try again later."},
	{524, "origin took too long", "Cloudflare connected to the server behind it and got no answer in time.", "On your own site look at what makes the page slow; elsewhere try again later."},
	{525, "TLS handshake with the origin failed", "Cloudflare could not agree on TLS with the server behind it.", "On your own site look at the certificate and TLS settings of the server."},
	{526, "invalid certificate at the origin", "Cloudflare does not trust the certificate of the server behind it.", "On your own site renew the certificate of the server."},
	{530, "origin name not resolved", "Cloudflare could not find the server behind it.", "On your own site look at the server's name in the DNS; elsewhere replace the link."},
	{999, "request denied", "LinkedIn and a few others answer programs with this invented status, whether the page is there or not.",
		"Open the link in a browser, and skip the host with --exclude if you trust it."},
}

// statusTitle returns a status's reason in lower case, as far as one is known.
func statusTitle(status int) string {
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

// statusMessage says what a server answered: "the server answered 404 (not found)".
func statusMessage(status int) string {
	if title := statusTitle(status); title != "" {
		return fmt.Sprintf("the server answered %d (%s)", status, title)
	}
	return fmt.Sprintf("the server answered %d", status)
}

// statusEntry makes the entry of one status: from its row, else from its class.
func statusEntry(status int) Entry {
	e := Entry{
		Code:     HTTPCode(status),
		Title:    fmt.Sprintf("status %d", status),
		number:   codeLiteral,
		Severity: SeverityError,
		Internal: judgeStatus(status, true),
		External: judgeStatus(status, false),
		Example:  fmt.Sprintf("https://example.com/page answers %d", status),
	}
	if title := statusTitle(status); title != "" {
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
		e.Explanation = "The server stopped at an interim answer; the real one never came."
		e.Advice = "Look at the server or proxy: an answer below 200 must be followed by another."
	case status < 300:
		e.Explanation = "The server has answered the request; a status of this class is counted as ok."
		e.Advice = "Nothing needs to be done."
	case status < 400:
		e.Explanation = "The server points to another address."
		e.Advice = "Link to the address that answers in the end."
	case status < 500:
		e.Explanation = "The server says that the request is at fault, which for a link means its address."
		e.Advice = "Open the link in a browser; correct or remove it if it fails there too, else accept the status with a rule."
	case status < 600:
		e.Explanation = "The server failed to answer the request, and did so each time it was asked."
		e.Advice = "On your own site look into the server's log; elsewhere try again later, then replace the link."
	default:
		e.Explanation = "HTTP has no such status; it is treated as a failure of the server (RFC 9110 section 15)."
		e.Advice = "Open the link in a browser; if it works there, accept the status for this host with a rule."
	}
	return e
}
