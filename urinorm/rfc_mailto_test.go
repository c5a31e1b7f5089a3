package urinorm

import (
	"errors"
	"fmt"
	"strings"
	"testing"
)

func TestParseMailto(t *testing.T) {
	tests := []struct{ in, to, cc, bcc, fields string }{
		// The examples of RFC 6068 section 6.
		{in: "mailto:chris@example.com", to: "chris@example.com"},
		{in: "mailto:infobot@example.com?subject=current-issue", to: "infobot@example.com", fields: "subject=current-issue"},
		{in: "mailto:list@example.org?In-Reply-To=%3C3469A91.D10AF4C@example.com%3E", to: "list@example.org",
			fields: "In-Reply-To=<3469A91.D10AF4C@example.com>"},
		{in: "mailto:joe@example.com?cc=bob@example.com&body=hello", to: "joe@example.com", cc: "bob@example.com",
			fields: "cc=bob@example.com|body=hello"},
		{in: "mailto:gorby%25kremvax@example.com", to: "gorby%kremvax@example.com"},
		{in: "mailto:unlikely%3Faddress@example.com?blat=foop", to: "unlikely?address@example.com", fields: "blat=foop"},
		{in: "mailto:%22not%40me%22@example.org", to: `"not@me"@example.org`},
		{in: "mailto:%22oh%5C%5Cno%22@example.org", to: `"oh\\no"@example.org`},
		{in: "mailto:%22%5C%5C%5C%22it's%5C%20ugly%5C%5C%5C%22%22@example.org",
			to: `"\\\"it's\ ugly\\\""@example.org`},
		{in: "mailto:user@example.org?subject=caf%C3%A9", to: "user@example.org", fields: "subject=café"},
		{in: "mailto:user@%E7%B4%8D%E8%B1%86.example.org?subject=Test&body=NATTO",
			to: "user@xn--99zt52a.example.org", fields: "subject=Test|body=NATTO"},
		{in: "mailto:?to=addr1@an.example,addr2@an.example", to: "addr1@an.example addr2@an.example",
			fields: "to=addr1@an.example,addr2@an.example"},
		{in: "mailto:addr1@an.example?to=addr2@an.example", to: "addr1@an.example addr2@an.example",
			fields: "to=addr2@an.example"},
		// Others.
		{in: "MAILTO:Joe@EXAMPLE.com,a+b@x.example", to: "Joe@example.com a+b@x.example"},
		{in: "mailto:"},
		{in: "mailto:?"},
		{in: "mailto:?subject=Hello World&&bcc=a@b.example#x", bcc: "a@b.example", fields: "subject=Hello World|bcc=a@b.example"},
		{in: "mailto:a@b.example,%20c@d.example", to: "a@b.example c@d.example"},
		{in: "mailto:m%C3%BCller@b%C3%BCcher.example", to: "müller@xn--bcher-kva.example"},
		{in: "mailto:müller@bücher.example", to: "müller@xn--bcher-kva.example"},
		{in: "mailto:joe@[192.0.2.1]", to: "joe@[192.0.2.1]"},
		{in: "mailto:joe@[IPv6:2001:db8::1]", to: "joe@[IPv6:2001:db8::1]"},
		{in: "mailto:root@localhost", to: "root@localhost"},
		{in: "mailto:a,b%2Cc@d", to: "error"},
		{in: "mailto:%22b%2Cc%22@d.example", to: `"b,c"@d.example`},
		{in: "mailto:a@b.example?body=1/2?3", to: "a@b.example", fields: "body=1/2?3"},
		{in: "mailto:a@b.example?body=x=y", to: "a@b.example", fields: "body=x=y"},
	}
	for _, test := range tests {
		m, err := ParseMailto(test.in)
		if test.to == "error" {
			if err == nil {
				t.Errorf("%q: %+v", test.in, m)
			}
			continue
		}
		var fields []string
		for _, f := range m.Fields {
			fields = append(fields, f.Name+"="+f.Value)
		}
		if err != nil || join(m.To) != test.to || join(m.CC) != test.cc || join(m.BCC) != test.bcc ||
			strings.Join(fields, "|") != test.fields {
			t.Errorf("%q: %+v, %v", test.in, m, err)
		}
		if n := len(m.Addresses()); n != len(m.To)+len(m.CC)+len(m.BCC) {
			t.Errorf("%q: %d addresses", test.in, n)
		}
	}
}

func join(addresses []Address) string {
	var all []string
	for _, a := range addresses {
		all = append(all, a.String())
	}
	return strings.Join(all, " ")
}

func TestParseMailtoFault(t *testing.T) {
	tests := []struct {
		in, rule string
		offset   int
	}{
		{"joe@example.com", "mailtoURI", 0},
		{"mailto://joe@example.com", "mailtoURI", 7},
		{"mailto:joe", "addr-spec", 7},
		{"mailto:a@b.example,", "addr-spec", 19},
		{"mailto:a@b.example,joe", "addr-spec", 19},
		{"mailto:@example.com", "local-part", 7},
		{"mailto:joe@", "domain", 7},
		{"mailto:joe@example..com", "domain", 7},
		{"mailto:joe@.example.com", "domain", 7},
		{"mailto:joe@example.com.", "domain", 7},
		{"mailto:joe.@example.com", "local-part", 7},
		{"mailto:joe doe@example.com", "local-part", 7},
		{"mailto:a@b.example;c@d.example", "local-part", 7},
		{"mailto:Joe%20%3Cjoe@example.com%3E", "local-part", 7},
		{"mailto:%22joe@example.com", "local-part", 7},
		{"mailto:%22j%22oe%22@example.com", "local-part", 7},
		{"mailto:%22joe%5C%22@example.com", "local-part", 7},
		{"mailto:%22j%00%22@example.com", "local-part", 7},
		{"mailto:joe@exa mple.com", "domain", 7},
		{"mailto:joe@[192.0.2.1", "domain", 7},
		{"mailto:joe@[]", "domain", 7},
		{"mailto:joe@[a\\b]", "domain", 7},
		{"mailto:joe%4@example.com", "addr-spec", 10},
		{"mailto:joe%FF@example.com", "addr-spec", 7},
		{"mailto:joe@example.com?subject", "hfield", 23},
		{"mailto:joe@example.com?subject=%", "hfvalue", 31},
		{"mailto:joe@example.com?a=b&%FF=c", "hfname", 27},
		{"mailto:?cc=joe", "addr-spec", 11},
		{"mailto:?" + strings.Repeat("to=a@b&", maxMailAddresses) + "bcc=x,", "addr-spec", 8 + 7*maxMailAddresses + 4},
		{"mailto:" + strings.Repeat("a@b,", maxMailAddresses) + "c@d", "to", 7 + 4*maxMailAddresses},
	}
	for _, test := range tests {
		_, err := ParseMailto(test.in)
		var fault *SyntaxError
		if !errors.As(err, &fault) || fault.Rule != test.rule || fault.Offset != test.offset {
			t.Errorf("%.60q: %v; want rule %s at byte %d", test.in, err, test.rule, test.offset)
		}
	}
	for _, domain := range []string{
		"xn--a.example%00", "exa%2Fmple", "1.2.3.4", "example.123", strings.Repeat("a", 64) + ".example",
		strings.Repeat("aaa.", 64) + "example", "a%3Ab",
	} {
		if _, err := ParseMailto("mailto:joe@" + domain); err == nil {
			t.Errorf("the domain %q passes", domain)
		}
	}
	if _, err := ParseMailto("mailto:joe@example.123"); !errors.Is(err, ErrDomain) {
		t.Errorf("a numeric domain: %v", err)
	}
}

// TestMailtoLimits covers the limits of SMTP in octets (RFC 5321 section 4.5.3.1).
func TestMailtoLimits(t *testing.T) {
	label := strings.Repeat("d", 63) + "."
	local := func(n int) string { return strings.Repeat("l", n) }
	for _, c := range []struct{ in, rule string }{
		{local(64) + "@d.example", ""},
		{local(65) + "@d.example", "Local-part"},
		{strings.Repeat("%C3%BC", 32) + "@d.example", ""},
		{strings.Repeat("%C3%BC", 32) + "x@d.example", "Local-part"},
		{"%22" + local(62) + "%22@d.example", ""},
		{"%22" + local(63) + "%22@d.example", "Local-part"},
		{local(64) + "@" + label + label + local(61), ""},
		{local(64) + "@" + label + label + local(62), "Mailbox"},
		{local(64) + "@[" + local(187) + "]", ""},
		{local(64) + "@[" + local(188) + "]", "Mailbox"},
		{local(64) + "@" + label + label + strings.Repeat("%C3%BC.", 10) + "example", "Mailbox"}, // longer as A-labels
		{"a@b.example," + local(65) + "@d.example", "Local-part"},
		{"?cc=" + local(65) + "@d.example", "Local-part"},
	} {
		_, err := ParseMailto("mailto:" + c.in)
		var fault *SyntaxError
		switch {
		case c.rule == "":
			if err != nil {
				t.Errorf("%s: %v", c.in, err)
			}
		case !errors.As(err, &fault) || fault.Standard != "RFC 5321" || fault.Rule != c.rule:
			t.Errorf("%s: %v; want rule %s", c.in, err, c.rule)
		}
	}
}

func TestAddressLiteral(t *testing.T) {
	for in, want := range map[string]bool{"joe@[192.0.2.1]": true, "joe@example.com": false} {
		m, err := ParseMailto("mailto:" + in)
		if err != nil || m.To[0].Literal() != want {
			t.Errorf("%s: %+v, %v", in, m, err)
		}
		if fmt.Sprint(m.To[0]) != in {
			t.Errorf("%s prints as %v", in, m.To[0])
		}
	}
}
