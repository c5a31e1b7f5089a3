package judging

import (
	"strings"
	"testing"

	"github.com/orbweaver/orbweaver/crawler/check"
	"github.com/orbweaver/orbweaver/urinorm"
)

func TestUncheckedScheme(t *testing.T) {
	tests := []struct {
		ref     string
		code    check.Code
		message string // a part of it
	}{
		{"javascript:void(0)", check.CodeSchemeUnchecked, "javascript: addresses are not checked"},
		{"JavaScript:void(0)", check.CodeSchemeUnchecked, "javascript:"},
		{"data:text/plain,hello", check.CodeSchemeUnchecked, "data:"},
		{"tel:+1-201-555-0123", check.CodeSchemeUnchecked, ""},
		{" tel:+1-201-555-0123\n", check.CodeSchemeUnchecked, ""},
		{"tel:call me", check.CodeURIInvalid, "RFC 3966"},
		{"tel:", check.CodeURIInvalid, "RFC 3966"},
		{"tel:+", check.CodeURIInvalid, ""},
		{"tel:none", check.CodeURIInvalid, ""},
		{"tel:;ext=12", check.CodeURIInvalid, ""},
		{"urn:isbn:0451450523", check.CodeSchemeUnchecked, ""},
		{"urn:isbn", check.CodeURIInvalid, "RFC 8141"},
		{"urn:isbn:978-0-306-40615-7", check.CodeSchemeUnchecked, ""},
		{"urn:isbn:978-0-306-40615-8", check.CodeURIInvalid, ""}, // its check digit
		{"urn:issn:0317-8471", check.CodeSchemeUnchecked, ""},
		{"urn:issn:0317-8472", check.CodeURIInvalid, ""},
		{"urn:uuid:f81d4fae-7dec-11d0-a765-00a0c91e6bf6", check.CodeSchemeUnchecked, ""},
		{"urn:uuid:f81d4fae-7dec-11d0-a765", check.CodeURIInvalid, ""},
		{"data:text/html;base64,PGI+", check.CodeSchemeUnchecked, ""},
		{"data:text/html", check.CodeURIInvalid, ""},
		{"data:;base64,%", check.CodeURIInvalid, ""},
		{"sms:+15105550101?body=hello%20there", check.CodeSchemeUnchecked, ""},
		{"sms:call me", check.CodeURIInvalid, "RFC 3966"},
		{"geo:48.2010,16.3695,183;u=5", check.CodeSchemeUnchecked, ""},
		{"geo:north", check.CodeURIInvalid, "RFC 5870"},
		{"geo:91,0", check.CodeURIInvalid, "RFC 5870"},
		{"info:lccn/n78089035", check.CodeSchemeUnchecked, ""},
		{"info:lccn", check.CodeURIInvalid, "RFC 4452"},
		{"doi:11.1000/182", check.CodeURIInvalid, "ISO 26324"},
		{"magnet:?dn=name", check.CodeURIInvalid, "magnet"},
		{"ws:///chat", check.CodeURIInvalid, "RFC 6455"},
		{"wais://example.com/x", check.CodeSchemeUnchecked, ""},
		{"prospero://example.com/x", check.CodeSchemeUnchecked, ""},
		{"doi:10.1000/182", check.CodeSchemeUnchecked, ""},
		{"magnet:?xt=urn:btih:c12fe1c06bba254a9dc9f519b335aa7c1367a88a", check.CodeSchemeUnchecked, ""},
		{"ftp://ftp.example.com/x", check.CodeSchemeUnchecked, "ftp: addresses are not fetched in this run"},
		{"slack://channel?id=1", check.CodeSchemeUnchecked, ""},
		{"whatsapp://send?text=x", check.CodeSchemeUnchecked, ""},
		{"itms-apps://itunes.apple.com/app/x", check.CodeSchemeUnchecked, ""},
		{"irc://irc.libera.chat/x", check.CodeSchemeUnchecked, ""},
		{"mailto:joe@example.com", check.CodeOK, ""},
		{"mailto:joe.example.com", check.CodeURIInvalid, "RFC 6068"},
		{"mailto:" + strings.Repeat("j", 65) + "@example.com", check.CodeURIInvalid, "RFC 5321"},
		{"mailto:mailto:joe@example.com", check.CodeURIInvalid, ""},
		{"htps://example.com/", check.CodeSchemeUnknown, `did you mean "https"?`},
		{"httpss://example.com/", check.CodeSchemeUnknown, `did you mean "https"?`},
		{"hhtp://example.com/", check.CodeSchemeUnknown, `did you mean "http"?`},
		{"mialto:joe@example.com", check.CodeSchemeUnknown, `did you mean "mailto"?`},
		{"qwertyuiop://x", check.CodeSchemeUnknown, `the scheme "qwertyuiop" is unknown`},
		{"localhost:8080/page", check.CodeSchemeUnknown, `"localhost:8080" looks like a host`},
		{"localhost:8080", check.CodeSchemeUnknown, "looks like a host"},
		{"example.com:443/x?y#z", check.CodeSchemeUnknown, "looks like a host"},
		{"localhost:80801234", check.CodeSchemeUnknown, "unknown"},
		{"C:\\docs\\x.html", check.CodeSchemeUnknown, "Windows drive"},
		{"c:/docs/x.html", check.CodeSchemeUnknown, "Windows drive"},
		{"no scheme", check.CodeURIInvalid, "no scheme"},
		{":x", check.CodeURIInvalid, "no scheme"},
		{"1a:x", check.CodeURIInvalid, "no scheme"},
		{"", check.CodeURIInvalid, "no scheme"},
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
		if o.Code != check.CodeURIInvalid || o.Message == "" || strings.Contains(o.Message, ref) {
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
		if j.Verdict != check.Skipped || j.Code != check.CodeSchemeUnchecked || j.Message == "" || (len(j.Warnings) > 0) != warned {
			t.Errorf("%s: %+v, want a warning: %t", ref, j, warned)
		}
		for _, w := range j.Warnings {
			if w.Code != CodeURIInvalidTel || !strings.Contains(w.Message, "RFC 3966") {
				t.Errorf("%s: %+v", ref, w)
			}
		}
	}
	if o := UncheckedScheme("sms:+1 201 555 0123"); o.Code != check.CodeURIInvalid {
		t.Errorf("a text message: %+v", o)
	}
}
