package urinorm

import (
	"slices"
	"strings"
	"testing"
)

func TestRepairs(t *testing.T) {
	http := mustBase(t, "http://example.com/a/b?q", "")
	for _, c := range []struct {
		in   string
		want Repairs
	}{
		{"x/y?z#f", 0},
		{"X%41?a=b&c[]=d|e#f", 0},
		{"HTTP://EXAMPLE.com:80/", 0},
		{"//other.example/", 0},
		{" x\n", repairTrimmed},
		{"x\ty", repairTabOrNewline},
		{`x\y`, repairBackslash},
		{`\\h\x`, repairBackslash},
		{`x?\#\`, 0},
		{"a b?c d#e f", repairSpace},
		{"a<b>", repairIllegal},
		{"a^b?{}#`", repairIllegal},
		{"?it's", 0},
		{"a\x01", repairTrimmed},
		{"a\x01b", repairIllegal},
		{"100%", repairPercent},
		{"?%4", repairPercent},
		{"#%zz", repairPercent},
		{"é?é#é", repairNonASCII},
		{"//bücher.example/", repairNonASCII},
		{"\xff", repairEncoding},
		{"https:/h/", repairSlashes},
		{"https:h", repairSlashes},
		{"///h/", repairSlashes},
		{"http:x", repairSchemeRelative},
		{"http:/x", repairSchemeRelative},
		{"file:x", repairSlashes},
		{"file:/x", 0},
		{"file:///C|/x", repairDriveLetter},
		{"file:///C:/x", 0},
		{"//0x7f.1/", repairObfuscatedIP},
		{"//2130706433/", repairObfuscatedIP},
		{"//127.0.0.1/", 0},
		{"//127.0.0.1./", 0},
		{"//127.0.0.0x1", repairObfuscatedIP},
		{"//%31.2.3.4/", repairObfuscatedIP},
		{"//user@h/", 0},
		{"//user:@h/", 0},
		{"//user:pw@h/", repairCredentials},
		{"//:pw@h/", repairCredentials},
		{"foo://user:pw@h/", repairCredentials},
		{"//john.doe@h/", 0},
		{"//www.bank.example@h/", repairMisleadingUserinfo},
		{"//bank.com%2Flogin@h/", repairMisleadingUserinfo},
		{"//10.0.0.1@h/", repairMisleadingUserinfo},
		{"//bank.com:443@h/", repairMisleadingUserinfo | repairCredentials},
		{"ftp://cnn.example.com&story=breaking_news@10.0.0.1/top_story.htm", repairMisleadingUserinfo},
		{"//a@b@h/", repairIllegal},
		{"../x", 0},
		{"../../x", RepairAboveRoot},
		{"/../x", RepairAboveRoot},
		{"//" + strings.Repeat("a", 64) + ".example/", repairHostLength},
		{"//" + strings.Repeat("a.", 120) + "example/", 0},
		{"//" + strings.Repeat("a.", 127) + "example/", repairHostLength},
		{"//xn--bcher-kva.example/", 0},
		{"//axn--a.example/", 0},
		{"//XN--A/", repairALabel},
		{"http://www.xn--8i7caa.example/", repairALabel},
		{"//b%C3%BCcher.xn--bcher-kva.example/", repairNonASCII},
		{"javascript:alert( 1 )", repairSpace},
		{"mailto:user@example.com", 0},
		{"mailto:user@example.com?subject=100%25", 0},
	} {
		_, got, err := http.Resolve(c.in)
		if err != nil || got != c.want {
			t.Errorf("%q: got %q, %v, want %q", c.in, got.Names(), err, c.want.Names())
		}
	}
}

func TestRepairsInPageCharset(t *testing.T) {
	base := mustBase(t, "http://example.com/", "windows-1252")
	for in, want := range map[string]Repairs{
		"?é":            repairNonASCII,
		"?é b":          repairNonASCII | repairSpace,
		"?é<":           repairNonASCII | repairIllegal,
		"?é%":           repairNonASCII | repairPercent,
		"?é%41":         repairNonASCII,
		"?\xff":         repairEncoding,
		"?\uFFFD\u2603": repairNonASCII,
	} {
		if _, got, err := base.Resolve(in); err != nil || got != want {
			t.Errorf("%q: got %q, %v, want %q", in, got.Names(), err, want.Names())
		}
	}
}

func TestRepairCodes(t *testing.T) {
	all := Repairs(1<<len(repairNames) - 1)
	if len(all.Names()) != len(repairNames) || !all.Has(repairALabel) || all>>1 >= repairALabel {
		t.Error("not every note has a name")
	}
	want := []string{"uri-repaired", "uri-credentials", "uri-misleading-userinfo", "uri-obfuscated-ip"}
	if got := all.Codes(); !slices.Equal(got, want) {
		t.Errorf("codes are %q, want %q", got, want)
	}
	harmless := repairNonASCII | RepairAboveRoot | repairHostLength | repairALabel
	if harmless.Repaired() || harmless.Codes() != nil || !repairBackslash.Repaired() || repairCredentials.Repaired() {
		t.Error("Repaired is wrong")
	}
}
