package urinorm

import (
	"net/netip"
	"testing"
)

func TestIPv4(t *testing.T) {
	for _, c := range []struct{ in, want string }{
		{"1.2.3.4", "1.2.3.4"},
		{"1.2.3.4.", "1.2.3.4"},
		{"01.02.03.04", "1.2.3.4"},
		{"0300.0250.1", "192.168.0.1"},
		{"0XfF.0Xff.0xFFfF", "255.255.255.255"},
		{"4294967295", "255.255.255.255"},
		{"0x", "0.0.0.0"},
		{"1.", "0.0.0.1"},
		{"4294967296", ""},
		{"1.2.3.256", ""},
		{"256.2.3.4", ""},
		{"1.2.3.4.5", ""},
		{"1..2", ""},
		{"1.2..", ""},
		{"08", ""},
		{"1.x.3", ""},
		{"99999999999999999999999999", ""},
	} {
		address, ok := parseIPv4([]byte(c.in))
		if got := string(appendIPv4(nil, address)); ok != (c.want != "") || ok && got != c.want {
			t.Errorf("%q: got %q, %v, want %q", c.in, got, ok, c.want)
		}
	}
}

func TestEndsInNumber(t *testing.T) {
	for in, want := range map[string]bool{
		"1": true, "a.1": true, "a.1.": true, "0x": true, "a.0xfG": false, "a.0xff": true, "a.09": true,
		"a": false, "1.a": false, "a..": false, ".": false, "1a": false, "a.0X1": true, "-1": false,
	} {
		if got := endsInNumber([]byte(in)); got != want {
			t.Errorf("%q: got %v", in, got)
		}
	}
}

// The standard library parses and formats addresses alike, except for the form of
// mapped ones.
func TestIPv6AgainstNetip(t *testing.T) {
	for n := range 1 << 8 { // each way to make eight groups zero or not zero
		var s string
		for i := range 8 {
			s += []string{":0", ":00aB"}[n>>i&1]
		}
		s = s[1:]
		want := netip.MustParseAddr(s)
		pieces, ok := parseIPv6(s)
		if !ok || pieces != piecesOf(want) {
			t.Fatalf("%s: got %x, %v", s, pieces, ok)
		}
		// netip formats mapped addresses with dots (RFC 5952 5).
		if got := string(appendIPv6(nil, pieces)); !want.Is4In6() && got != "["+want.String()+"]" {
			t.Fatalf("%s: got %s, want %s", s, got, want)
		}
	}
}

func FuzzIPv6(f *testing.F) {
	for _, s := range []string{
		"::", "::1", "1::", "1:2:3:4:5:6:7:8", "::ffff:1.2.3.4", "1:2:3:4:5:6:1.2.3.4", "1::8:", ":1", "1:::8", "::1.2.3",
		"::1.2.3.04", "1:2:3:4:5:6:7::", "::2:3:4:5:6:7:8", "12345::", "::1%eth0", "1::2::3", "",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		pieces, ok := parseIPv6(s)
		want, err := netip.ParseAddr(s)
		if wantOK := err == nil && want.Is6() && want.Zone() == ""; ok != wantOK || ok && pieces != piecesOf(want) {
			t.Fatalf("%q: got %x, %v, netip %v, %v", s, pieces, ok, want, err)
		}
		if !ok {
			return
		}
		text := string(appendIPv6(nil, pieces))
		again, ok := parseIPv6(text[1 : len(text)-1])
		if !ok || again != pieces {
			t.Fatalf("%q is written %s, which is %x, %v", s, text, again, ok)
		}
	})
}

func piecesOf(a netip.Addr) (pieces [8]uint16) {
	bytes := a.As16()
	for i := range pieces {
		pieces[i] = uint16(bytes[2*i])<<8 | uint16(bytes[2*i+1])
	}
	return pieces
}
