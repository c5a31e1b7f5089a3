package check

import (
	"strings"
	"testing"

	"github.com/orbweaver/orbweaver/urinorm"
)

func TestUncheckedScheme(t *testing.T) {
	tests := []struct {
		ref     string
		code    Code
		message string // a part of it
	}{
		{"javascript:void(0)", CodeSchemeUnchecked, "javascript: addresses are not checked"},
		{"JavaScript:void(0)", CodeSchemeUnchecked, "javascript:"},
		{"data:text/plain,hello", CodeSchemeUnchecked, "data:"},
		{"tel:+1-201-555-0123", CodeSchemeUnchecked, ""},
		{" tel:+1-201-555-0123\n", CodeSchemeUnchecked, ""},
		{"tel:call me", CodeURIInvalid, "RFC 3966"},
		{"tel:", CodeURIInvalid, "RFC 3966"},
		{"tel:+", CodeURIInvalid, ""},
		{"tel:none", CodeURIInvalid, ""},
		{"tel:;ext=12", CodeURIInvalid, ""},
		{"urn:isbn:0451450523", CodeSchemeUnchecked, ""},
		{"urn:isbn", CodeURIInvalid, "RFC 8141"},
		{"urn:isbn:978-0-306-40615-7", CodeSchemeUnchecked, ""},
		{"urn:isbn:978-0-306-40615-8", CodeURIInvalid, ""}, // its check digit
		{"urn:issn:0317-8471", CodeSchemeUnchecked, ""},
		{"urn:issn:0317-8472", CodeURIInvalid, ""},
		{"urn:uuid:f81d4fae-7dec-11d0-a765-00a0c91e6bf6", CodeSchemeUnchecked, ""},
		{"urn:uuid:f81d4fae-7dec-11d0-a765", CodeURIInvalid, ""},
		{"data:text/html;base64,PGI+", CodeSchemeUnchecked, ""},
		{"data:text/html", CodeURIInvalid, ""},
		{"data:;base64,%", CodeURIInvalid, ""},
		{"sms:+15105550101?body=hello%20there", CodeSchemeUnchecked, ""},
		{"sms:call me", CodeURIInvalid, "RFC 3966"},
		{"geo:48.2010,16.3695,183;u=5", CodeSchemeUnchecked, ""},
		{"geo:north", CodeURIInvalid, "RFC 5870"},
		{"geo:91,0", CodeURIInvalid, "RFC 5870"},
		{"info:lccn/n78089035", CodeSchemeUnchecked, ""},
		{"info:lccn", CodeURIInvalid, "RFC 4452"},
		{"doi:11.1000/182", CodeURIInvalid, "ISO 26324"},
		{"magnet:?dn=name", CodeURIInvalid, "magnet"},
		{"ws:///chat", CodeURIInvalid, "RFC 6455"},
		{"wais://example.com/x", CodeSchemeUnchecked, ""},
		{"prospero://example.com/x", CodeSchemeUnchecked, ""},
		{"doi:10.1000/182", CodeSchemeUnchecked, ""},
		{"magnet:?xt=urn:btih:c12fe1c06bba254a9dc9f519b335aa7c1367a88a", CodeSchemeUnchecked, ""},
		{"ftp://ftp.example.com/x", CodeSchemeUnchecked, "ftp: addresses are not fetched in this run"},
		{"slack://channel?id=1", CodeSchemeUnchecked, ""},
		{"whatsapp://send?text=x", CodeSchemeUnchecked, ""},
		{"itms-apps://itunes.apple.com/app/x", CodeSchemeUnchecked, ""},
		{"irc://irc.libera.chat/x", CodeSchemeUnchecked, ""},
		{"mailto:joe@example.com", CodeOK, ""},
		{"mailto:joe.example.com", CodeURIInvalid, "RFC 6068"},
		{"mailto:" + strings.Repeat("j", 65) + "@example.com", CodeURIInvalid, "RFC 5321"},
		{"mailto:mailto:joe@example.com", CodeURIInvalid, ""},
		{"htps://example.com/", CodeSchemeUnknown, `did you mean "https"?`},
		{"httpss://example.com/", CodeSchemeUnknown, `did you mean "https"?`},
		{"hhtp://example.com/", CodeSchemeUnknown, `did you mean "http"?`},
		{"mialto:joe@example.com", CodeSchemeUnknown, `did you mean "mailto"?`},
		{"qwertyuiop://x", CodeSchemeUnknown, `the scheme "qwertyuiop" is unknown`},
		{"localhost:8080/page", CodeSchemeUnknown, `"localhost:8080" looks like a host`},
		{"localhost:8080", CodeSchemeUnknown, "looks like a host"},
		{"example.com:443/x?y#z", CodeSchemeUnknown, "looks like a host"},
		{"localhost:80801234", CodeSchemeUnknown, "unknown"},
		{"C:\\docs\\x.html", CodeSchemeUnknown, "Windows drive"},
		{"c:/docs/x.html", CodeSchemeUnknown, "Windows drive"},
		{"no scheme", CodeURIInvalid, "no scheme"},
		{":x", CodeURIInvalid, "no scheme"},
		{"1a:x", CodeURIInvalid, "no scheme"},
		{"", CodeURIInvalid, "no scheme"},
	}
	for _, test := range tests {
		o := UncheckedScheme(test.ref)
		if o.Code != test.code || !strings.Contains(o.Message, test.message) {
			t.Errorf("%q: %s %q, want %s …%s…", test.ref, o.Code, o.Message, test.code, test.message)
		}
	}
}

func TestInvalid(t *testing.T) {
	for _, ref := range []string{"https://", "https://exa mple.com/", "http://[::1", "http://1.2.3.4.5/", "https://e.test:99999/"} {
		_, _, err := urinorm.ParseWeb(ref)
		if err == nil {
			t.Fatalf("%s was parsed", ref)
		}
		o := Invalid(err)
		if o.Code != CodeURIInvalid || o.Message == "" || strings.Contains(o.Message, ref) {
			t.Errorf("%s: %+v", ref, o)
		}
	}
}

// A telephone number with a digit is no broken link, whatever its spelling: the grammar of RFC 3966 decides
// whether it has a warning.
func TestTelephoneNumbers(t *testing.T) {
	for ref, warned := range map[string]bool{
		"tel:+1-201-555-0123": false, "tel:+1.201.555.0123": false, "tel:+1(201)5550123": false, "tel:+12015550123;ext=42": false,
		"tel:112": false, "TEL:*100#": false, "tel:7042;phone-context=example.com": false, "tel:863-1234;phone-context=+1-914-555": false,
		"tel:+1 201 555 0123": true, "tel:+1%20201%20555%200123": true, "tel:+1-800-FLOWERS": true, "tel:1-800-FLOWERS": true,
		"tel:5550123": false, "tel:(201) 555-0123": true, "tel:+49/30/1234": true, "tel://+12015550123": true, "tel:00493012345": false,
		"tel:+12015550123;ext=": true, "tel:+1–201–5550123": true, "tel:0-CALL-ME": true,
	} {
		o := UncheckedScheme(ref)
		j := o.Judge(Question{})
		if j.Verdict != Skipped || j.Code != CodeSchemeUnchecked || j.Message == "" || (len(j.Warnings) > 0) != warned {
			t.Errorf("%s: %+v, want a warning: %t", ref, j, warned)
		}
		for _, w := range j.Warnings {
			if w.Code != CodeURIInvalidTel || !strings.Contains(w.Message, "RFC 3966") {
				t.Errorf("%s: %+v", ref, w)
			}
		}
	}
	if o := UncheckedScheme("sms:+1 201 555 0123"); o.Code != CodeURIInvalid {
		t.Errorf("a text message: %+v", o)
	}
}
