package idna

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"io"
	"os"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// The tables agree with those of x/text on every code point that both know.
func TestNFCAgainstXText(t *testing.T) {
	var starters, seconds []rune
	newer := map[rune]bool{}
	for _, pair := range unicode().pairs {
		if norm.NFC.PropertiesString(string(pair.composite)).Decomposition() == nil {
			newer[pair.first], newer[pair.second], newer[pair.composite] = true, true, true
			continue
		}
		starters = append(starters, pair.first)
		seconds = append(seconds, pair.second)
	}
	slices.Sort(seconds)
	seconds = slices.Compact(seconds)
	check := func(s string) {
		t.Helper()
		if got := string(appendNFC(nil, []rune(s))); got != norm.NFC.String(s) {
			t.Fatalf("%+q: got %+q, want %+q", s, got, norm.NFC.String(s))
		}
	}
	known := func(r rune) bool { // valid, and assigned in the Unicode version of x/text
		info, _ := lookup(r)
		properties := norm.NFC.PropertiesString(string(r))
		return !newer[r] && info.status() == statusValid && properties.CCC() == info.combiningClass()
	}
	for r := rune(0); r <= utf8.MaxRune; r++ {
		if !utf8.ValidRune(r) || !known(r) {
			continue
		}
		check(string(r))
		check(string(r) + "\u0323\u0301")
		check("a" + string(r) + "\u0301")
	}
	for i, first := range starters {
		for j := range 5 {
			second := seconds[(i*7+j*13)%len(seconds)]
			if known(first) && known(second) {
				check(string([]rune{first, second, '\u0301', second}))
			}
		}
	}
	for r := rune(hangulL); r < hangulL+hangulLCount; r++ {
		for _, v := range []rune{hangulV, hangulV + hangulVCount - 1} {
			check(string([]rune{r, v, hangulT + 1, hangulT + 1}))
			check(string([]rune{r, v, hangulT, v}))
		}
	}
	check("\uac01\u11a8\uac00\u11a8")
}

// These code points are newer than the tables of x/text.
func TestNFCBeyondXText(t *testing.T) {
	for _, c := range []struct{ in, want string }{
		{"\U00016D67\U00016D67", "\U00016D68"},           // Kirat Rai, Unicode 16
		{"\U00016D63\U00016D67\U00016D67", "\U00016D6A"}, // the same, in two steps
		{"\U00011382\U000113C9", "\U00011383"},           // Tulu-Tigalari
		{"a\U00010D69\u0323", "ạ\U00010D69"},             // Garay marks, class 230
	} {
		if got := string(appendNFC(nil, []rune(c.in))); got != c.want {
			t.Errorf("%+q: got %+q, want %+q", c.in, got, c.want)
		}
	}
}

// The sample strings of RFC 3492 section 7.1, without the letter case that its
// annotations keep.
func TestPunycode(t *testing.T) {
	for _, c := range []struct{ decoded, encoded string }{
		{"ليهمابتكلموشعربي؟", "egbpdaj6bu4bxfgehfvwxn"},
		{"他们为什么不说中文", "ihqwcrb4cv8a8dqg056pqjye"},
		{"他們爲什麽不說中文", "ihqwctvzc91f659drss3x8bo0yb"},
		{"Pročprostěnemluvíčesky", "Proprostnemluvesky-uyb24dma41a"},
		{"למההםפשוטלאמדבריםעברית", "4dbcagdahymbxekheh6e0a7fei0b"},
		{"なぜみんな日本語を話してくれないのか", "n8jok5ay5dzabd5bym9f0cm5685rrjetr6pdxa"},
		{"почемужеонинеговорятпорусски", "b1abfaaepdrnnbgefbadotcwatmq2g4l"},
		{"PorquénopuedensimplementehablarenEspañol", "PorqunopuedensimplementehablarenEspaol-fmd56a"},
		{"3年B組金八先生", "3B-ww4c5e180e575a65lsy2b"},
		{"パフィーdeルンバ", "de-jg4avhby1noc0d"},
		{"-> $1.00 <-", "-> $1.00 <--"},
		{"\U0010FFFF", "dn32g"},
	} {
		if got := string(appendPunycode(nil, []rune(c.decoded))); got != c.encoded {
			t.Errorf("%s: encoded %q, want %q", c.decoded, got, c.encoded)
		}
		if got, ok := decodePunycode([]rune(c.encoded)); !ok || string(got) != c.decoded {
			t.Errorf("%s: decoded %q, %v, want %q", c.encoded, string(got), ok, c.decoded)
		}
	}
	if got, ok := decodePunycode([]rune("FA-HIA")); !ok || string(got) != "FAß" {
		t.Errorf("digits in upper case: got %q, %v", string(got), ok)
	}
	for _, bad := range []string{"99999999", "é", "-", "a-é", "b!", "999999b", strings.Repeat("9", 900)} {
		if got, ok := decodePunycode([]rune(bad)); ok {
			t.Errorf("%q: decoded %q", bad, string(got))
		}
	}
}

func TestAppendASCII(t *testing.T) {
	for _, c := range []struct{ in, want string }{
		{"Faß.example", "xn--fa-hia.example"},
		{"☕.example", "xn--53h.example"},
		{"r3---sn-ü", "xn--r3---sn--e6a"},
		{"é" + strings.Repeat("a", 70), "xn--" + strings.Repeat("a", 70) + "-9cg"},
		{"ＷＷＷ。é", "www.xn--9ca"},
		{"⒈com.é", ""},                                   // "1.com" once; disallowed since Unicode 16
		{"xn--8i7caa.é", ""},                             // decodes to ｗｗｗ, which would be mapped
		{"xn--.é", ""},                                   // decodes to nothing
		{"xn--abc-.é", ""},                               // decodes to ASCII
		{"xn--xn--fa-hia-.é", ""},                        //
		{"\u0301a", ""},                                  // begins with a mark
		{"a\u200db", ""},                                 // a joiner that joins nothing
		{"क्\u200dष.example", "xn--11b2ezcw70k.example"}, // after a virama
		{"א1.example", "xn--1-zhc.example"},
		{"1א.example", ""},   // a right-to-left label does not begin with a number
		{"א.1a.example", ""}, // and neither does any other label of its domain
		{"אa", ""},
		{"\U0001FAE9.example", "xn--b39h.example"}, // new in Unicode 16
		{strings.Repeat("é.", MaxDomain/3) + "a", strings.Repeat("xn--9ca.", MaxDomain/3) + "a"},
		{strings.Repeat("é.", MaxDomain/3+1), ""},
	} {
		got, ok := AppendASCII(nil, c.in)
		if ok != (c.want != "") || ok && string(got) != c.want {
			t.Errorf("%.40q: got %.40q, %v, want %.40q", c.in, got, ok, c.want)
		}
	}
}

func TestToUnicode(t *testing.T) {
	for in, want := range map[string]string{
		"xn--fa-hia.de": "faß.de", "a.xn--bcher-kva.example.": "a.bücher.example.", "example.com": "example.com",
		"xn--8i7caa.de": "xn--8i7caa.de", "xn--a": "xn--a", "[::1]": "[::1]", "": "", "xn--1-zhc.1": "xn--1-zhc.1",
	} {
		if got := ToUnicode(in); got != want {
			t.Errorf("%q: got %q, want %q", in, got, want)
		}
	}
}

// The ranges are in order, and mapped code points map to valid ones.
func TestTables(t *testing.T) {
	ranges := unicode().ranges
	if len(ranges) != 3717 || len(unicode().pairs) != 543 || len(unicode().mappings) != 11779 {
		t.Fatalf("%d ranges, %d pairs, %d bytes of mappings", len(ranges), len(unicode().pairs), len(unicode().mappings))
	}
	for i, r := range ranges {
		end := rune(utf8.MaxRune + 1)
		if i+1 < len(ranges) {
			end = ranges[i+1].lo
		}
		if end <= r.lo {
			t.Fatalf("range %d begins at %U and ends at %U", i, r.lo, end)
		}
		if r.info.status() != statusMapped {
			continue
		}
		for c := r.lo; c < end; c++ {
			info, lo := lookup(c)
			if info.status() != statusMapped {
				continue
			}
			for _, m := range appendMapped(nil, c, info, lo) {
				if got, _ := lookup(m); got.status() != statusValid {
					t.Fatalf("%U maps to %U, which is not valid", c, m)
				}
			}
		}
	}
	if ranges[0].lo != 0 {
		t.Error("the first range does not begin at 0")
	}
}

// FuzzDomain checks that AppendASCII returns ASCII, changes nothing the second
// time, and gives the same for the domain in Unicode.
func FuzzDomain(f *testing.F) {
	for _, name := range []string{"wpt-toascii.json", "wpt-idnatestv2.json.gz"} {
		for _, domain := range domains(f, "../../../testdata/standards/"+name) {
			f.Add(domain)
		}
	}
	f.Fuzz(func(t *testing.T, s string) {
		ascii, ok := AppendASCII(nil, s)
		if !ok {
			return
		}
		if !isASCIIRunes([]rune(string(ascii))) {
			t.Fatalf("%q: %q is not ASCII", s, ascii)
		}
		again, ok := AppendASCII(nil, string(ascii))
		if !ok || !bytes.Equal(again, ascii) {
			t.Fatalf("%q: %q, then %q, %v", s, ascii, again, ok)
		}
		decoded := ToUnicode(string(ascii))
		back, ok := AppendASCII(nil, decoded)
		if !ok || !bytes.Equal(back, ascii) {
			t.Fatalf("%q: %q is %q in Unicode, which is %q, %v", s, ascii, decoded, back, ok)
		}
	})
}

// domains returns the inputs of a file of web platform tests.
func domains(f *testing.F, name string) []string {
	file, err := os.Open(name)
	if err != nil {
		f.Fatal(err)
	}
	defer file.Close()
	var r io.Reader = file
	if strings.HasSuffix(name, ".gz") {
		if r, err = gzip.NewReader(file); err != nil {
			f.Fatal(err)
		}
	}
	var cases []struct{ Input string }
	if err := json.NewDecoder(r).Decode(&cases); err != nil {
		f.Fatal(err)
	}
	var inputs []string
	for _, c := range cases {
		inputs = append(inputs, c.Input)
	}
	return inputs
}
