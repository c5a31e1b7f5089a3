package urinorm

import (
	"errors"
	"math/rand/v2"
	"regexp"
	"strings"
	"testing"
)

// rfcAppendixA is RFC 3986 appendix A as a regular expression, rule by rule, to test
// the parser.
var rfcAppendixA = func() *regexp.Regexp {
	const (
		unreserved = `[A-Za-z0-9\-._~]`
		subDelims  = `[!$&'()*+,;=]`
		pct        = `%[0-9A-Fa-f][0-9A-Fa-f]`
		pchar      = `(?:` + unreserved + `|` + pct + `|` + subDelims + `|[:@])`
		segment    = pchar + `*`
		segmentNZ  = pchar + `+`
		segmentNC  = `(?:` + unreserved + `|` + pct + `|` + subDelims + `|@)+`
		pathAbE    = `(?:/` + segment + `)*`
		pathAbs    = `/(?:` + segmentNZ + `(?:/` + segment + `)*)?`
		pathNoSch  = segmentNC + `(?:/` + segment + `)*`
		pathRoot   = segmentNZ + `(?:/` + segment + `)*`
		tail       = `(?:` + pchar + `|[/?])*`
		decOctet   = `(?:25[0-5]|2[0-4][0-9]|1[0-9][0-9]|[1-9][0-9]|[0-9])`
		ipv4       = decOctet + `\.` + decOctet + `\.` + decOctet + `\.` + decOctet
		h16        = `[0-9A-Fa-f]{1,4}`
		ls32       = `(?:` + h16 + `:` + h16 + `|` + ipv4 + `)`
		ipv6       = `(?:` +
			`(?:` + h16 + `:){6}` + ls32 +
			`|::(?:` + h16 + `:){5}` + ls32 +
			`|(?:` + h16 + `)?::(?:` + h16 + `:){4}` + ls32 +
			`|(?:(?:` + h16 + `:){0,1}` + h16 + `)?::(?:` + h16 + `:){3}` + ls32 +
			`|(?:(?:` + h16 + `:){0,2}` + h16 + `)?::(?:` + h16 + `:){2}` + ls32 +
			`|(?:(?:` + h16 + `:){0,3}` + h16 + `)?::` + h16 + `:` + ls32 +
			`|(?:(?:` + h16 + `:){0,4}` + h16 + `)?::` + ls32 +
			`|(?:(?:` + h16 + `:){0,5}` + h16 + `)?::` + h16 +
			`|(?:(?:` + h16 + `:){0,6}` + h16 + `)?::)`
		ipvFuture = `[vV][0-9A-Fa-f]+\.(?:` + unreserved + `|` + subDelims + `|:)+`
		regName   = `(?:` + unreserved + `|` + pct + `|` + subDelims + `)*`
		host      = `(?:\[(?:` + ipv6 + `|` + ipvFuture + `)\]|` + regName + `)`
		userinfo  = `(?:` + unreserved + `|` + pct + `|` + subDelims + `|:)*`
		authority = `(?:` + userinfo + `@)?` + host + `(?::[0-9]*)?`
		scheme    = `[A-Za-z][A-Za-z0-9+\-.]*`
		hierPart  = `(?://` + authority + pathAbE + `|` + pathAbs + `|` + pathRoot + `|)`
		relPart   = `(?://` + authority + pathAbE + `|` + pathAbs + `|` + pathNoSch + `|)`
		ending    = `(?:\?` + tail + `)?(?:#` + tail + `)?`
	)
	return regexp.MustCompile(`\A(?:` + scheme + `:` + hierPart + ending + `|` + relPart + ending + `)\z`)
}()

// Strings built from valid and invalid pieces of URIs.
func TestParseRFCAgainstAppendixA(t *testing.T) {
	pieces := []string{
		"http:", "//", "/", "?", "#", "@", ":", "[", "]", "::", "1", "12345", "abcd", "1.2.3.4", "255", "256",
		"v1.", "V", ".", "..", "%41", "%4", "%", "%zz", " ", "é", "~", "!", "a", "B", "+", "-", "\\", "|", "\x00", "\n",
		"[::1]", "[1:2:3:4:5:6:7:8]", "1:2:3:", "01", "ffff:",
	}
	rng := rand.New(rand.NewPCG(1, 2))
	valid := 0
	for range 50_000 {
		var b strings.Builder
		if rng.IntN(3) == 0 {
			b.WriteString("s://[")
		}
		for range 1 + rng.IntN(9) {
			b.WriteString(pieces[rng.IntN(len(pieces))])
		}
		if rng.IntN(3) == 0 {
			b.WriteString("]")
		}
		s := b.String()
		_, err := ParseRFC(s)
		if want := rfcAppendixA.MatchString(s); (err == nil) != want {
			t.Fatalf("%q: appendix A says %v, the parser %v", s, want, err)
		}
		if err == nil {
			valid++
		}
	}
	if valid < 3_000 {
		t.Errorf("only %d strings were valid", valid)
	}
}

// The address rule alone, as nearly all random strings would be invalid.
func TestIPv6AgainstAppendixA(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	pieces := []string{"1:", "ab:", "ffff:", ":", "::", "1", "0", "1.2.3.4", "00000"}
	valid := 0
	for range 50_000 {
		var b strings.Builder
		for range 1 + rng.IntN(9) {
			b.WriteString(pieces[rng.IntN(len(pieces))])
		}
		err := rfcCheckIPv6(b.String(), 0)
		if want := rfcAppendixA.MatchString("//[" + b.String() + "]"); (err == nil) != want {
			t.Fatalf("%q: appendix A says %v, the parser %v", b.String(), want, err)
		}
		if err == nil {
			valid++
		}
	}
	if valid < 300 {
		t.Errorf("only %d addresses were valid", valid)
	}
}

func TestParseRFCFault(t *testing.T) {
	tests := []struct {
		in, rule string
		offset   int
	}{
		{"1:2", "scheme", 0},
		{"ht tp://h/", "scheme", 2},
		{":a", "segment-nz-nc", 0},
		{"http://u[@h/", "userinfo", 8},
		{"http://u@v@h/", "userinfo", 8},
		{"http://h^/", "reg-name", 8},
		{"http://[::1", "IP-literal", 7},
		{"http://[::1]a/", "IP-literal", 12},
		{"http://[1::2::3]/", "IPv6address", 13},
		{"http://[12345::]/", "IPv6address", 12},
		{"http://[::1%25eth0]/", "IPv6address", 11},
		{"http://[]/", "IPv6address", 8},
		{"http://[1:2:3:4:5:6:7:8:9]/", "IPv6address", 25},
		{"http://[v.a]/", "IPvFuture", 9},
		{"http://[v1]/", "IPvFuture", 10},
		{"http://[v1.]/", "IPvFuture", 11},
		{"http://h:8x/", "port", 10},
		{"http://h/a b", "path", 10},
		{"http://h/%4g", "pct-encoded", 9},
		{"http://h/?é", "query", 10},
		{"http://h/?a#b#c", "fragment", 13},
		{"http://h/\xff", "path", 9},
	}
	for _, test := range tests {
		_, err := ParseRFC(test.in)
		var fault *SyntaxError
		if !errors.As(err, &fault) || fault.Rule != test.rule || fault.Offset != test.offset {
			t.Errorf("%q: %v; want rule %s at byte %d", test.in, err, test.rule, test.offset)
		}
		var whole *Error
		if !errors.As(err, &whole) {
			t.Errorf("%q: %T is no *Error", test.in, err)
		}
	}
	_, err := ParseRFC("http://h/" + strings.Repeat("a", MaxReference))
	if !errors.Is(err, ErrTooLong) {
		t.Errorf("a reference without end: %v", err)
	}
	_, err = ParseRFC("http://user:secret@h/ ")
	if err == nil || strings.Contains(err.Error(), "secret") {
		t.Errorf("a password in an error: %v", err)
	}
}
