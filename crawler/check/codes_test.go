package check

import (
	"fmt"
	"strings"
	"testing"
	"unicode"
)

// contractCodes are the codes users are promised, in the words of the contract.
const contractCodes = `ok http-NNN bot-wall rate-limited redirect-loop redirect-limit redirect-invalid
dns-not-found dns-failure connect-refused connection-reset timeout tls-expired tls-hostname tls-untrusted tls-error
protocol-error body-truncated fragment-missing fragment-unverified uri-invalid scheme-unknown scheme-unchecked
file-missing file-case file-outside-root file-unreadable file-from-web robots-disallowed
excluded external limit interrupted port-blocked address-denied
redirect-permanent redirect-temporary redirect-to-root redirect-to-login redirect-to-other-site soft-404
tls-incomplete-chain tls-expires-soon insecure-http mixed-content uri-repaired
uri-credentials uri-misleading-userinfo uri-obfuscated-ip
fragment-duplicate no-mx outside-base content-type-mismatch`

func TestTableHoldsTheContractsCodes(t *testing.T) {
	promised := map[Code]bool{}
	for name := range strings.FieldsSeq(contractCodes) {
		promised[Code(name)] = true
		if _, ok := Lookup(Code(name)); !ok {
			t.Errorf("%s has no row", name)
		}
	}
	seen := map[Code]bool{}
	for _, e := range All() {
		if seen[e.Code] {
			t.Errorf("%s has two rows", e.Code)
		}
		seen[e.Code] = true
		if !promised[e.Code] {
			t.Errorf("%s is not in the contract", e.Code)
		}
	}
}

func TestEntriesAreCompleteAndInOneVoice(t *testing.T) {
	check := func(e Entry) {
		t.Helper()
		if e.Title == "" || e.Explanation == "" || e.Advice == "" || e.Example == "" {
			t.Errorf("%s: a text is missing: %+v", e.Code, e)
			return
		}
		if strings.HasSuffix(e.Title, ".") || len(e.Title) > 70 {
			t.Errorf("%s: title %q is a sentence", e.Code, e.Title)
		}
		if runes := []rune(e.Title); unicode.IsUpper(runes[0]) && !unicode.IsUpper(runes[1]) { // an abbreviation may
			t.Errorf("%s: title %q begins with a capital", e.Code, e.Title)
		}
		for _, text := range []string{e.Explanation, e.Advice} {
			if !strings.HasSuffix(text, ".") {
				t.Errorf("%s: %q does not end with a full stop", e.Code, text)
			}
		}
		if strings.HasSuffix(e.Example, ".") {
			t.Errorf("%s: example %q ends with a full stop", e.Code, e.Example)
		}
	}
	for _, e := range All() {
		check(e)
	}
	for status := lowestStatus; status <= highestStatus; status++ {
		code := HTTPCode(status)
		e, ok := Lookup(code)
		if !ok || e.Code != code {
			t.Fatalf("Lookup(%s) = %v, %v", code, e.Code, ok)
		}
		check(e)
	}
	for i := 1; i < len(statusRows); i++ {
		if statusRows[i-1].status >= statusRows[i].status {
			t.Errorf("status %d stands out of order", statusRows[i].status)
		}
	}
}

func TestLookup(t *testing.T) {
	for _, code := range []Code{"", "http-", "http-99", "http-1000", "http-099", "http-4x4", "HTTP-404", "nonsense", CodeRedirect} {
		if e, ok := Lookup(code); ok {
			t.Errorf("Lookup(%q) = %v, want nothing", code, e.Code)
		}
	}
	severities := map[Code]Severity{
		"ok": SeverityInfo, "http-404": SeverityError, "http-403": SeverityError, "http-429": SeverityWarning,
		"redirect-temporary": SeverityInfo, "redirect-permanent": SeverityWarning, "timeout": SeverityError, "excluded": SeverityInfo,
	}
	for code, want := range severities {
		if e, _ := Lookup(code); e.Severity != want {
			t.Errorf("%s is %v, want %v", code, e.Severity, want)
		}
	}
	titles := map[Code]string{"http-404": "404 not found", "http-418": "418 I'm a teapot", "http-999": "999 request denied",
		"http-206": "206 partial content", "http-477": "status 477"}
	for code, want := range titles {
		if e, _ := Lookup(code); e.Title != want {
			t.Errorf("%s is titled %q, want %q", code, e.Title, want)
		}
	}
}

// TestVerdictsAndTableAgree holds the table of evidence, the codes and the
// encoding's book together.
func TestVerdictsAndTableAgree(t *testing.T) {
	for code := range verdicts {
		if _, ok := Lookup(code); !ok {
			t.Errorf("%s is judged and has no row", code)
		}
	}
	inBook := map[Code]bool{}
	for _, code := range codeBook {
		if inBook[code] {
			t.Errorf("%s stands twice in the book", code)
		}
		inBook[code] = true
	}
	for _, e := range All() {
		if e.Code != codeHTTPFamily && !inBook[e.Code] {
			t.Errorf("%s is not in the encoding's book", e.Code)
		}
	}
	for code, row := range verdicts {
		e, _ := Lookup(code)
		var want Severity
		switch worst := row.internal; {
		case worst == Broken:
			want = SeverityError
		case worst == Unverified:
			want = SeverityWarning
		}
		if e.Severity != want {
			t.Errorf("%s is %v at worst and listed as %v", code, want, e.Severity)
		}
	}
}

func TestNearest(t *testing.T) {
	tests := []struct {
		typed string
		want  Code
	}{
		{"http-404", "http-404"},
		{"404", "http-404"},
		{"http404", "http-404"},
		{"HTTP 404", "http-404"},
		{"htp-404", "http-404"},
		{"http-477", "http-477"},
		{"fragment-mising", "fragment-missing"},
		{"fragment_missing", "fragment-missing"},
		{"dns-notfound", "dns-not-found"},
		{"redirect-permanant", "redirect-permanent"},
		{"tmeout", "timeout"},
		{" Timeout ", "timeout"},
		{"soft404", "soft-404"},
		{"botwall", "bot-wall"},
		{"file-mising", "file-missing"},
		{"", ""},
		{"something else entirely", ""},
		{strings.Repeat("x", 10_000), ""},
	}
	for _, test := range tests {
		got, ok := Nearest(test.typed)
		if got != test.want || ok != (test.want != "") {
			t.Errorf("Nearest(%q) = %q, %v, want %q", test.typed, got, ok, test.want)
		}
		if ok {
			if _, known := Lookup(got); !known {
				t.Errorf("Nearest(%q) = %q, which has no entry", test.typed, got)
			}
		}
	}
}

func TestSeverityText(t *testing.T) {
	for severity, want := range map[Severity]string{SeverityInfo: "info", SeverityWarning: "warning", SeverityError: "error"} {
		text, err := severity.MarshalText()
		if err != nil || string(text) != want || fmt.Sprint(severity) != want {
			t.Errorf("severity %d is %q, %v", severity, text, err)
		}
	}
}
