package urinorm

// Repairs is a set of properties that the parser of the web profile found in a
// reference: faults that a browser silently repairs, and others that its author
// should know of.
type Repairs uint32

const (
	// repairTrimmed: leading or trailing spaces or control characters were removed.
	repairTrimmed Repairs = 1 << iota
	// repairTabOrNewline: tabs or line breaks inside the reference were removed.
	repairTabOrNewline
	// repairBackslash: a backslash was read as a slash.
	repairBackslash
	// repairSpace: a space inside the reference became %20.
	repairSpace
	// repairIllegal: an ASCII character that RFC 3986 does not allow there was
	// percent-encoded.
	repairIllegal
	// repairPercent: a '%' without two hexadecimal digits after it was kept.
	repairPercent
	// repairEncoding: bytes that are not UTF-8 became U+FFFD.
	repairEncoding
	// repairSlashes: there were too few or too many slashes after the scheme.
	repairSlashes
	// repairSchemeRelative: a scheme without slashes was read as a relative
	// reference, as in "http:g" (RFC 3986 5.2.2, for backward compatibility).
	repairSchemeRelative
	// repairDriveLetter: "C|" in a file URL was read as "C:".
	repairDriveLetter
	// repairObfuscatedIP: the host is an IPv4 address in octal, hexadecimal or short
	// form (RFC 3986 7.4).
	repairObfuscatedIP
	// repairCredentials: the URL contains a password (RFC 3986 7.5).
	repairCredentials
	// repairMisleadingUserinfo: the user name looks like a host (RFC 3986 7.6).
	repairMisleadingUserinfo
	// repairNonASCII: characters beyond ASCII were encoded (RFC 3987), which is not a
	// fault.
	repairNonASCII
	// RepairAboveRoot: a ".." at the root was ignored (RFC 3986 5.4.2).
	RepairAboveRoot
	// repairHostLength: a label is longer than 63 bytes, or the host than 253, so the
	// DNS cannot contain it.
	repairHostLength
	// repairALabel: a label begins with "xn--" but does not decode to a valid one.
	repairALabel
)

// faults are the repairs of references that are not valid as written.
const faults = repairTrimmed | repairTabOrNewline | repairBackslash | repairSpace | repairIllegal |
	repairPercent | repairEncoding | repairSlashes | repairSchemeRelative | repairDriveLetter

var repairNames = [...]string{
	"trimmed", "tab-or-newline", "backslash", "space", "illegal-character", "malformed-percent",
	"invalid-utf8", "slashes", "scheme-relative", "drive-letter", "obfuscated-ip", "credentials",
	"misleading-userinfo", "non-ascii", "above-root", "host-length", "invalid-a-label",
}

// Has reports whether r contains all of want.
func (r Repairs) Has(want Repairs) bool { return r&want == want }

// Repaired reports whether the reference was not valid as written and a browser
// repairs it. Characters beyond ASCII and upper case are not faults.
func (r Repairs) Repaired() bool { return r&faults != 0 }

// Names returns the names of the members of r, such as "backslash", in a fixed
// order.
func (r Repairs) Names() []string {
	var names []string
	for i, name := range repairNames {
		if r&(1<<i) != 0 {
			names = append(names, name)
		}
	}
	return names
}

// Codes returns the codes of the warnings about r, in a fixed order: uri-repaired
// if r.Repaired(), uri-credentials, uri-misleading-userinfo and uri-obfuscated-ip.
func (r Repairs) Codes() []string {
	var codes []string
	for _, row := range [...]struct {
		any  Repairs
		code string
	}{
		{faults, "uri-repaired"},
		{repairCredentials, "uri-credentials"},
		{repairMisleadingUserinfo, "uri-misleading-userinfo"},
		{repairObfuscatedIP, "uri-obfuscated-ip"},
	} {
		if r&row.any != 0 {
			codes = append(codes, row.code)
		}
	}
	return codes
}
