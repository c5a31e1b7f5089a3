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

// ParseURN holds s to the grammar of RFC 8141, rule namestring. Use [URN.Check]
// for what a namespace asks of its names besides. The error wraps a
// [*SyntaxError].
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
		return u, urnFault("assigned-name", 0, `it does not begin with "urn:"`)
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
		return u, urnFault("assigned-name", len(s), "the ':' behind the namespace identifier is missing")
	}
	u.NID, u.NSS = nid, nss
	return u, u.check()
}

// splitRQ takes rq-components = [ "?+" r-component ] [ "?=" q-component ] off
// the end of rest. The r-component ends at the first "?=".
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
	return urnFault("rq-components", len("urn:")+i, `'?' is followed by neither "+" nor "="`)
}

func urnFault(rule string, offset int, reason string) error {
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
		return urnRename(rfcCheckChars(u.F.Value, "f-component", rfcTailChar, at+1))
	}
	return nil
}

// urnCheckNID: NID = (alphanum) 0*30(ldh) (alphanum)
func urnCheckNID(nid string, offset int) error {
	if len(nid) < 2 || len(nid) > 32 {
		return urnFault("NID", offset, "a namespace identifier has 2 to 32 characters")
	}
	for i := range len(nid) {
		alphanum := rfcIs(nid[i], rfcAlpha|rfcDigit)
		edge := i == 0 || i == len(nid)-1
		if !alphanum && (edge || nid[i] != '-') {
			return urnFault("NID", offset+i, rfcShowChar(nid[i:])+" is not allowed here")
		}
	}
	return nil
}

// urnCheckPart: pchar *( set / pct-encoded ), the form of NSS, r- and q-component.
func urnCheckPart(s, rule string, set rfcSet, offset int) error {
	if s == "" {
		return urnFault(rule, offset, "it is empty")
	}
	if s[0] != '%' && !rfcIs(s[0], rfcPchar) {
		return urnFault(rule, offset, rfcShowChar(s)+" is not allowed at its start")
	}
	return urnRename(rfcCheckChars(s, rule, set, offset))
}

// urnRename tells the standard whose rule failed.
func urnRename(err error) error {
	var fault *SyntaxError
	if errors.As(err, &fault) && fault.Rule != "pct-encoded" {
		fault.Standard = "RFC 8141"
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

// Equivalent reports URN-equivalence (RFC 8141 section 3.1): the assigned names
// are the same when scheme, NID and the digits of percent-encodings are compared
// without case. Components behind the name are left aside and nothing is
// decoded. RFC 2141 section 6 compares alike.
func (u URN) Equivalent(v URN) bool {
	return strings.EqualFold(u.NID, v.NID) && rfcUpperHex(u.NSS) == rfcUpperHex(v.NSS)
}

// Check holds the namespace-specific string to the rules of its namespace, where
// we know them: isbn and issn (RFC 8254) with their check digits, uuid (RFC 9562)
// and oid (RFC 3061). Other namespaces always pass.
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

// urnNamespaces is what some namespaces say of their names. Their equivalence
// rules only ever join more names than RFC 8141 does (section 3.2).
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

// urnEquivalence leaves the components behind the name aside and applies the
// equivalence of the namespace.
func (f *rfcForm) urnEquivalence() {
	f.Query, f.Fragment = Component{}, Component{}
	nid, nss, _ := strings.Cut(f.Path, ":")
	if canonical := urnNamespaces[nid].canonical; canonical != nil {
		f.Path = nid + ":" + canonical(nss)
	}
}

// checkISBN: ten or thirteen digits, hyphens between them, the last one a check
// digit (ISO 2108).
func checkISBN(nss string) error {
	digits := strings.ToUpper(strings.ReplaceAll(nss, "-", ""))
	for i := range len(digits) {
		if !rfcIs(digits[i], rfcDigit) && (digits[i] != 'X' || len(digits) != 10 || i != 9) {
			return errors.New("an ISBN has digits and hyphens only, and perhaps an X at the end of ten")
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

// checkISSN: four digits, a hyphen, three digits and a check digit (ISO 3297).
func checkISSN(nss string) error {
	digits := strings.ToUpper(strings.Replace(nss, "-", "", 1))
	if len(digits) != 8 || len(nss) == 9 && nss[4] != '-' {
		return errors.New("an ISSN has the form 1234-5679")
	}
	sum := 0
	for i := range 8 {
		if !rfcIs(digits[i], rfcDigit) && (digits[i] != 'X' || i != 7) {
			return errors.New("an ISSN has digits only, and perhaps an X at its end")
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

// checkUUID: 8-4-4-4-12 hexadecimal digits (RFC 9562 section 4).
func checkUUID(nss string) error {
	groups := strings.Split(nss, "-")
	want := [...]int{8, 4, 4, 4, 12}
	if len(groups) != len(want) {
		return errors.New("a UUID has five groups of hexadecimal digits with hyphens between them")
	}
	for i, group := range groups {
		if len(group) != want[i] || strings.Trim(group, "0123456789abcdefABCDEF") != "" {
			return errors.New("a UUID has groups of 8, 4, 4, 4 and 12 hexadecimal digits")
		}
	}
	return nil
}

// checkOID: numbers without leading zeros, with dots between them (RFC 3061).
func checkOID(nss string) error {
	for number := range strings.SplitSeq(nss, ".") {
		if number == "" || strings.Trim(number, "0123456789") != "" || len(number) > 1 && number[0] == '0' {
			return errors.New("an object identifier has numbers without leading zeros and dots between them")
		}
	}
	return nil
}
