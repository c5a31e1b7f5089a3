package migrate

import (
	"cmp"
	"fmt"
	"maps"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// lcError is an error of LinkChecker: its message, and the code that the same error has here.
type lcError struct{ message, code string }

// lcErrors are the messages for what is not an HTTP status. LinkChecker prints the name of an
// exception of Python, and its text.
var lcErrors = []lcError{
	{"ConnectionError: HTTPSConnectionPool(host='example.com', port=443): Max retries exceeded with url: / (Caused by NameResolutionError(\"Failed to resolve 'example.com' ([Errno -2] Name or service not known)\"))", "dns-not-found"},
	{"ConnectionError: HTTPSConnectionPool(host='example.com', port=443): Max retries exceeded with url: / (Caused by NameResolutionError(\"Failed to resolve 'example.com' ([Errno -3] Temporary failure in name resolution)\"))", "dns-failure"},
	{"ConnectionError: HTTPConnectionPool(host='example.com', port=80): Max retries exceeded with url: / (Caused by NewConnectionError('[Errno 111] Connection refused'))", "connect-refused"},
	{"ConnectionError: ('Connection aborted.', ConnectionResetError(104, 'Connection reset by peer'))", "connection-reset"},
	{"ConnectTimeout: HTTPConnectionPool(host='example.com', port=80): Max retries exceeded with url: / (Caused by ConnectTimeoutError('Connection to example.com timed out. (connect timeout=60)'))", "timeout"},
	{"ReadTimeout: HTTPSConnectionPool(host='example.com', port=443): Read timed out. (read timeout=60)", "timeout"},
	{"SSLError: HTTPSConnectionPool(host='example.com', port=443): Max retries exceeded with url: / (Caused by SSLError(SSLCertVerificationError(1, '[SSL: CERTIFICATE_VERIFY_FAILED] certificate verify failed: certificate has expired')))", "tls-expired"},
	{"SSLError: HTTPSConnectionPool(host='example.com', port=443): Max retries exceeded with url: / (Caused by SSLError(SSLCertVerificationError(1, \"[SSL: CERTIFICATE_VERIFY_FAILED] certificate verify failed: Hostname mismatch, certificate is not valid for 'example.com'.\")))", "tls-hostname"},
	{"SSLError: HTTPSConnectionPool(host='example.com', port=443): Max retries exceeded with url: / (Caused by SSLError(SSLCertVerificationError(1, '[SSL: CERTIFICATE_VERIFY_FAILED] certificate verify failed: unable to get local issuer certificate')))", "tls-untrusted"},
	{"SSLError: HTTPSConnectionPool(host='example.com', port=443): Max retries exceeded with url: / (Caused by SSLError(SSLError(1, '[SSL: TLSV1_ALERT_PROTOCOL_VERSION] tlsv1 alert protocol version')))", "tls-error"},
	{"TooManyRedirects: Exceeded 30 redirects.", "redirect-limit"},
	{"TooManyRedirects: Exceeded 30 redirects.", "redirect-loop"},
	{"ConnectionError: ('Connection aborted.', BadStatusLine('x'))", "protocol-error"},
	{"URLError: <urlopen error [Errno 2] No such file or directory: '/x'>", "file-missing"},
	{"URL is empty", "reference-empty"},
	{"InvalidURL: Failed to parse: http://", "uri-invalid"},
	{"URL has unparsable domain name", "uri-invalid"},
	{"Invalid mail syntax", "uri-invalid"},
}

// lcErrorStatuses are the statuses for which LinkChecker reports an error.
func lcErrorStatuses() []int {
	var all []int
	for status := 400; status < 600; status++ {
		if http.StatusText(status) != "" && status != http.StatusTooManyRequests {
			all = append(all, status)
		}
	}
	return all
}

// lcIgnoreError makes a rule for "URL_PATTERN [MESSAGE_PATTERN]". The errors whose
// message matches become ok; the targets are still requested.
func lcIgnoreError(c *Config, line string) error {
	pattern, message := line, ""
	if at := strings.IndexAny(line, " \t"); at >= 0 {
		pattern, message = line[:at], re2(strings.TrimSpace(line[at:]))
	}
	r := Rule{MatchRE: re2(pattern), Note: "LinkChecker's ignoreerrors"}
	if err := cmp.Or(usable(r.MatchRE), usable(message)); err != nil {
		return err
	}
	if message == "" {
		r.Accept = []string{"300-999"}
	}
	matches := regexp.MustCompile(message)
	for _, status := range lcErrorStatuses() {
		if message != "" && matches.MatchString(strconv.Itoa(status)+" "+http.StatusText(status)) {
			r.Accept = append(r.Accept, strconv.Itoa(status))
		}
	}
	for _, e := range lcErrors {
		if matches.MatchString(e.message) {
			r.Level = appendOff(r.Level, e.code)
		}
	}
	if r.empty() {
		return fmt.Errorf("%q matches no message that LinkChecker is known to print: use accept or level in a [[rule]]", line)
	}
	return c.addRule(r)
}

// lcWarnings has the codes that LinkChecker's warnings have here, or the reason why there is
// none.
var lcWarnings = map[string]struct{ codes, why string }{
	"file-anchorcheck-directory":   {why: "fragments are checked in directories as well"},
	"file-missing-slash":           {why: "a link to a directory without a slash is ok"},
	"file-system-path":             {codes: "file-case"},
	"ftp-missing-slash":            {why: "a link to a directory without a slash is ok"},
	"http-cookie-store-error":      {why: "a cookie that cannot be kept is not reported"},
	"http-empty-content":           {why: "an empty page is ok"},
	"http-rate-limited":            {codes: "rate-limited"},
	"http-redirected":              {codes: "redirect-permanent redirect-temporary redirect-to-root redirect-to-login redirect-to-other-site"},
	"http-robots-denied":           {codes: "robots-disallowed"},
	"https-certificate-error":      {codes: "tls-expires-soon tls-incomplete-chain"},
	"mail-no-mx-host":              {codes: "no-mx"},
	"nntp-no-newsgroup":            {why: "a newsgroup that does not exist is broken"},
	"nntp-no-server":               {why: "news: without a server is skipped"},
	"url-anchor-not-found":         {codes: "fragment-missing fragment-unverified"},
	"url-content-size-zero":        {why: "an empty page is ok"},
	"url-content-too-large":        {codes: "body-truncated"},
	"url-content-type-unparseable": {why: "a type that is not read for links is ok"},
	"url-effective-url":            {codes: "redirect-permanent redirect-temporary uri-repaired"},
	"url-error-getting-content":    {codes: "body-truncated"},
	"url-obfuscated-ip":            {codes: "uri-obfuscated-ip"},
	"url-too-long":                 {why: "long URLs are ok"},
	"url-unicode-domain":           {why: "internationalized names are ok"},
	"url-unnormed":                 {why: "URLs that are not normalized are ok"},
	"url-whitespace":               {codes: "uri-repaired"},
	"xml-parse-error":              {why: "errors in XML are not reported"},
}

func lcIgnoreWarnings(c *Config, option string, v any) error {
	var levels []string
	t, _ := text(v)
	for name := range strings.SplitSeq(strings.ToLower(t), ",") {
		name = strings.TrimSpace(name)
		w, known := lcWarnings[name]
		switch {
		case name == "":
		case !known:
			c.skip(option, fmt.Sprintf("there is no warning like %q", name))
		case w.codes == "":
			c.skip(option+" "+name, w.why)
		default:
			levels = appendOff(levels, w.codes)
		}
	}
	if levels != nil {
		c.add("level", "", levels...)
	}
	return nil
}

// appendOff appends CODE=off for each code that is not among the levels.
func appendOff(levels []string, codes string) []string {
	for code := range strings.FieldsSeq(codes) {
		if off := code + "=off"; !slices.Contains(levels, off) {
			levels = append(levels, off)
		}
	}
	return levels
}

// lcIgnoreWarningsFor makes a rule for "URL_PATTERN [NAME_PATTERN]".
func lcIgnoreWarningsFor(c *Config, line string) error {
	pattern, name, _ := strings.Cut(line, " ")
	pattern, name = re2(pattern), re2(strings.TrimSpace(name))
	if err := cmp.Or(usable(pattern), usable(name)); err != nil {
		return err
	}
	matches := regexp.MustCompile(name)
	r := Rule{MatchRE: pattern, Note: "LinkChecker's ignorewarningsforurls"}
	for _, warning := range slices.Sorted(maps.Keys(lcWarnings)) {
		if matches.MatchString(warning) {
			r.Level = appendOff(r.Level, lcWarnings[warning].codes)
		}
	}
	if r.empty() {
		return fmt.Errorf("no warning like %q is reported here", name)
	}
	return c.addRule(r)
}
