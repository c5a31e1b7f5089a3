package judging

import (
	"context"
	"errors"
	"net"
	"testing"

	"github.com/orbweaver/orbweaver/crawler/check"
	"github.com/orbweaver/orbweaver/crawler/fetch"
	"github.com/orbweaver/orbweaver/urinorm"
)

var _ fetch.Resolver = (*net.Resolver)(nil)

// zone is a Resolver with the records of a test.
type zone struct {
	mx        map[string][]*net.MX
	addresses map[string][]net.IP
	broken    map[string]bool
	unproven  map[string]bool // missing here, but not necessarily elsewhere
	asked     int
}

func (z *zone) answer(ctx context.Context, name string, found bool) error {
	z.asked++
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case z.broken[name]:
		return &net.DNSError{Err: "server misbehaving", Name: name, IsTemporary: true}
	case !found && z.unproven[name]:
		return &net.DNSError{Err: "no such host", Name: name, IsNotFound: true, IsTemporary: true}
	case !found:
		return &net.DNSError{Err: "no such host", Name: name, IsNotFound: true}
	}
	return nil
}

func (z *zone) LookupMX(ctx context.Context, name string) ([]*net.MX, error) {
	return z.mx[name], z.answer(ctx, name, len(z.mx[name]) > 0)
}

func (z *zone) LookupIP(ctx context.Context, network, host string) ([]net.IP, error) {
	if network != "ip" {
		return nil, errors.New("unexpected network " + network)
	}
	return z.addresses[host], z.answer(ctx, host, len(z.addresses[host]) > 0)
}

// malformed returns records and an error, as net.Resolver does if it left some out.
type malformed struct{ *zone }

func (m malformed) LookupMX(ctx context.Context, name string) ([]*net.MX, error) {
	records, _ := m.zone.LookupMX(ctx, name)
	return records, &net.DNSError{Err: "DNS response contained records which contain invalid names", Name: name}
}

// addressesFail answers that there is no MX record, and fails to look up addresses.
type addressesFail struct{ *zone }

func (a addressesFail) LookupMX(ctx context.Context, name string) ([]*net.MX, error) {
	return nil, &net.DNSError{Err: "no such host", Name: name, IsNotFound: true}
}

// endsBetween cancels the run after the first answer.
type endsBetween struct {
	*zone
	end func()
}

func (e endsBetween) LookupMX(ctx context.Context, name string) ([]*net.MX, error) {
	defer e.end()
	return e.zone.LookupMX(ctx, name)
}

func (e endsBetween) LookupIP(ctx context.Context, network, host string) ([]net.IP, error) {
	return nil, ctx.Err()
}

func testZone() *zone {
	return &zone{
		mx: map[string][]*net.MX{
			"example.com.":      {{Host: "mail.example.com.", Pref: 10}},
			"xn--bcher-kva.de.": {{Host: "mail.example.com.", Pref: 10}},
			"null.example.":     {{Host: ".", Pref: 0}},
		},
		addresses: map[string][]net.IP{"www.example.com.": {net.IPv4(192, 0, 2, 1)}, "six.example.": {net.ParseIP("2001:db8::1")}},
		broken:    map[string]bool{"broken.example.": true},
		unproven:  map[string]bool{"hidden.example.": true, "www.example.com.": true},
	}
}

func TestCheckMailto(t *testing.T) {
	tests := []struct {
		ref     string
		code    check.Code
		warning check.Code
		message string
	}{
		{"mailto:joe@example.com", check.CodeOK, "", ""},
		{"mailto:joe@EXAMPLE.com?subject=x", check.CodeOK, "", ""},
		{"mailto:joe@b%C3%BCcher.de", check.CodeOK, "", ""},
		{"mailto:joe@www.example.com", check.CodeOK, CodeNoMX, "the domain www.example.com has no MX record; mail would go to the host itself"},
		{"mailto:joe@six.example", check.CodeOK, CodeNoMX, ""},
		{"mailto:joe@null.example", check.CodeOK, CodeNoMX, "the domain null.example declares that it accepts no mail"},
		{"mailto:joe@gone.example", check.CodeDNSNotFound, "", "the mail domain gone.example does not exist"},
		{"mailto:joe@broken.example", check.CodeDNSFailure, "", "the name server did not answer for broken.example"},
		{"mailto:joe@hidden.example", check.CodeDNSFailure, "", "this machine does not know the mail domain hidden.example, but it is behind a proxy and may not know all names"},
		{"mailto:a@example.com,b@gone.example", check.CodeDNSNotFound, "", ""},
		{"mailto:a@broken.example,b@gone.example", check.CodeDNSNotFound, "", ""},
		{"mailto:a@broken.example,b@example.com", check.CodeDNSFailure, "", ""},
		{"mailto:a@example.com?cc=b@gone.example", check.CodeDNSNotFound, "", ""},
		{"mailto:a@www.example.com,b@example.com", check.CodeOK, CodeNoMX, ""},
		{"mailto:joe@[192.0.2.1]", check.CodeOK, "", ""},
		{"mailto:?subject=x", check.CodeOK, "", ""},
		{"mailto:", check.CodeOK, "", ""},
	}
	for _, test := range tests {
		m, err := urinorm.ParseMailto(test.ref)
		if err != nil {
			t.Fatal(err)
		}
		o := CheckMailto(t.Context(), testZone(), m.Addresses())
		message, warning := o.Message, check.Code("")
		if len(o.Warnings) > 0 {
			warning, message = o.Warnings[0].Code, o.Warnings[0].Message
		}
		if o.Code != test.code || warning != test.warning || test.message != "" && message != test.message {
			t.Errorf("%s: %s %s %q, want %s %s %q", test.ref, o.Code, warning, message, test.code, test.warning, test.message)
		}
	}
}

func TestCheckMailtoBounds(t *testing.T) {
	var addresses []urinorm.Address
	for i := range 100 {
		addresses = append(addresses, urinorm.Address{Local: "a", Domain: "example.com"},
			urinorm.Address{Local: "a", Domain: string(rune('a'+i%26)) + string(rune('a'+i/26)) + ".www.example.com"})
	}
	z := testZone()
	z.addresses = map[string][]net.IP{}
	for _, a := range addresses {
		z.addresses[a.Domain+"."] = []net.IP{net.IPv4(192, 0, 2, 1)}
	}
	if o := CheckMailto(t.Context(), z, addresses); o.Code != check.CodeOK || z.asked > 2*MaxMailDomains {
		t.Errorf("%s after %d questions", o.Code, z.asked)
	}
	if o := CheckMailto(t.Context(), nil, addresses); o.Code != check.CodeOK {
		t.Errorf("without a resolver: %s", o.Code)
	}
	cancelled, cancel := context.WithCancel(t.Context())
	cancel()
	if o := CheckMailto(cancelled, &zone{}, addresses); o.Code != check.CodeInterrupted {
		t.Errorf("cancelled: %s", o.Code)
	}
	half := testZone()
	half.addresses, half.broken["www.example.com."] = nil, true
	if o := CheckMailto(t.Context(), addressesFail{half}, []urinorm.Address{{Local: "a", Domain: "www.example.com"}}); o.Code != check.CodeDNSFailure {
		t.Errorf("an address that cannot be looked up: %s", o.Code)
	}
	ending, end := context.WithCancel(t.Context())
	if o := CheckMailto(ending, endsBetween{testZone(), end}, []urinorm.Address{{Local: "a", Domain: "www.example.com"}}); o.Code != check.CodeInterrupted {
		t.Errorf("cancelled between the questions: %s", o.Code)
	}
	some := malformed{testZone()}
	if o := CheckMailto(t.Context(), some, []urinorm.Address{{Local: "a", Domain: "example.com"}}); o.Code != check.CodeOK {
		t.Errorf("an error beside records: %s", o.Code)
	}
}
