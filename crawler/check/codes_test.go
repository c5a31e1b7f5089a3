package check

import (
	"bytes"
	"flag"
	"fmt"
	"go/format"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode"
)

var update = flag.Bool("update", false, "write codes_constants.go from the table of codes")

// releasedCodes are the codes users are promised, in the order of their numbers. States
// and caches on disk hold the numbers. A code is never removed, renamed or renumbered.
const releasedCodes = `ok redirect bot-wall rate-limited redirect-loop redirect-limit redirect-invalid
dns-not-found dns-failure connect-refused connection-reset timeout tls-expired tls-hostname tls-untrusted tls-error
protocol-error body-truncated fragment-missing fragment-unverified uri-invalid scheme-unknown scheme-unchecked
file-missing file-case file-outside-root file-unreadable file-from-web robots-disallowed
excluded external limit interrupted port-blocked address-denied
redirect-permanent redirect-temporary redirect-to-root redirect-to-login redirect-to-other-site soft-404
tls-incomplete-chain tls-expires-soon insecure-http mixed-content uri-repaired
uri-credentials uri-misleading-userinfo uri-obfuscated-ip
fragment-duplicate no-mx outside-base content-type-mismatch uri-invalid-tel
reference-empty`

func TestReleasedCodesKeepTheirNumbers(t *testing.T) {
	for number, name := range strings.Fields(releasedCodes) {
		if got, _ := Code(name).Number(); int(got) != number {
			t.Errorf("%s has the number %d, was released with %d", name, got, number)
		}
		if got := CodeNumbered(byte(number)); got != Code(name) {
			t.Errorf("the number %d is read as %q, was written for %s", number, got, name)
		}
		if _, ok := Lookup(Code(name)); !ok && Code(name) != CodeRedirect {
			t.Errorf("%s has no row", name)
		}
	}
}

func TestCodesAndNumbersAreUnique(t *testing.T) {
	codes, numbers := map[Code]bool{}, map[byte]Code{numberRedirect: CodeRedirect}
	for i := range entries {
		e := &entries[i]
		if codes[e.Code] {
			t.Errorf("%s has two rows", e.Code)
		}
		codes[e.Code] = true
		if IsFamily(e.Code) {
			if e.number != unnumbered {
				t.Errorf("%s has a number, but is the code of no outcome", e.Code)
			}
			continue
		}
		if other, taken := numbers[e.number]; taken {
			t.Errorf("%s has the number %d of %s", e.Code, e.number, other)
		}
		numbers[e.number] = e.Code
	}
	for number := range len(numbers) {
		if _, ok := numbers[byte(number)]; !ok {
			t.Errorf("no code has the number %d, but a later one is in use", number)
		}
	}
}

// TestGeneratedConstants: each code that callers tell apart has its constant. The others have theirs
// in the engine, which alone gives them.
func TestGeneratedConstants(t *testing.T) {
	for file, of := range map[string]func(*Entry) bool{
		"codes_constants.go":                     func(e *Entry) bool { return !givenByEngine(e) },
		"../internal/judging/codes_constants.go": givenByEngine,
	} {
		constantsAre(t, file, of)
	}
}

// ofEngine are the codes of links that only the engine gives or tells apart.
var ofEngine = map[Code]bool{
	"bot-wall":              true,
	"content-drift":         true,
	"content-type-mismatch": true,
	"domain-parked":         true,
	"evidence-missing":      true,
	"file-unreadable":       true,
	"insecure-http":         true,
	"login-challenge":       true,
	"login-ended-by":        true,
	"login-failed":          true,
	"login-form-missing":    true,
	"login-lost":            true,
	"never-archived":        true,
	"no-mx":                 true,
	"protocol-error":        true,
	"redirect-chain":        true,
	"redirect-temporary":    true,
	"reference-empty":       true,
	"reference-undefined":   true,
	"refresh-invalid":       true,
	"robots-disallowed":     true,
	"srcset-invalid":        true,
	"tls-error":             true,
	"tls-expires-soon":      true,
	"tls-hostname":          true,
	"tls-incomplete-chain":  true,
	"tls-untrusted":         true,
	"uri-invalid-tel":       true,
	"uri-repaired":          true,
	"worker-lost":           true,
	"xhtml-malformed":       true,
}

// givenByEngine reports whether a code is that of a content check or of rendering, other than
// the family of content rules, or one of ofEngine.
func givenByEngine(e *Entry) bool {
	isRendered := func(r Entry) bool { return r.Code == e.Code }
	return e.Group != "" && !IsFamily(e.Code) || ofEngine[e.Code] || slices.ContainsFunc(renderedEntries[:], isRendered)
}

// constantsAre compares a file with the constants of some codes, or renews it.
func constantsAre(t *testing.T, file string, of func(*Entry) bool) {
	var b strings.Builder
	b.WriteString("// Code generated from the table of codes by go test ./crawler/check -run Generated -update; DO NOT EDIT.\n\n")
	typ := "Code"
	if filepath.Dir(file) == "." {
		b.WriteString("package check\n\n// The codes of links that callers tell apart; Lookup knows all.\nconst (\n")
	} else {
		typ = "check.Code"
		b.WriteString("package judging\n\nimport \"github.com/orbweaver/orbweaver/crawler/check\"\n\n// The codes that only the engine gives or tells apart: of links, content checks and rendering.\nconst (\n")
	}
	for _, e := range All() {
		if of(&e) {
			fmt.Fprintf(&b, "%s %s = %q // %s\n", constantName(e.Code), typ, e.Code, e.Title)
		}
	}
	b.WriteString(")\n")
	want, err := format.Source([]byte(b.String()))
	if err != nil {
		t.Fatal(err)
	}
	if got, err := os.ReadFile(file); err == nil && bytes.Equal(got, want) {
		return
	}
	if !*update {
		t.Fatalf("%s is not what the table says: renew it with go test ./crawler/check -run Generated -update", file)
	}
	if err := os.WriteFile(file, want, 0o666); err != nil {
		t.Fatal(err)
	}
}

// constantName returns the name of a code's constant: CodeDNSNotFound for dns-not-found.
func constantName(c Code) string {
	initialisms := map[string]bool{"css": true, "dns": true, "html": true, "http": true, "ip": true, "mx": true, "ok": true, "sri": true, "tls": true, "uri": true, "xhtml": true}
	var name strings.Builder
	name.WriteString("Code")
	for word := range strings.SplitSeq(string(c), "-") {
		if initialisms[word] {
			name.WriteString(strings.ToUpper(word))
		} else {
			name.WriteString(strings.ToUpper(word[:1]) + word[1:])
		}
	}
	return name.String()
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
			t.Errorf("status %d is out of order", statusRows[i].status)
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

// TestSeverityFollowsVerdict: a code is as severe as its worst verdict.
func TestSeverityFollowsVerdict(t *testing.T) {
	for _, e := range All() {
		var want Severity
		switch e.Internal {
		case Broken:
			want = SeverityError
		case Unverified:
			want = SeverityWarning
		case OK:
			if e.Code != CodeOK && e.Severity == SeverityWarning { // a warning may be either
				want = SeverityWarning
			}
		}
		if e.Severity != want {
			t.Errorf("%s is %v at worst and listed as %v", e.Code, want, e.Severity)
		}
		if e.ofPage && e.External != OK {
			t.Errorf("%s is about the page itself, but not a warning", e.Code)
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
		if severity.String() != want {
			t.Errorf("severity %d is %q", severity, severity)
		}
	}
}

func BenchmarkLookup(b *testing.B) {
	for _, code := range []Code{CodeOK, CodeRedirect, "content-type-mismatch", "http-404"} {
		b.Run(string(code), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				Lookup(code)
			}
		})
	}
}
