package langtag

import "testing"

func TestCheck(t *testing.T) {
	for _, test := range []struct {
		tag    string
		fault  Fault
		subtag string
	}{
		{"en", None, ""}, {"EN-us", None, ""}, {"de-1996", None, ""}, {"es-419", None, ""}, {"zh-Hans", None, ""}, {"sr-Latn-RS", None, ""},
		{"zh-yue-Hant-HK", None, ""}, {"yue", None, ""}, {"iw", None, ""}, {"i-klingon", None, ""}, {"sgn-BE-FR", None, ""},
		{"x-klingon", None, ""}, {"en-x-foo", None, ""}, {"de-DE-u-co-phonebk", None, ""}, {"en-a-bbb-x-a-ccc", None, ""},
		{"qaa", None, ""}, {"en-Qaaa", None, ""}, {"en-XA", None, ""}, {"en-ZZ", None, ""}, {"en-AA", None, ""}, {"ca-valencia", None, ""}, {"sl-rozaj-biske-1994", None, ""},
		{"mul", None, ""}, {"und", None, ""}, {"zxx", None, ""},

		{"", Malformed, ""}, {"en-", Malformed, ""}, {"-en", Malformed, ""}, {"en--us", Malformed, ""}, {"en_US", Malformed, "en_US"},
		{"en us", Malformed, "en us"}, {"e", Malformed, "e"}, {"x", Malformed, "x"}, {"x-", Malformed, ""}, {"en-u", Malformed, "u"},
		{"en-u-", Malformed, "u"}, {"english1", Malformed, "english1"}, {"languagetag", Malformed, "languagetag"},
		{"de-Latn-Latn", Malformed, "Latn"}, {"en-x-toolongsubtag", Malformed, "toolongsubtag"}, {"zz-en_us", Malformed, "en_us"},
		{"日本語", Malformed, "日本語"},

		{"zz", Language, "zz"}, {"jp", Language, "jp"}, {"cn", Language, "cn"}, {"english", Language, "english"}, {"root", Language, "root"},
		{"qqqq", Language, "qqqq"}, {"xzz", Language, "xzz"}, {"zh-abc", Language, "abc"}, {"zz-UK", Language, "zz"},
		{"zh-CHS", Language, "CHS"},
		{"en-Abcd", Script, "Abcd"},
		{"en-UK", Region, "UK"}, {"en-EN", Region, "EN"}, {"en-999", Region, "999"}, {"en-EU", None, ""},
		{"en-foobar1", Variant, "foobar1"},
	} {
		fault, subtag := Check(test.tag)
		if fault != test.fault || subtag != test.subtag {
			t.Errorf("Check(%q) = %d, %q, want %d, %q", test.tag, fault, subtag, test.fault, test.subtag)
		}
	}
}

func TestCheckAllocatesNothing(t *testing.T) {
	if n := testing.AllocsPerRun(100, func() { Check("sr-Latn-RS-x-foo") }); n > 0 {
		t.Errorf("%g allocations", n)
	}
}

func FuzzCheck(f *testing.F) {
	for _, seed := range []string{"en", "sr-Latn-RS", "x-a-b", "en-u-co-phonebk", "i-klingon", "zh-yue-HK", "--", "q"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, tag string) {
		if fault, _ := Check(tag); fault == None && len(tag) == 0 {
			t.Error("an empty tag is right")
		}
	})
}
