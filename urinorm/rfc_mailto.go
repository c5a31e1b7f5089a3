package urinorm

import (
	"strconv"
	"strings"
	"unicode/utf8"
)

// Mailto holds the parts of a mailto URI (RFC 6068 section 2), percent-decoded. A
// URI without an address is valid: it opens an empty message.
type Mailto struct {
	To, CC, BCC []Address     // To has those of the path, then those of "to" fields
	Fields      []MailtoField // every header field, also to, cc and bcc, as written
}

// MailtoField is a header field of a mailto URI, decoded.
type MailtoField struct{ Name, Value string }

// Address is an addr-spec (RFC 6068 section 2), decoded.
type Address struct {
	Local string // quoted as written; UTF-8 where mail is internationalized (RFC 6532)
	// Domain is the part after the '@' in the form of the DNS: in lower case,
	// internationalized labels as A-labels. An address literal keeps its brackets.
	Domain string
}

// String returns local@domain.
func (a Address) String() string { return a.Local + "@" + a.Domain }

// Literal reports whether the domain is an address literal such as "[192.0.2.1]",
// which is not a name in the DNS.
func (a Address) Literal() bool { return strings.HasPrefix(a.Domain, "[") }

// Addresses returns all addresses, To before CC before BCC.
func (m Mailto) Addresses() []Address {
	all := make([]Address, 0, len(m.To)+len(m.CC)+len(m.BCC))
	return append(append(append(all, m.To...), m.CC...), m.BCC...)
}

// maxMailAddresses is the most addresses that ParseMailto accepts.
const maxMailAddresses = 1000

// The greatest lengths of an address in octets: those of a local part (RFC 5321 section
// 4.5.3.1.1) and of a whole address, which is a path of 256 octets without its angle
// brackets (section 4.5.3.1.3). The DNS limits domains to 253 octets.
const (
	maxMailLocal   = 64
	maxMailAddress = 254
)

// ParseMailto parses a mailto URI, "mailto:" included (RFC 6068). Addresses must
// follow the grammar and keep to the limits of SMTP (RFC 5321 section 4.5.3.1), but spaces
// around them are ignored, as mail programs do.
// Header fields need only a '=' and well-formed percent-encodings. A fragment is
// ignored.
//
// The error is an [*Error] that wraps a [*SyntaxError] of RFC 6068 or RFC 5321, or [ErrDomain].
func ParseMailto(s string) (Mailto, error) {
	m, err := parseMailto(s)
	if err != nil {
		return Mailto{}, newError("parse mailto", s, err)
	}
	return m, nil
}

func mailtoError(rule string, offset int, reason string) error {
	return &SyntaxError{Standard: "RFC 6068", Rule: rule, Offset: offset, Reason: reason}
}

func parseMailto(s string) (Mailto, error) {
	var m Mailto
	const prefix = len("mailto:")
	if len(s) < prefix || !strings.EqualFold(s[:prefix], "mailto:") {
		return m, mailtoError("mailtoURI", 0, `a mailto URI begins with "mailto:"`)
	}
	s, _, _ = strings.Cut(s, "#")
	if strings.HasPrefix(s[prefix:], "//") {
		return m, mailtoError("mailtoURI", prefix, `"//" is not part of a mailto URI`)
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

// addField parses hfield = hfname "=" hfvalue.
func (m *Mailto) addField(field string, offset int) error {
	if field == "" {
		return nil // "?" alone, or "&&"
	}
	name, value, found := strings.Cut(field, "=")
	if !found {
		return mailtoError("hfield", offset, "'=' is missing in a header field")
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

// mailDecode decodes a part, which must be UTF-8 (RFC 6068 section 5).
func mailDecode(s, rule string, offset int) (string, error) {
	for i := 0; i < len(s); i++ {
		if s[i] == '%' && (i+2 >= len(s) || !rfcIs(s[i+1], rfcHex) || !rfcIs(s[i+2], rfcHex)) {
			return "", mailtoError(rule, offset+i, "'%' is not followed by two hexadecimal digits")
		}
	}
	decoded := percentDecode(s)
	if !utf8.ValidString(decoded) {
		return "", mailtoError(rule, offset, "the percent-encoded text is not UTF-8")
	}
	return decoded, nil
}

// appendAddresses parses [ addr-spec *("," addr-spec ) ]. A comma in an address is
// percent-encoded, so each ',' is a separator.
func appendAddresses(list []Address, s string, offset int) ([]Address, error) {
	if s == "" {
		return list, nil
	}
	for spec := range strings.SplitSeq(s, ",") {
		if len(list) == maxMailAddresses {
			return list, mailtoError("to", offset, "there are more than "+strconv.Itoa(maxMailAddresses)+" addresses")
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

// parseAddress parses addr-spec = local-part "@" domain.
func parseAddress(spec string, offset int) (Address, error) {
	decoded, err := mailDecode(spec, "addr-spec", offset)
	if err != nil {
		return Address{}, err
	}
	decoded = strings.Trim(decoded, " \t\r\n")
	syntaxError := func(rule, reason string) (Address, error) {
		return Address{}, mailtoError(rule, offset, reason)
	}
	at := strings.LastIndexByte(decoded, '@')
	switch {
	case decoded == "":
		return syntaxError("addr-spec", "an address is empty")
	case at < 0:
		return syntaxError("addr-spec", "an address has no '@'")
	case at == 0:
		return syntaxError("local-part", "there is nothing before the '@'")
	case at+1 == len(decoded):
		return syntaxError("domain", "there is nothing after the '@'")
	}
	local, domain := decoded[:at], decoded[at+1:]
	if reason := localPartProblem(local); reason != "" {
		return syntaxError("local-part", reason)
	}
	if strings.HasPrefix(domain, "[") {
		if !isAddressLiteral(domain) {
			return syntaxError("domain", "the address literal is malformed")
		}
		return limitAddress(Address{local, domain}, offset)
	}
	if reason := dotAtomProblem(domain); reason != "" {
		return syntaxError("domain", reason)
	}
	ascii, err := mailDomain(domain)
	if err != nil {
		return Address{}, err
	}
	return limitAddress(Address{local, ascii}, offset)
}

// limitAddress returns an address that is not longer than SMTP allows, else an error. The
// domain counts in the form of the DNS, in which it is sent.
func limitAddress(a Address, offset int) (Address, error) {
	tooLong := func(rule, part string, octets, limit int) (Address, error) {
		reason := part + " has " + strconv.Itoa(octets) + " octets; mail servers need to accept only " + strconv.Itoa(limit)
		return Address{}, &SyntaxError{Standard: "RFC 5321", Rule: rule, Offset: offset, Reason: reason}
	}
	if n := len(a.Local); n > maxMailLocal {
		return tooLong("Local-part", "the part before the '@'", n, maxMailLocal)
	}
	if n := len(a.String()); n > maxMailAddress {
		return tooLong("Mailbox", "an address", n, maxMailAddress)
	}
	return a, nil
}

// localPartProblem returns why s is not local-part = dot-atom-text / quoted-string, ""
// if it is.
func localPartProblem(local string) string {
	if local[0] != '"' {
		return dotAtomProblem(local)
	}
	if len(local) < 2 || local[len(local)-1] != '"' {
		return "a quoted local part has no closing quotation mark"
	}
	for i := 1; i < len(local)-1; i++ {
		switch c := local[i]; {
		case c == '\\':
			if i++; i == len(local)-1 {
				return "a backslash has no character to quote"
			}
		case c == '"':
			return "a quotation mark in the local part has no backslash"
		case c < ' ' && c != '\t', c == 0x7F:
			return "the local part contains a control character"
		}
	}
	return ""
}

// dotAtomProblem returns why s is not dot-atom-text = 1*atext *("." 1*atext), where
// atext includes UTF-8 (RFC 6532 section 3.2), "" if it is.
func dotAtomProblem(s string) string {
	switch {
	case s[0] == '.' || s[len(s)-1] == '.' || strings.Contains(s, ".."):
		return "a '.' is at the beginning, at the end or next to another '.'"
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

// isAddressLiteral reports whether s is "[" *dtext-no-obs "]"
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

// mailDomain converts a domain to the form of the DNS, by the rules for hosts of web
// URLs (UTS 46), and checks the lengths that the DNS allows.
func mailDomain(domain string) (string, error) {
	last := domain[strings.LastIndexByte(domain, '.')+1:]
	if strings.ContainsAny(domain, "%/?#:@\\") || strings.Trim(last, "0123456789") == "" {
		return "", ErrDomain // the URL parser would read another part, or an IPv4 address
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

// rfcLowerDomains changes the domains of a list of addresses to lower case (RFC 3986
// section 6.2.3). Local parts keep their case, which only their host can interpret.
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

// mailEquivalence moves the addresses of "to" fields to the path and changes field
// names to lower case. The other fields keep their order.
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
