package urinorm

import (
	"errors"
	"strings"
)

// CheckSyntax checks a URI against the grammar of its scheme, whose case is ignored.
// rest is the URI after "scheme:", fragment included. If no standard defines a
// grammar (see [CheckableScheme]), it returns nil. It checks
//
//   - http, https, ftp, ws, wss: an authority with a host (RFC 9110 4.2.1);
//   - mailto: [ParseMailto]; urn: [ParseURN] and [URN.Check];
//   - data (Fetch Standard 6): a comma before the data, which is base64 if the media type says so;
//   - tel (RFC 3966): a local number may lack its phone-context, as readers in the
//     same area can dial it;
//   - sms (RFC 5724): the recipient may be missing, as the reader can choose one;
//   - geo (RFC 5870): a query, which maps on telephones understand, is ignored;
//   - doi (ISO 26324), info (RFC 4452), magnet (its links to BitTorrent and
//     other hashes).
//
// The error is an [*Error] with the operation "check". It wraps [ErrTooLong], or in
// most cases a [*SyntaxError], whose offset counts from the start of the URI.
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

// checkHost returns a check that the URIs of a scheme have a host, which may not be
// empty as the generic syntax allows.
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

// rfcWithoutTail removes the query and the fragment.
func rfcWithoutTail(rest string) string {
	if i := strings.IndexAny(rest, "?#"); i >= 0 {
		return rest[:i]
	}
	return rest
}

// checkDOI checks "10." registrant code "/" suffix (ISO 26324 section 3). The
// registrant code consists of groups of digits separated by dots; the suffix is
// any text.
func checkDOI(rest string) error {
	const prefix = len("doi:")
	syntaxError := func(rule string, offset int, reason string) error {
		return &SyntaxError{"ISO 26324", rule, prefix + offset, reason}
	}
	name := percentDecode(rest)
	registrant, suffix, found := strings.Cut(name, "/")
	switch {
	case !strings.HasPrefix(name, "10."):
		return syntaxError("DOI prefix", 0, `a DOI begins with "10."`)
	case !found:
		return syntaxError("DOI name", len(rest), "'/' is missing after the prefix")
	case suffix == "":
		return syntaxError("DOI suffix", len(rest), "the suffix is empty")
	}
	for part := range strings.SplitSeq(registrant, ".") {
		if part == "" || strings.Trim(part, "0123456789") != "" {
			return syntaxError("DOI prefix", len("10."), "the registrant code does not consist of digits separated by dots")
		}
	}
	return nil
}

// checkInfo checks info-identifier = namespace "/" identifier (RFC 4452 section 3)
func checkInfo(rest string) error {
	const prefix = len("info:")
	syntaxError := func(rule string, offset int, reason string) error {
		return &SyntaxError{"RFC 4452", rule, prefix + offset, reason}
	}
	namespace, identifier, found := strings.Cut(rest, "/")
	switch {
	case !found:
		return syntaxError("info-identifier", len(rest), "'/' is missing after the namespace")
	case namespace == "" || rfcCheckScheme(namespace) != nil:
		return syntaxError("namespace", 0, "a namespace is a letter followed by letters, digits, '+', '-' and '.'")
	}
	identifier, _, _ = strings.Cut(identifier, "#")
	err := rfcCheckChars(identifier, "identifier", rfcPathChar, prefix+len(namespace)+1)
	var bad *SyntaxError
	if errors.As(err, &bad) {
		bad.Standard = "RFC 4452"
	}
	return err
}

// checkMagnet checks the form that BitTorrent programs share: a query of name=value
// pairs with a topic or a source. Each exact topic (xt, or xt.1 and so on) is a URN.
func checkMagnet(rest string) error {
	const prefix = len("magnet:")
	syntaxError := func(rule string, offset int, reason string) error {
		return &SyntaxError{"magnet", rule, prefix + offset, reason}
	}
	if !strings.HasPrefix(rest, "?") {
		return syntaxError("magnet link", 0, "'?' is missing after the scheme")
	}
	query, _, _ := strings.Cut(rest[1:], "#")
	topics, at := 0, 1
	for field := range strings.SplitSeq(query, "&") {
		name, value, _ := strings.Cut(field, "=")
		if name == "xt" || strings.HasPrefix(name, "xt.") {
			topics++
			if err := checkTopic(percentDecode(value)); err != nil {
				return syntaxError("xt", at, err.Error())
			}
		}
		at += len(field) + 1
	}
	if topics == 0 && !strings.Contains(query, "xs=") && !strings.Contains(query, "as=") &&
		!strings.Contains(query, "kt=") {
		return syntaxError("magnet link", 0, "the link has neither a topic (xt, kt) nor a source (xs, as)")
	}
	return nil
}

// checkTopic checks that a topic is a URN. A BitTorrent hash has 40 hexadecimal or
// 32 base32 digits (BEP 9), that of the second version 68 hexadecimal digits.
func checkTopic(topic string) error {
	u, err := parseURN(topic)
	if err != nil {
		return errors.New("the topic is not a URN")
	}
	switch rfcLowerASCII(u.NID) {
	case "btih":
		if !isHexOf(u.NSS, 40) && !isBase32Of(u.NSS, 32) {
			return errors.New("a BitTorrent hash has 40 hexadecimal or 32 base32 digits")
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
