package urinorm

// Repairs is the set of notes a parse makes: what a browser mends in silence, and
// what a reader may want to know of a URL that needs no mending. The parse that
// meets a thing notes it; nothing is looked for twice.
type Repairs uint32

const (
	// RepairTrimmed: blanks or control characters around the reference were cut off.
	RepairTrimmed Repairs = 1 << iota
	// RepairTabOrNewline: tabs or line ends inside the reference were taken out.
	RepairTabOrNewline
	// RepairBackslash: a backslash was read as a slash.
	RepairBackslash
	// RepairSpace: a blank inside the reference became %20.
	RepairSpace
	// RepairIllegal: an ASCII character that RFC 3986 does not allow there was percent-encoded.
	RepairIllegal
	// RepairPercent: a '%' that two hexadecimal digits do not follow; it is kept.
	RepairPercent
	// RepairEncoding: bytes that are no UTF-8 became U+FFFD.
	RepairEncoding
	// RepairSlashes: slashes after the scheme were missing or too many.
	RepairSlashes
	// RepairSchemeRelative: a scheme without slashes was read as a relative
	// reference, as in "http:g" (RFC 3986 5.2.2, for backward compatibility).
	RepairSchemeRelative
	// RepairDriveLetter: "C|" in a file URL was read as "C:".
	RepairDriveLetter
	// RepairObfuscatedIP: an IPv4 address in octal, hexadecimal or short form (RFC 3986 7.4).
	RepairObfuscatedIP
	// RepairCredentials: a password in the URL (RFC 3986 7.5).
	RepairCredentials
	// RepairMisleadingUserinfo: a user name that looks like a host (RFC 3986 7.6).
	RepairMisleadingUserinfo
	// RepairNonASCII: characters beyond ASCII were encoded (RFC 3987); no fault.
	RepairNonASCII
	// RepairAboveRoot: ".." climbed above the root and stayed there (RFC 3986 5.4.2).
	RepairAboveRoot
	// RepairHostLength: a label over 63 or a name over 253 bytes, which no DNS answers.
	RepairHostLength
	// RepairALabel: a label that begins with "xn--" and decodes to no valid one.
	RepairALabel
)

// mended are the notes that say a browser changed what was written, or kept a
// thing that only it tolerates.
const mended = RepairTrimmed | RepairTabOrNewline | RepairBackslash | RepairSpace | RepairIllegal |
	RepairPercent | RepairEncoding | RepairSlashes | RepairSchemeRelative | RepairDriveLetter

var repairNames = [...]string{
	"trimmed", "tab-or-newline", "backslash", "space", "illegal-character", "malformed-percent",
	"invalid-utf8", "slashes", "scheme-relative", "drive-letter", "obfuscated-ip", "credentials",
	"misleading-userinfo", "non-ascii", "above-root", "host-length", "invalid-a-label",
}

// Has reports whether all notes of want are in r.
func (r Repairs) Has(want Repairs) bool { return r&want == want }

// Mended reports whether r holds anything that a browser mends. Characters
// beyond ASCII, internationalized names and letter case are no faults.
func (r Repairs) Mended() bool { return r&mended != 0 }

// Names returns the names of the single notes, in a fixed order: "backslash".
func (r Repairs) Names() []string {
	var names []string
	for i, name := range repairNames {
		if r&(1<<i) != 0 {
			names = append(names, name)
		}
	}
	return names
}

// Codes returns the codes of the warnings that r gives rise to, in a fixed order:
// uri-repaired for all that was mended, uri-credentials, uri-misleading-userinfo
// and uri-obfuscated-ip.
func (r Repairs) Codes() []string {
	var codes []string
	for _, row := range [...]struct {
		any  Repairs
		code string
	}{
		{mended, "uri-repaired"},
		{RepairCredentials, "uri-credentials"},
		{RepairMisleadingUserinfo, "uri-misleading-userinfo"},
		{RepairObfuscatedIP, "uri-obfuscated-ip"},
	} {
		if r&row.any != 0 {
			codes = append(codes, row.code)
		}
	}
	return codes
}
