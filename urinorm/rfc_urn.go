package urinorm

import (
	"errors"
	"strings"
)

// URN is a Uniform Resource Name cut into the parts of RFC 8141 section 2, each
// as written:
//
//	urn:example:weather?+CCResolve:cc=uk?=op=map&lat=39.56#temp
//	    └──┬──┘ └──┬──┘  └──────┬──────┘  └──────┬───────┘ └┬─┘
//	      NID     NSS      r-component      q-component  f-component
type URN struct {
	NID string // namespace identifier
	NSS string // namespace-specific string
	R   Component
	Q   Component
	F   Component
}

// ParseURN checks s against the grammar of RFC 8141, rule namestring, and returns
// its parts. [URN.Check] checks the rules of the namespace. The error is an
// [*Error] that wraps a [*SyntaxError].
func ParseURN(s string) (URN, error) {
	u, err := parseURN(s)
	if err != nil {
		return URN{}, newError("parse URN", s, err)
	}
	return u, nil
}

func parseURN(s string) (URN, error) {
	var u URN
	const prefix = len("urn:")
	if len(s) < prefix || !strings.EqualFold(s[:prefix], "urn:") {
		return u, urnError("assigned-name", 0, `a URN begins with "urn:"`)
	}
	rest := s[prefix:]
	if i := strings.IndexByte(rest, '#'); i >= 0 {
		u.F = Present(rest[i+1:])
		rest = rest[:i]
	}
	if err := u.splitRQ(&rest); err != nil {
		return u, err
	}
	nid, nss, found := strings.Cut(rest, ":")
	if !found {
		return u, urnError("assigned-name", len(s), "':' is missing after the namespace identifier")
	}
	u.NID, u.NSS = nid, nss
	return u, u.check()
}

// splitRQ cuts rq-components = [ "?+" r-component ] [ "?=" q-component ] from the
// end of rest. The r-component ends at the first "?=".
func (u *URN) splitRQ(rest *string) error {
	i := strings.IndexByte(*rest, '?')
	if i < 0 {
		return nil
	}
	tail := (*rest)[i:]
	*rest = (*rest)[:i]
	if strings.HasPrefix(tail, "?+") {
		r, q, found := strings.Cut(tail[2:], "?=")
		u.R = Present(r)
		if found {
			u.Q = Present(q)
		}
		return nil
	}
	if strings.HasPrefix(tail, "?=") {
		u.Q = Present(tail[2:])
		return nil
	}
	return urnError("rq-components", len("urn:")+i, `'?' is followed by neither "+" nor "="`)
}

func urnError(rule string, offset int, reason string) error {
	return &SyntaxError{Standard: "RFC 8141", Rule: rule, Offset: offset, Reason: reason}
}

func (u URN) check() error {
	at := len("urn:")
	if err := urnCheckNID(u.NID, at); err != nil {
		return err
	}
	at += len(u.NID) + 1
	if err := urnCheckPart(u.NSS, "NSS", rfcPathChar, at); err != nil {
		return err
	}
	at += len(u.NSS)
	if u.R.Defined {
		if err := urnCheckPart(u.R.Value, "r-component", rfcTailChar, at+2); err != nil {
			return err
		}
		at += 2 + len(u.R.Value)
	}
	if u.Q.Defined {
		if err := urnCheckPart(u.Q.Value, "q-component", rfcTailChar, at+2); err != nil {
			return err
		}
		at += 2 + len(u.Q.Value)
	}
	if u.F.Defined {
		return urnStandard(rfcCheckChars(u.F.Value, "f-component", rfcTailChar, at+1))
	}
	return nil
}

// urnCheckNID checks NID = (alphanum) 0*30(ldh) (alphanum)
func urnCheckNID(nid string, offset int) error {
	if len(nid) < 2 || len(nid) > 32 {
		return urnError("NID", offset, "a namespace identifier has 2 to 32 characters")
	}
	for i := range len(nid) {
		alphanum := rfcIs(nid[i], rfcAlpha|rfcDigit)
		edge := i == 0 || i == len(nid)-1
		if !alphanum && (edge || nid[i] != '-') {
			return urnError("NID", offset+i, rfcShowChar(nid[i:])+" is not allowed here")
		}
	}
	return nil
}

// urnCheckPart checks pchar *( set / pct-encoded ), the form of NSS, r- and
// q-component.
func urnCheckPart(s, rule string, set rfcSet, offset int) error {
	if s == "" {
		return urnError(rule, offset, "the component is empty")
	}
	if s[0] != '%' && !rfcIs(s[0], rfcPchar) {
		return urnError(rule, offset, rfcShowChar(s)+" is not allowed as the first character")
	}
	return urnStandard(rfcCheckChars(s, rule, set, offset))
}

// urnStandard makes RFC 8141 the standard of a syntax error, unless the error is in
// a percent-encoding.
func urnStandard(err error) error {
	var syntaxErr *SyntaxError
	if errors.As(err, &syntaxErr) && syntaxErr.Rule != "pct-encoded" {
		syntaxErr.Standard = "RFC 8141"
	}
	return err
}

// String returns the URN as it was parsed, the scheme in lower case.
func (u URN) String() string {
	s := "urn:" + u.NID + ":" + u.NSS
	if u.R.Defined {
		s += "?+" + u.R.Value
	}
	if u.Q.Defined {
		s += "?=" + u.Q.Value
	}
	if u.F.Defined {
		s += "#" + u.F.Value
	}
	return s
}

// Equivalent reports whether u and v are URN-equivalent (RFC 8141 section 3.1,
// RFC 2141 section 6): whether the assigned names are the same when the case of
// scheme, NID and percent-encodings is ignored. The r-, q- and f-components are
// ignored and nothing is decoded.
func (u URN) Equivalent(v URN) bool {
	return strings.EqualFold(u.NID, v.NID) && rfcUpperHex(u.NSS) == rfcUpperHex(v.NSS)
}

// Check checks the namespace-specific string against the rules of its namespace:
// isbn and issn (RFC 8254) with their check digits, uuid (RFC 9562) and oid (RFC
// 3061). For other namespaces it returns nil. The error is an [*Error].
func (u URN) Check() error {
	check := urnNamespaces[rfcLowerASCII(u.NID)].check
	if check == nil {
		return nil
	}
	if err := check(u.NSS); err != nil {
		return newError("check", u.String(), err)
	}
	return nil
}

// urnNamespaces holds the rules of namespaces. Their equivalence rules add to those
// of RFC 8141 (section 3.2).
var urnNamespaces = map[string]struct {
	check     func(nss string) error
	canonical func(nss string) string
}{
	"isbn": {checkISBN, func(nss string) string { return strings.ToUpper(strings.ReplaceAll(nss, "-", "")) }},
	"issn": {checkISSN, func(nss string) string { return strings.ToUpper(strings.ReplaceAll(nss, "-", "")) }},
	"uuid": {checkUUID, rfcLowerASCII},
	"oid":  {checkOID, nil},
	"ietf": {nil, rfcLowerASCII}, // RFC 2648
}

// urnEquivalence removes the components after the name and applies the equivalence
// rules of the namespace.
func (f *rfcForm) urnEquivalence() {
	f.Query, f.Fragment = Component{}, Component{}
	nid, nss, _ := strings.Cut(f.Path, ":")
	if canonical := urnNamespaces[nid].canonical; canonical != nil {
		f.Path = nid + ":" + canonical(nss)
	}
}

// checkISBN checks ten or thirteen digits with hyphens between them, of which the
// last is a check digit (ISO 2108).
func checkISBN(nss string) error {
	digits := strings.ToUpper(strings.ReplaceAll(nss, "-", ""))
	for i := range len(digits) {
		if !rfcIs(digits[i], rfcDigit) && (digits[i] != 'X' || len(digits) != 10 || i != 9) {
			return errors.New("an ISBN consists of digits and hyphens, and may end with X if it has ten digits")
		}
	}
	sum := 0
	switch len(digits) {
	case 10:
		for i := range 10 {
			sum += (10 - i) * checkDigitValue(digits[i])
		}
		sum %= 11
	case 13:
		for i := range 13 {
			sum += (1 + 2*(i%2)) * checkDigitValue(digits[i])
		}
		sum %= 10
	default:
		return errors.New("an ISBN has 10 or 13 digits")
	}
	if sum != 0 {
		return errors.New("the check digit of the ISBN is wrong")
	}
	return nil
}

// checkISSN checks four digits, a hyphen, three digits and a check digit (ISO 3297).
func checkISSN(nss string) error {
	digits := strings.ToUpper(strings.Replace(nss, "-", "", 1))
	if len(digits) != 8 || len(nss) == 9 && nss[4] != '-' {
		return errors.New("an ISSN has the form 1234-5679")
	}
	sum := 0
	for i := range 8 {
		if !rfcIs(digits[i], rfcDigit) && (digits[i] != 'X' || i != 7) {
			return errors.New("an ISSN consists of digits and may end with X")
		}
		sum += (8 - i) * checkDigitValue(digits[i])
	}
	if sum%11 != 0 {
		return errors.New("the check digit of the ISSN is wrong")
	}
	return nil
}

func checkDigitValue(c byte) int {
	if c == 'X' {
		return 10
	}
	return int(c - '0')
}

// checkUUID checks 8-4-4-4-12 hexadecimal digits (RFC 9562 section 4).
func checkUUID(nss string) error {
	groups := strings.Split(nss, "-")
	want := [...]int{8, 4, 4, 4, 12}
	if len(groups) != len(want) {
		return errors.New("a UUID has five groups of hexadecimal digits separated by hyphens")
	}
	for i, group := range groups {
		if len(group) != want[i] || strings.Trim(group, "0123456789abcdefABCDEF") != "" {
			return errors.New("a UUID has groups of 8, 4, 4, 4 and 12 hexadecimal digits")
		}
	}
	return nil
}

// checkOID checks numbers without leading zeros, separated by dots (RFC 3061).
func checkOID(nss string) error {
	for number := range strings.SplitSeq(nss, ".") {
		if number == "" || strings.Trim(number, "0123456789") != "" || len(number) > 1 && number[0] == '0' {
			return errors.New("an object identifier consists of numbers without leading zeros separated by dots")
		}
	}
	return nil
}
