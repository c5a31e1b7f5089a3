package urinorm

import (
	"slices"
	"strconv"
	"strings"

	"github.com/agext/levenshtein"
)

// schemeCategory says what a link checker can do with the URIs of a scheme.
type schemeCategory int

const (
	schemeUnknown   schemeCategory = iota // neither registered nor in wide use: likely a typing error
	schemeKnown                           // registered or in wide use, but nothing to check
	schemeSyntax                          // a standard defines a grammar for its URIs: see CheckSyntax
	schemeFetchable                       // its URIs identify resources that can be fetched
)

// rfcSchemeRule holds the rules of a scheme beyond the generic syntax. Every field
// may be empty.
type rfcSchemeRule struct {
	category schemeCategory
	// port is the default port, which scheme-based normalization removes (RFC 3986
	// 6.2.3).
	port string
	// defaultHost is the host that an empty host means (6.2.3).
	defaultHost string
	// content is true if the path is content and not a position in a hierarchy, so
	// that a rootless path has no dot segments.
	content bool
	// equivalence rewrites a URI to a form that is the same for all URIs that are
	// equivalent by the rules of the scheme. It is for comparison only.
	equivalence func(*Reference)
	// syntax checks the rest of a URI after "scheme:" against the scheme's grammar.
	syntax func(rest string) error
}

// rfcSchemeRules has a row for each scheme with rules of its own, in lower case.
//
// A port is listed if the scheme's specification makes it the default. The port
// 389 of ldap is missing on purpose: LDAP URLs are stored and matched as strings in
// directories (RFC 3296), and wrongly treating two URIs as equivalent costs more
// than missing an equivalence.
var rfcSchemeRules = map[string]rfcSchemeRule{
	"http":  {category: schemeFetchable, port: "80", syntax: checkHost("http", "RFC 9110")},      // RFC 9110 4.2.1
	"https": {category: schemeFetchable, port: "443", syntax: checkHost("https", "RFC 9110")},    // RFC 9110 4.2.2
	"ftp":   {category: schemeFetchable, port: "21", syntax: checkHost("ftp", "RFC 1738")},       // RFC 1738 3.2
	"file":  {category: schemeFetchable, defaultHost: "localhost", equivalence: fileEquivalence}, // RFC 8089

	"ws":  {category: schemeSyntax, port: "80", syntax: checkHost("ws", "RFC 6455")},   // RFC 6455 3
	"wss": {category: schemeSyntax, port: "443", syntax: checkHost("wss", "RFC 6455")}, // RFC 6455 3

	"urn":    {category: schemeSyntax, syntax: checkURN},                                  // RFC 8141
	"mailto": {category: schemeSyntax, syntax: checkMailto, equivalence: mailEquivalence}, // RFC 6068
	"tel":    {category: schemeSyntax, syntax: checkTel, equivalence: telEquivalence},     // RFC 3966
	"sms":    {category: schemeSyntax, syntax: checkSMS, equivalence: telEquivalence},     // RFC 5724
	"geo":    {category: schemeSyntax, syntax: checkGeo, equivalence: geoEquivalence},     // RFC 5870
	"doi":    {category: schemeSyntax, syntax: checkDOI, equivalence: lowerPath},          // ISO 26324
	"info":   {category: schemeSyntax, syntax: checkInfo, equivalence: infoEquivalence},   // RFC 4452
	"magnet": {category: schemeSyntax, syntax: checkMagnet},
	"data":   {category: schemeSyntax, syntax: checkData, content: true}, // Fetch Standard 6

	"javascript": {category: schemeKnown, content: true},

	"acap":   {category: schemeKnown, port: "674"},  // RFC 2244 11
	"coap":   {category: schemeKnown, port: "5683"}, // RFC 7252 6.1
	"coaps":  {category: schemeKnown, port: "5684"}, // RFC 7252 6.2
	"dict":   {category: schemeKnown, port: "2628"}, // RFC 2229 5
	"dns":    {category: schemeKnown, port: "53"},   // RFC 4501 3
	"gemini": {category: schemeKnown, port: "1965"},
	"gopher": {category: schemeKnown, port: "70"},   // RFC 4266 2
	"iax":    {category: schemeKnown, port: "4569"}, // RFC 5456 5
	"icap":   {category: schemeKnown, port: "1344"}, // RFC 3507 4.2
	"imap":   {category: schemeKnown, port: "143"},  // RFC 5092 3
	"ipp":    {category: schemeKnown, port: "631"},  // RFC 3510 4.2
	"ipps":   {category: schemeKnown, port: "631"},  // RFC 7472 4.2
	"msrp":   {category: schemeKnown, port: "2855"}, // RFC 4975 6
	"mtqp":   {category: schemeKnown, port: "1038"}, // RFC 3887 9
	"nfs":    {category: schemeKnown, port: "2049"}, // RFC 2224 2
	"nntp":   {category: schemeKnown, port: "119"},  // RFC 5538 3
	"pop":    {category: schemeKnown, port: "110"},  // RFC 2384 3
	"rsync":  {category: schemeKnown, port: "873"},  // RFC 5781 2
	"rtsp":   {category: schemeKnown, port: "554"},  // RFC 7826 4.2
	"rtsps":  {category: schemeKnown, port: "322"},  // RFC 7826 4.2
	"rtspu":  {category: schemeKnown, port: "554"},  // RFC 7826 4.2
	"snmp":   {category: schemeKnown, port: "161"},  // RFC 4088 2
	"telnet": {category: schemeKnown, port: "23"},   // RFC 4248 2
	"vemmi":  {category: schemeKnown, port: "575"},  // RFC 2122 2
	"vnc":    {category: schemeKnown, port: "5900"}, // RFC 7869 2.1
}

// DefaultPort returns the default port of a scheme, which [NormalizeRFC] removes.
// Case of the scheme is ignored.
func DefaultPort(scheme string) (int, bool) {
	port, err := strconv.Atoi(rfcSchemeRules[rfcLowerASCII(scheme)].port)
	return port, err == nil
}

// categoryOf returns the category of a scheme, whose case is ignored.
func categoryOf(scheme string) schemeCategory {
	scheme = rfcLowerASCII(scheme)
	if rule, ok := rfcSchemeRules[scheme]; ok {
		return rule.category
	}
	if rfcRegistry[scheme] != registeredNowhere || rfcPrivateScheme(scheme) {
		return schemeKnown
	}
	return schemeUnknown
}

// FetchableScheme reports whether the URIs of a scheme, whose case is ignored, identify resources that can
// be fetched.
func FetchableScheme(scheme string) bool { return categoryOf(scheme) == schemeFetchable }

// CheckableScheme reports whether a standard defines a grammar for the URIs of a scheme, whose case is
// ignored, that are not fetched: see [CheckSyntax].
func CheckableScheme(scheme string) bool { return categoryOf(scheme) == schemeSyntax }

// KnownScheme reports whether a scheme, whose case is ignored, is in the IANA
// registry of URI schemes, is in wide use without registration, or has the form of
// a private scheme: a reversed domain (RFC 7595 3.8), "web+name" or "ext+name".
func KnownScheme(scheme string) bool { return categoryOf(scheme) != schemeUnknown }

// commonSchemes lists the schemes that authors are likely to mistype, most likely
// first.
var commonSchemes = []string{
	"https", "http", "mailto", "tel", "ftp", "file", "javascript", "data", "sms", "sftp", "ssh",
	"git", "urn", "magnet", "geo", "wss", "ws", "webcal", "whatsapp", "skype", "about", "blob",
}

// NearestScheme returns the scheme that an unknown one was probably meant to be:
// "htps" gives "https". It reports false if the scheme is known or none is near.
// The Levenshtein distance may be 1, or 2 in schemes of at least five letters and
// in those with the right letters in the wrong order.
func NearestScheme(scheme string) (string, bool) {
	scheme = rfcLowerASCII(scheme)
	if len(scheme) < 2 || len(scheme) > maxSchemeTypo || KnownScheme(scheme) {
		return "", false
	}
	best, bestDistance := "", 3
	for _, candidate := range commonSchemes {
		distance := levenshtein.Distance(scheme, candidate, nil)
		if distance == 2 && len(scheme) < 5 && !sameLetters(scheme, candidate) {
			continue
		}
		if distance < bestDistance && distance < len(scheme)-1 {
			best, bestDistance = candidate, distance
		}
	}
	if best != "" {
		return best, true
	}
	if len(scheme) < 5 {
		return "", false // every short word is near some registered scheme
	}
	for _, candidate := range rfcRegisteredNames() {
		if levenshtein.Distance(scheme, candidate, nil) == 1 {
			return candidate, true
		}
	}
	return "", false
}

// maxSchemeTypo limits the schemes that NearestScheme examines, in bytes.
const maxSchemeTypo = 48

func sameLetters(a, b string) bool {
	x, y := []byte(a), []byte(b)
	slices.Sort(x)
	slices.Sort(y)
	return string(x) == string(y)
}

func fileEquivalence(r *Reference) {
	if !r.Host.Defined && strings.HasPrefix(r.Path, "/") {
		r.Host = Present("")
	}
}

// lowerPath is for names whose case is ignored: DOIs (ISO 26324 3.4).
func lowerPath(r *Reference) { r.Path = rfcLowerOutsidePercent(r.Path) }

// infoEquivalence ignores the case of the namespace (RFC 4452 5).
func infoEquivalence(r *Reference) {
	namespace, identifier, found := strings.Cut(r.Path, "/")
	if found {
		r.Path = rfcLowerASCII(namespace) + "/" + identifier
	}
}
