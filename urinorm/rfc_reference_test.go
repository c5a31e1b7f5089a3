package urinorm

import "testing"

func TestSplit(t *testing.T) {
	tests := []struct {
		in   string
		want Reference
	}{
		{"", Reference{}},
		{"#", Reference{Fragment: Present("")}},
		{"?#", Reference{Query: Present(""), Fragment: Present("")}},
		{"http://www.ics.uci.edu/pub/ietf/uri/#Related", Reference{ // the example of appendix B
			Scheme: Present("http"), Host: Present("www.ics.uci.edu"), Path: "/pub/ietf/uri/",
			Fragment: Present("Related")}},
		{"//", Reference{Host: Present("")}},
		{"//@:", Reference{Userinfo: Present(""), Host: Present(""), Port: Present("")}},
		{"//u:p@[::1]:80/x", Reference{Userinfo: Present("u:p"), Host: Present("[::1]"), Port: Present("80"), Path: "/x"}},
		{"mailto:a@b", Reference{Scheme: Present("mailto"), Path: "a@b"}},
		{":a", Reference{Path: ":a"}},
		{"a/b:c", Reference{Path: "a/b:c"}},
		// Strings that the grammar forbids are split as well.
		{"h ttp://a@b@c:1:2/ /?\x00#é", Reference{Scheme: Present("h ttp"), Userinfo: Present("a@b"),
			Host: Present("c"), Port: Present("1:2"), Path: "/ /", Query: Present("\x00"), Fragment: Present("é")}},
		{"//[::1", Reference{Host: Present("[::1")}},
		{"//[::1]x", Reference{Host: Present("[::1]x")}},
	}
	for _, test := range tests {
		got := Split(test.in)
		if got != test.want {
			t.Errorf("Split(%q) = %+v", test.in, got)
		}
		if got.String() != test.in {
			t.Errorf("%q is recomposed as %q", test.in, got)
		}
	}
}

func TestAuthority(t *testing.T) {
	for _, test := range []struct {
		in   string
		want Component
	}{
		{"http:x", Component{}},
		{"http://", Present("")},
		{"http://h/", Present("h")},
		{"http://u@h:80/", Present("u@h:80")},
		{"http://h:/", Present("h:")},
	} {
		if got := Split(test.in).Authority(); got != test.want {
			t.Errorf("authority of %q is %+v", test.in, got)
		}
	}
}
