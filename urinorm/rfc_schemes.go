package urinorm

import (
	"slices"
	"strconv"
	"strings"

	"github.com/agext/levenshtein"
)

// SchemeCategory says what a link checker can do with the URIs of a scheme.
type SchemeCategory int

const (
	SchemeUnknown   SchemeCategory = iota // neither registered nor in wide use: likely a typing error
	SchemeKnown                           // registered or in wide use, but nothing to check
	SchemeSyntax                          // a standard defines a grammar for its URIs: see CheckSyntax
	SchemeFetchable                       // its URIs identify resources that can be fetched
)

// String returns "unknown", "known", "syntax" or "fetchable".
func (c SchemeCategory) String() string {
	switch c {
	case SchemeFetchable:
		return "fetchable"
	case SchemeSyntax:
		return "syntax"
	case SchemeKnown:
		return "known"
	}
	return "unknown"
}

// rfcSchemeRule holds the rules of a scheme beyond the generic syntax. Every field
// may be empty.
type rfcSchemeRule struct {
	category SchemeCategory
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
	"http":  {category: SchemeFetchable, port: "80", syntax: checkHost("http", "RFC 9110")},      // RFC 9110 4.2.1
	"https": {category: SchemeFetchable, port: "443", syntax: checkHost("https", "RFC 9110")},    // RFC 9110 4.2.2
	"ftp":   {category: SchemeFetchable, port: "21", syntax: checkHost("ftp", "RFC 1738")},       // RFC 1738 3.2
	"file":  {category: SchemeFetchable, defaultHost: "localhost", equivalence: fileEquivalence}, // RFC 8089

	"ws":  {category: SchemeSyntax, port: "80", syntax: checkHost("ws", "RFC 6455")},   // RFC 6455 3
	"wss": {category: SchemeSyntax, port: "443", syntax: checkHost("wss", "RFC 6455")}, // RFC 6455 3

	"urn":    {category: SchemeSyntax, syntax: checkURN},                                  // RFC 8141
	"mailto": {category: SchemeSyntax, syntax: checkMailto, equivalence: mailEquivalence}, // RFC 6068
	"tel":    {category: SchemeSyntax, syntax: checkTel, equivalence: telEquivalence},     // RFC 3966
	"sms":    {category: SchemeSyntax, syntax: checkSMS, equivalence: telEquivalence},     // RFC 5724
	"geo":    {category: SchemeSyntax, syntax: checkGeo, equivalence: geoEquivalence},     // RFC 5870
	"doi":    {category: SchemeSyntax, syntax: checkDOI, equivalence: lowerPath},          // ISO 26324
	"info":   {category: SchemeSyntax, syntax: checkInfo, equivalence: infoEquivalence},   // RFC 4452
	"magnet": {category: SchemeSyntax, syntax: checkMagnet},
	"data":   {category: SchemeSyntax, syntax: checkData, content: true}, // Fetch Standard 6

	"javascript": {category: SchemeKnown, content: true},

	"acap":   {category: SchemeKnown, port: "674"},  // RFC 2244 11
	"coap":   {category: SchemeKnown, port: "5683"}, // RFC 7252 6.1
	"coaps":  {category: SchemeKnown, port: "5684"}, // RFC 7252 6.2
	"dict":   {category: SchemeKnown, port: "2628"}, // RFC 2229 5
	"dns":    {category: SchemeKnown, port: "53"},   // RFC 4501 3
	"gemini": {category: SchemeKnown, port: "1965"},
	"gopher": {category: SchemeKnown, port: "70"},   // RFC 4266 2
	"iax":    {category: SchemeKnown, port: "4569"}, // RFC 5456 5
	"icap":   {category: SchemeKnown, port: "1344"}, // RFC 3507 4.2
	"imap":   {category: SchemeKnown, port: "143"},  // RFC 5092 3
	"ipp":    {category: SchemeKnown, port: "631"},  // RFC 3510 4.2
	"ipps":   {category: SchemeKnown, port: "631"},  // RFC 7472 4.2
	"msrp":   {category: SchemeKnown, port: "2855"}, // RFC 4975 6
	"mtqp":   {category: SchemeKnown, port: "1038"}, // RFC 3887 9
	"nfs":    {category: SchemeKnown, port: "2049"}, // RFC 2224 2
	"nntp":   {category: SchemeKnown, port: "119"},  // RFC 5538 3
	"pop":    {category: SchemeKnown, port: "110"},  // RFC 2384 3
	"rsync":  {category: SchemeKnown, port: "873"},  // RFC 5781 2
	"rtsp":   {category: SchemeKnown, port: "554"},  // RFC 7826 4.2
	"rtsps":  {category: SchemeKnown, port: "322"},  // RFC 7826 4.2
	"rtspu":  {category: SchemeKnown, port: "554"},  // RFC 7826 4.2
	"snmp":   {category: SchemeKnown, port: "161"},  // RFC 4088 2
	"telnet": {category: SchemeKnown, port: "23"},   // RFC 4248 2
	"vemmi":  {category: SchemeKnown, port: "575"},  // RFC 2122 2
	"vnc":    {category: SchemeKnown, port: "5900"}, // RFC 7869 2.1
}

// DefaultPort returns the default port of a scheme, which [NormalizeRFC] removes.
// Case of the scheme is ignored.
func DefaultPort(scheme string) (int, bool) {
	port, err := strconv.Atoi(rfcSchemeRules[rfcLowerASCII(scheme)].port)
	return port, err == nil
}

// CategoryOf returns the category of a scheme, whose case is ignored.
func CategoryOf(scheme string) SchemeCategory {
	scheme = rfcLowerASCII(scheme)
	if rule, ok := rfcSchemeRules[scheme]; ok {
		return rule.category
	}
	if rfcRegistry[scheme] != registeredNowhere || rfcPrivateScheme(scheme) {
		return SchemeKnown
	}
	return SchemeUnknown
}

// KnownScheme reports whether a scheme, whose case is ignored, is in the IANA
// registry of URI schemes, is in wide use without registration, or has the form of
// a private scheme: a reversed domain (RFC 7595 3.8), "web+name" or "ext+name".
func KnownScheme(scheme string) bool { return CategoryOf(scheme) != SchemeUnknown }

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
	for _, candidate := range rfcRegisteredNames {
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
