package check

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"github.com/agext/levenshtein"
)

// Code names one kind of finding; it is a row of the table in codes_table.go,
// or "http-" with a status, whose texts are made from the table in
// codes_http.go. Codes are part of the contract: scripts are written against
// them, so a code is never renamed or given another meaning.
//
// How messages read, here and wherever the package speaks of a single target:
// lower case, no full stop, the thing first, then what happened or what to do
// ("the certificate expired on 2 January 2026"). Titles follow the same rule;
// explanations and advice are whole sentences, as they are read on their own.
type Code string

// The verdict codes, in the order of the contract's table.
const (
	CodeOK                Code = "ok"
	CodeBotWall           Code = "bot-wall"
	CodeRateLimited       Code = "rate-limited"
	CodeRedirectLoop      Code = "redirect-loop"
	CodeRedirectLimit     Code = "redirect-limit"
	CodeRedirectInvalid   Code = "redirect-invalid"
	CodeDNSNotFound       Code = "dns-not-found"
	CodeDNSFailure        Code = "dns-failure"
	CodeConnectRefused    Code = "connect-refused"
	CodeConnectionReset   Code = "connection-reset"
	CodeTimeout           Code = "timeout"
	CodeTLSExpired        Code = "tls-expired"
	CodeTLSHostname       Code = "tls-hostname"
	CodeTLSUntrusted      Code = "tls-untrusted"
	CodeTLSError          Code = "tls-error"
	CodeProtocolError     Code = "protocol-error"
	CodeBodyTruncated     Code = "body-truncated" // a warning too
	CodeFragmentMissing   Code = "fragment-missing"
	CodeFragmentUnproven  Code = "fragment-unverified"
	CodeURIInvalid        Code = "uri-invalid"
	CodeSchemeUnknown     Code = "scheme-unknown"
	CodeSchemeUnchecked   Code = "scheme-unchecked"
	CodeFileMissing       Code = "file-missing"
	CodeFileCase          Code = "file-case"
	CodeFileOutsideRoot   Code = "file-outside-root"
	CodeFileUnreadable    Code = "file-unreadable"
	CodeFileFromWeb       Code = "file-from-web"
	CodeRobotsDisallowed  Code = "robots-disallowed"
	CodeExcluded          Code = "excluded"
	CodeExternal          Code = "external"
	CodeLimit             Code = "limit"
	CodeInterrupted       Code = "interrupted"
	CodePortBlocked       Code = "port-blocked"
	CodeAddressDenied     Code = "address-denied"
	codeHTTPFamily        Code = "http-NNN"
	httpPrefix                 = "http-"
	lowestStatus               = 100
	highestStatus              = 999
	nearestMaxInputLength      = 64
)

// The warnings an ok target may carry.
const (
	CodeRedirectPermanent   Code = "redirect-permanent"
	CodeRedirectTemporary   Code = "redirect-temporary"
	CodeRedirectToRoot      Code = "redirect-to-root"
	CodeRedirectToLogin     Code = "redirect-to-login"
	CodeRedirectToOtherSite Code = "redirect-to-other-site"
	CodeSoftNotFound        Code = "soft-404"
	CodeTLSIncompleteChain  Code = "tls-incomplete-chain"
	CodeTLSExpiresSoon      Code = "tls-expires-soon"
	CodeInsecureHTTP        Code = "insecure-http"
	CodeMixedContent        Code = "mixed-content"
	CodeURIRepaired         Code = "uri-repaired"
	CodeURICredentials      Code = "uri-credentials"
	CodeURIMisleading       Code = "uri-misleading-userinfo"
	CodeURIObfuscatedIP     Code = "uri-obfuscated-ip"
	CodeFragmentDuplicate   Code = "fragment-duplicate"
	CodeNoMX                Code = "no-mx"
	CodeOutsideBase         Code = "outside-base"
	CodeContentTypeMismatch Code = "content-type-mismatch"
)

// CodeRedirect is the Code of an Outcome whose Next answers for it. It is no
// finding, has no row, and is never the code of a Judgement.
const CodeRedirect Code = "redirect"

// HTTPCode returns the code of a status: "http-404".
func HTTPCode(status int) Code { return Code(httpPrefix + strconv.Itoa(status)) }

// Status returns the status a code of the http family names.
func (c Code) Status() (status int, ok bool) {
	digits, ok := strings.CutPrefix(string(c), httpPrefix)
	if !ok || len(digits) != 3 {
		return 0, false
	}
	for i := range len(digits) {
		if digits[i] < '0' || digits[i] > '9' {
			return 0, false
		}
		status = status*10 + int(digits[i]-'0')
	}
	return status, status >= lowestStatus
}

// Severity says how bad a finding can be at its worst. The verdict on a target
// is what counts in a run; the severity is what lists and rule catalogues show.
type Severity uint8

const (
	// SeverityInfo is worth knowing and asks for nothing.
	SeverityInfo Severity = iota
	// SeverityWarning asks a person to look.
	SeverityWarning
	// SeverityError is a link that no reader can use.
	SeverityError
)

var severityNames = [...]string{"info", "warning", "error"}

func (s Severity) String() string { return severityNames[s] }

// MarshalText writes the severity's name.
func (s Severity) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// Entry is what there is to say about a code.
type Entry struct {
	Code        Code     `json:"code"`
	Title       string   `json:"title"` // a few words, lower case
	Severity    Severity `json:"severity"`
	Explanation string   `json:"explanation"` // what it means, in plain sentences
	Advice      string   `json:"advice"`      // what to do
	Example     string   `json:"example"`
}

// OfPage reports whether a warning is about a page's content or its server, not
// about a way to it: it is told once, with the page itself, however many links
// lead there.
func OfPage(c Code) bool {
	switch c {
	case CodeFragmentDuplicate, CodeBodyTruncated, CodeTLSExpiresSoon, CodeTLSIncompleteChain:
		return true
	}
	return false
}

// All returns the table, in the order of the contract. The http family is one
// row, "http-NNN"; Lookup gives each status its own texts.
func All() []Entry { return slices.Clone(entries[:]) }

// Lookup returns the entry of a code. Every status from 100 to 999 has one,
// known to us or not.
func Lookup(c Code) (Entry, bool) {
	if status, ok := c.Status(); ok {
		return statusEntry(status), true
	}
	for i := range entries {
		if entries[i].Code == c {
			return entries[i], true
		}
	}
	return Entry{}, false
}

// Nearest returns the code that was probably meant by a mistyped one, "404" and
// "http404" included. It reports false when nothing is close.
func Nearest(typed string) (Code, bool) {
	typed = strings.ToLower(strings.TrimSpace(typed))
	if typed == "" || len(typed) > nearestMaxInputLength {
		return "", false
	}
	digits := strings.TrimLeft(strings.TrimPrefix(typed, "http"), "-_ ")
	if code := Code(httpPrefix + digits); len(digits) == 3 {
		if _, ok := code.Status(); ok {
			return code, true
		}
	}
	typed = strings.NewReplacer("_", "-", " ", "-").Replace(typed)

	type candidate struct {
		code     Code
		distance int
	}
	var candidates []candidate
	consider := func(c Code) {
		candidates = append(candidates, candidate{c, levenshtein.Distance(typed, string(c), nil)})
	}
	for i := range entries {
		if entries[i].Code != codeHTTPFamily {
			consider(entries[i].Code)
		}
	}
	for i := range statusRows {
		consider(HTTPCode(statusRows[i].status))
	}
	best := slices.MinFunc(candidates, func(a, b candidate) int {
		return cmp.Or(cmp.Compare(a.distance, b.distance), cmp.Compare(a.code, b.code))
	})
	if best.distance > max(1, len(typed)/3) {
		return "", false
	}
	return best.code, true
}
