package urinorm

import (
	"strings"
	"unicode/utf8"
)

// Mailto is a mailto URI taken apart (RFC 6068 section 2), percent-encodings
// decoded. An URI without any address is valid: it opens an empty letter.
type Mailto struct {
	To, CC, BCC []Address     // To: the path, then the "to" fields
	Fields      []MailtoField // every header field, also to, cc and bcc, as written
}

// MailtoField is a header field of a mailto URI, decoded.
type MailtoField struct{ Name, Value string }

// Address is an addr-spec (RFC 6068 section 2), decoded.
type Address struct {
	Local string // quoted as written; UTF-8 where mail is internationalized (RFC 6532)
	// Domain is the part behind the '@' as a resolver wants it: lower case,
	// internationalized labels as A-labels. An address literal keeps its brackets.
	Domain string
}

// String returns local@domain.
func (a Address) String() string { return a.Local + "@" + a.Domain }

// Literal reports whether the domain is an address literal such as
// "[192.0.2.1]", for which there is no name to look up.
func (a Address) Literal() bool { return strings.HasPrefix(a.Domain, "[") }

// Addresses returns all addresses, To before CC before BCC.
func (m Mailto) Addresses() []Address {
	all := make([]Address, 0, len(m.To)+len(m.CC)+len(m.BCC))
	return append(append(append(all, m.To...), m.CC...), m.BCC...)
}

// MaxMailAddresses is how many addresses ParseMailto reads from one URI.
const MaxMailAddresses = 1000

// ParseMailto reads a mailto URI, "mailto:" included, by RFC 6068. Addresses are
// held to the grammar strictly; blanks around them are passed over, as every mail
// program does. Header fields are read liberally: only what no program could
// understand is an error, a field without '=' or a '%' without its digits. A
// fragment is left aside.
//
// The error wraps a [*SyntaxError] of RFC 6068 or [ErrDomain].
func ParseMailto(s string) (Mailto, error) {
	m, err := parseMailto(s)
	if err != nil {
		return Mailto{}, newError("parse mailto", s, err)
	}
	return m, nil
}

func mailFault(rule string, offset int, reason string) error {
	return &SyntaxError{Standard: "RFC 6068", Rule: rule, Offset: offset, Reason: reason}
}

func parseMailto(s string) (Mailto, error) {
	var m Mailto
	const prefix = len("mailto:")
	if len(s) < prefix || !strings.EqualFold(s[:prefix], "mailto:") {
		return m, mailFault("mailtoURI", 0, `it does not begin with "mailto:"`)
	}
	s, _, _ = strings.Cut(s, "#")
	if strings.HasPrefix(s[prefix:], "//") {
		return m, mailFault("mailtoURI", prefix, `"//" is not part of a mailto URI`)
	}
	end := strings.IndexByte(s, '?')
	if end < 0 {
		end = len(s)
	}
	var err error
	if m.To, err = appendAddresses(m.To, s[prefix:end], prefix); err != nil || end == len(s) {
		return m, err
	}
	at := end + 1
	for field := range strings.SplitSeq(s[at:], "&") {
		if err := m.addField(field, at); err != nil {
			return m, err
		}
		at += len(field) + 1
	}
	return m, nil
}

// addField reads hfield = hfname "=" hfvalue.
func (m *Mailto) addField(field string, offset int) error {
	if field == "" {
		return nil // "?" alone, or "&&": nothing is lost
	}
	name, value, found := strings.Cut(field, "=")
	if !found {
		return mailFault("hfield", offset, "'=' is missing in a header field")
	}
	valueAt := offset + len(name) + 1
	decodedName, err := mailDecode(name, "hfname", offset)
	if err != nil {
		return err
	}
	decoded, err := mailDecode(value, "hfvalue", valueAt)
	if err != nil {
		return err
	}
	m.Fields = append(m.Fields, MailtoField{decodedName, decoded})
	switch rfcLowerASCII(decodedName) {
	case "to":
		m.To, err = appendAddresses(m.To, value, valueAt)
	case "cc":
		m.CC, err = appendAddresses(m.CC, value, valueAt)
	case "bcc":
		m.BCC, err = appendAddresses(m.BCC, value, valueAt)
	}
	return err
}

// mailDecode decodes a part and asks for UTF-8, the encoding of RFC 6068 section 5.
func mailDecode(s, rule string, offset int) (string, error) {
	for i := 0; i < len(s); i++ {
		if s[i] == '%' && (i+2 >= len(s) || !rfcIs(s[i+1], rfcHex) || !rfcIs(s[i+2], rfcHex)) {
			return "", mailFault(rule, offset+i, "'%' needs two hexadecimal digits behind it")
		}
	}
	decoded := rfcPercentDecode(s)
	if !utf8.ValidString(decoded) {
		return "", mailFault(rule, offset, "what is percent-encoded is no UTF-8")
	}
	return decoded, nil
}

// appendAddresses reads to = addr-spec *("," addr-spec ), or nothing. A comma in
// an address is percent-encoded, so each ',' separates.
func appendAddresses(list []Address, s string, offset int) ([]Address, error) {
	if s == "" {
		return list, nil
	}
	for spec := range strings.SplitSeq(s, ",") {
		if len(list) == MaxMailAddresses {
			return list, mailFault("to", offset, "too many addresses")
		}
		address, err := parseAddress(spec, offset)
		if err != nil {
			return list, err
		}
		list = append(list, address)
		offset += len(spec) + 1
	}
	return list, nil
}

// parseAddress reads addr-spec = local-part "@" domain.
func parseAddress(spec string, offset int) (Address, error) {
	decoded, err := mailDecode(spec, "addr-spec", offset)
	if err != nil {
		return Address{}, err
	}
	decoded = strings.Trim(decoded, " \t\r\n")
	fault := func(rule, reason string) (Address, error) {
		return Address{}, mailFault(rule, offset, reason)
	}
	at := strings.LastIndexByte(decoded, '@')
	switch {
	case decoded == "":
		return fault("addr-spec", "an address is empty")
	case at < 0:
		return fault("addr-spec", "an address has no '@'")
	case at == 0:
		return fault("local-part", "nothing stands before the '@'")
	case at+1 == len(decoded):
		return fault("domain", "nothing stands behind the '@'")
	}
	local, domain := decoded[:at], decoded[at+1:]
	if reason := localPartFault(local); reason != "" {
		return fault("local-part", reason)
	}
	if strings.HasPrefix(domain, "[") {
		if !isAddressLiteral(domain) {
			return fault("domain", "the address literal is malformed")
		}
		return Address{local, domain}, nil
	}
	if reason := dotAtomFault(domain); reason != "" {
		return fault("domain", reason)
	}
	ascii, err := mailDomain(domain)
	if err != nil {
		return Address{}, err
	}
	return Address{local, ascii}, nil
}

// localPartFault: local-part = dot-atom-text / quoted-string
func localPartFault(local string) string {
	if local[0] != '"' {
		return dotAtomFault(local)
	}
	if len(local) < 2 || local[len(local)-1] != '"' {
		return "a quoted local part has no closing quotation mark"
	}
	for i := 1; i < len(local)-1; i++ {
		switch c := local[i]; {
		case c == '\\':
			if i++; i == len(local)-1 {
				return "a backslash quotes nothing"
			}
		case c == '"':
			return "a quotation mark in the local part is not quoted"
		case c < ' ' && c != '\t', c == 0x7F:
			return "a control character in the local part"
		}
	}
	return ""
}

// dotAtomFault: dot-atom-text = 1*atext *("." 1*atext), with UTF-8 for atext as
// well (RFC 6532 section 3.2).
func dotAtomFault(s string) string {
	switch {
	case s[0] == '.' || s[len(s)-1] == '.' || strings.Contains(s, ".."):
		return "a '.' stands at an end or beside another"
	}
	for i, c := range s {
		if c < utf8.RuneSelf && !isAtext(byte(c)) && c != '.' {
			return rfcShowChar(s[i:]) + " is not allowed unquoted"
		}
	}
	return ""
}

func isAtext(c byte) bool {
	return rfcIs(c, rfcAlpha|rfcDigit) || strings.IndexByte("!#$%&'*+-/=?^_`{|}~", c) >= 0
}

// isAddressLiteral: "[" *dtext-no-obs "]"
func isAddressLiteral(s string) bool {
	if len(s) < 3 || s[len(s)-1] != ']' {
		return false
	}
	for i := 1; i < len(s)-1; i++ {
		if c := s[i]; c <= ' ' || c >= 0x7F || c == '[' || c == ']' || c == '\\' {
			return false
		}
	}
	return true
}

// mailDomain brings a domain into the form a resolver wants, with the rules for
// hosts of web URLs (UTS 46), and holds it to the lengths of the DNS.
func mailDomain(domain string) (string, error) {
	last := domain[strings.LastIndexByte(domain, '.')+1:]
	if strings.ContainsAny(domain, "%/?#:@\\") || strings.Trim(last, "0123456789") == "" {
		return "", ErrDomain // the host parser would see another part, or an IPv4 address
	}
	u, _, err := ParseWeb("http://" + domain + "/")
	if err != nil {
		return "", ErrDomain
	}
	host := u.Host()
	if len(host) > 253 {
		return "", ErrDomain
	}
	for label := range strings.SplitSeq(host, ".") {
		if label == "" || len(label) > 63 {
			return "", ErrDomain
		}
	}
	return host, nil
}

func checkMailto(rest string) error {
	_, err := parseMailto("mailto:" + rest)
	return err
}

// rfcLowerDomains puts the domains of a list of addresses into lower case, which
// is what RFC 3986 section 6.2.3 normalizes in a mailto URI. Local parts keep
// their case: only their own host may know it.
func rfcLowerDomains(list string) string {
	if !strings.Contains(list, "@") {
		return list
	}
	specs := strings.Split(list, ",")
	for i, spec := range specs {
		if at := strings.LastIndexByte(spec, '@'); at >= 0 {
			specs[i] = spec[:at] + rfcLowerOutsidePercent(spec[at:])
		}
	}
	return strings.Join(specs, ",")
}

// mailEquivalence gives a mailto URI one order: the addresses of "to", wherever
// they stood, in the path; then the other fields as they came, names in lower
// case.
func mailEquivalence(r *Reference) {
	to := []string{}
	if r.Path != "" {
		to = append(to, r.Path)
	}
	fields := []string{}
	for field := range strings.SplitSeq(r.Query.Value, "&") {
		name, value, _ := strings.Cut(field, "=")
		name = rfcLowerASCII(name)
		switch {
		case field == "":
		case name == "to" && value != "":
			to = append(to, rfcLowerDomains(value))
		case name == "cc" || name == "bcc":
			fields = append(fields, name+"="+rfcLowerDomains(value))
		case name != "to":
			fields = append(fields, name+"="+value)
		}
	}
	r.Path = strings.Join(to, ",")
	r.Query = Component{Value: strings.Join(fields, "&"), Defined: len(fields) > 0}
}
