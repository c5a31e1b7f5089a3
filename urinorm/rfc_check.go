package urinorm

import (
	"errors"
	"strings"
)

// CheckSyntax holds a URI to the grammar its scheme gives it. rest is all that
// stands behind "scheme:", fragment included; the scheme may be in any case. It
// returns nil where no standard gives a grammar (see [CategoryOf]), and for
//
//   - http, https, ftp, ws, wss: an authority with a host (RFC 9110 4.2.1);
//   - mailto: [ParseMailto]; urn: [ParseURN] and [URN.Check];
//   - data: [ParseDataURL], on the serialised URL;
//   - tel (RFC 3966): a local number may lack its phone-context, as a reader in
//     the same place can dial it; sms (RFC 5724): without a recipient, the reader
//     chooses one;
//   - geo (RFC 5870): a query, which maps on telephones understand, is passed over;
//   - doi (ISO 26324), info (RFC 4452), magnet (its links to BitTorrent and
//     other hashes).
//
// The error is an [*Error] with the operation "check"; mostly it wraps a
// [*SyntaxError], whose offset counts from the start of the URI.
func CheckSyntax(scheme, rest string) error {
	rule := rfcSchemeRules[rfcLowerASCII(scheme)]
	if rule.syntax == nil {
		return nil
	}
	if len(rest) > MaxReference {
		return newError("check", scheme+":"+rest, ErrTooLong)
	}
	if err := rule.syntax(rest); err != nil {
		return newError("check", scheme+":"+rest, err)
	}
	return nil
}

// checkHost returns the check of schemes whose URIs name a host: an empty one is
// invalid there, though the generic syntax allows it.
func checkHost(scheme, standard string) func(rest string) error {
	return func(rest string) error {
		r := Split(rest)
		r.Scheme = Present(scheme)
		switch {
		case !strings.HasPrefix(rest, "//"):
			return &SyntaxError{standard, scheme + "-URI", len(scheme) + 1, `"//" is missing`}
		case r.Host.Value == "":
			return &SyntaxError{standard, scheme + "-URI", len(scheme) + 3, "the host is empty"}
		}
		return nil
	}
}

func checkURN(rest string) error {
	u, err := parseURN("urn:" + rest)
	if err != nil {
		return err
	}
	if check := urnNamespaces[rfcLowerASCII(u.NID)].check; check != nil {
		return check(u.NSS)
	}
	return nil
}

func checkData(rest string) error {
	_, err := parseDataURL("data:" + rest)
	return err
}

// rfcWithoutTail cuts query and fragment off.
func rfcWithoutTail(rest string) string {
	if i := strings.IndexAny(rest, "?#"); i >= 0 {
		return rest[:i]
	}
	return rest
}

// checkDOI: "10." registrant code "/" suffix (ISO 26324 section 3). The registrant
// code is of digits, in parts with dots between them; the suffix is free.
func checkDOI(rest string) error {
	const prefix = len("doi:")
	fault := func(rule string, offset int, reason string) error {
		return &SyntaxError{"ISO 26324", rule, prefix + offset, reason}
	}
	name := rfcPercentDecode(rest)
	registrant, suffix, found := strings.Cut(name, "/")
	switch {
	case !strings.HasPrefix(name, "10."):
		return fault("DOI prefix", 0, `a DOI begins with "10."`)
	case !found:
		return fault("DOI name", len(rest), "'/' is missing behind the prefix")
	case suffix == "":
		return fault("DOI suffix", len(rest), "the suffix is empty")
	}
	for part := range strings.SplitSeq(registrant, ".") {
		if part == "" || strings.Trim(part, "0123456789") != "" {
			return fault("DOI prefix", len("10."), "the registrant code is not of digits with dots between them")
		}
	}
	return nil
}

// checkInfo: info-identifier = namespace "/" identifier (RFC 4452 section 3)
func checkInfo(rest string) error {
	const prefix = len("info:")
	fault := func(rule string, offset int, reason string) error {
		return &SyntaxError{"RFC 4452", rule, prefix + offset, reason}
	}
	namespace, identifier, found := strings.Cut(rest, "/")
	switch {
	case !found:
		return fault("info-identifier", len(rest), "'/' is missing behind the namespace")
	case namespace == "" || rfcCheckScheme(namespace) != nil:
		return fault("namespace", 0, "a namespace begins with a letter and goes on with letters, digits, '+', '-' and '.'")
	}
	identifier, _, _ = strings.Cut(identifier, "#")
	err := rfcCheckChars(identifier, "identifier", rfcPathChar, prefix+len(namespace)+1)
	var bad *SyntaxError
	if errors.As(err, &bad) {
		bad.Standard = "RFC 4452"
	}
	return err
}

// checkMagnet reads what torrent programs agree on: a query of name=value pairs,
// at least one of them an exact topic (xt, or xt.1 and so on) that is a URN.
func checkMagnet(rest string) error {
	const prefix = len("magnet:")
	fault := func(rule string, offset int, reason string) error {
		return &SyntaxError{"magnet", rule, prefix + offset, reason}
	}
	if !strings.HasPrefix(rest, "?") {
		return fault("magnet link", 0, "'?' is missing behind the scheme")
	}
	query, _, _ := strings.Cut(rest[1:], "#")
	topics, at := 0, 1
	for field := range strings.SplitSeq(query, "&") {
		name, value, _ := strings.Cut(field, "=")
		if name == "xt" || strings.HasPrefix(name, "xt.") {
			topics++
			if err := checkTopic(rfcPercentDecode(value)); err != nil {
				return fault("xt", at, err.Error())
			}
		}
		at += len(field) + 1
	}
	if topics == 0 && !strings.Contains(query, "xs=") && !strings.Contains(query, "as=") &&
		!strings.Contains(query, "kt=") {
		return fault("magnet link", 0, "it names neither a topic (xt, kt) nor a source (xs, as)")
	}
	return nil
}

// checkTopic: a URN; a BitTorrent hash has 40 hexadecimal or 32 base32 digits
// (BEP 9), its second version 68 hexadecimal ones.
func checkTopic(topic string) error {
	u, err := parseURN(topic)
	if err != nil {
		return errors.New("the topic is no URN")
	}
	switch rfcLowerASCII(u.NID) {
	case "btih":
		if !isHexOf(u.NSS, 40) && !isBase32Of(u.NSS, 32) {
			return errors.New("a BitTorrent hash has 40 hexadecimal digits or 32 of base32")
		}
	case "btmh":
		if !isHexOf(u.NSS, 68) {
			return errors.New("a BitTorrent multihash has 68 hexadecimal digits")
		}
	}
	return nil
}

func isHexOf(s string, length int) bool {
	return len(s) == length && strings.Trim(s, "0123456789abcdefABCDEF") == ""
}

func isBase32Of(s string, length int) bool {
	return len(s) == length && strings.Trim(strings.ToUpper(s), "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567") == ""
}
