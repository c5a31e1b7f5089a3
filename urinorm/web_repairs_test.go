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
		{" x\n", RepairTrimmed},
		{"x\ty", RepairTabOrNewline},
		{`x\y`, RepairBackslash},
		{`\\h\x`, RepairBackslash},
		{`x?\#\`, 0},
		{"a b?c d#e f", RepairSpace},
		{"a<b>", RepairIllegal},
		{"a^b?{}#`", RepairIllegal},
		{"?it's", 0},
		{"a\x01", RepairTrimmed},
		{"a\x01b", RepairIllegal},
		{"100%", RepairPercent},
		{"?%4", RepairPercent},
		{"#%zz", RepairPercent},
		{"é?é#é", RepairNonASCII},
		{"//bücher.example/", RepairNonASCII},
		{"\xff", RepairEncoding},
		{"https:/h/", RepairSlashes},
		{"https:h", RepairSlashes},
		{"///h/", RepairSlashes},
		{"http:x", RepairSchemeRelative},
		{"http:/x", RepairSchemeRelative},
		{"file:x", RepairSlashes},
		{"file:/x", 0},
		{"file:///C|/x", RepairDriveLetter},
		{"file:///C:/x", 0},
		{"//0x7f.1/", RepairObfuscatedIP},
		{"//2130706433/", RepairObfuscatedIP},
		{"//127.0.0.1/", 0},
		{"//127.0.0.1./", 0},
		{"//127.0.0.0x1", RepairObfuscatedIP},
		{"//%31.2.3.4/", RepairObfuscatedIP},
		{"//user@h/", 0},
		{"//user:@h/", 0},
		{"//user:pw@h/", RepairCredentials},
		{"//:pw@h/", RepairCredentials},
		{"foo://user:pw@h/", RepairCredentials},
		{"//john.doe@h/", 0},
		{"//www.bank.example@h/", RepairMisleadingUserinfo},
		{"//bank.com%2Flogin@h/", RepairMisleadingUserinfo},
		{"//10.0.0.1@h/", RepairMisleadingUserinfo},
		{"//bank.com:443@h/", RepairMisleadingUserinfo | RepairCredentials},
		{"ftp://cnn.example.com&story=breaking_news@10.0.0.1/top_story.htm", RepairMisleadingUserinfo},
		{"//a@b@h/", RepairIllegal},
		{"../x", 0},
		{"../../x", RepairAboveRoot},
		{"/../x", RepairAboveRoot},
		{"//" + strings.Repeat("a", 64) + ".example/", RepairHostLength},
		{"//" + strings.Repeat("a.", 120) + "example/", 0},
		{"//" + strings.Repeat("a.", 127) + "example/", RepairHostLength},
		{"//xn--bcher-kva.example/", 0},
		{"//axn--a.example/", 0},
		{"//XN--A/", RepairALabel},
		{"http://www.xn--8i7caa.example/", RepairALabel},
		{"//b%C3%BCcher.xn--bcher-kva.example/", RepairNonASCII},
		{"javascript:alert( 1 )", RepairSpace},
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
		"?é":            RepairNonASCII,
		"?é b":          RepairNonASCII | RepairSpace,
		"?é<":           RepairNonASCII | RepairIllegal,
		"?é%":           RepairNonASCII | RepairPercent,
		"?é%41":         RepairNonASCII,
		"?\xff":         RepairEncoding,
		"?\uFFFD\u2603": RepairNonASCII,
	} {
		if _, got, err := base.Resolve(in); err != nil || got != want {
			t.Errorf("%q: got %q, %v, want %q", in, got.Names(), err, want.Names())
		}
	}
}

func TestRepairCodes(t *testing.T) {
	all := Repairs(1<<len(repairNames) - 1)
	if len(all.Names()) != len(repairNames) || !all.Has(RepairALabel) || all>>1 >= RepairALabel {
		t.Error("not every note has a name")
	}
	want := []string{"uri-repaired", "uri-credentials", "uri-misleading-userinfo", "uri-obfuscated-ip"}
	if got := all.Codes(); !slices.Equal(got, want) {
		t.Errorf("codes are %q, want %q", got, want)
	}
	harmless := RepairNonASCII | RepairAboveRoot | RepairHostLength | RepairALabel
	if harmless.Repaired() || harmless.Codes() != nil || !RepairBackslash.Repaired() || RepairCredentials.Repaired() {
		t.Error("Repaired is wrong")
	}
}
