package urinorm

import (
	"errors"
	"strings"
	"testing"

	"github.com/orbweaver/orbweaver/urinorm/internal/idna"
)

// Cases that testdata does not contain.
func TestParseWeb(t *testing.T) {
	for _, c := range []struct{ base, in, want string }{
		// Bugs of other parsers that the web platform's tests do not catch.
		{"", "foo://h/..?a", "foo://h/?a"},
		{"", "file:///u:x/..", "file:///"},
		{"", "http://foo/bar^baz", "http://foo/bar%5Ebaz"},
		// Segments and slashes.
		{"http://h/a/b", "..", "http://h/"},
		{"http://h/a/b", "../", "http://h/"},
		{"http://h/a/b", "../../../c", "http://h/c"},
		{"http://h/a/b", `c\..\d`, "http://h/a/d"},
		{"http://h/a/b", "./.%2e/%2E", "http://h/"},
		{"foo://h/a/b", `c\..\d`, `foo://h/a/c\..\d`},
		{"foo://h", "x", "foo://h/x"},
		{"foo:/a//b", "..", "foo:/a/"},
		{"foo:/a", "/.//b", "foo:/.//b"},
		{"foo:/.//b", "?q", "foo:/.//b?q"},
		{"foo:/.//b", "c", "foo:/.//c"},
		{"foo:/.//b", "", "foo:/.//b"},
		{"foo:/.//b", "../c", "foo:/c"},
		// Files.
		{"file:///C:/a/b", "/x", "file:///C:/x"},
		{"file:///C:/a/b", "../../../x", "file:///C:/x"},
		{"file:///C:/a/b", "D|/x", "file:///D:/x"},
		{"file:///C:/a/b", "D:x", "d:x"},
		{"file:///C:/a/b", "/D|", "file:///D:"},
		{"file:///a/b", "//host/c", "file://host/c"},
		{"file:///a/b", "file:c", "file:///a/c"},
		{"file:///a/b", "//C|/x", "file:///C:/x"},
		{"file:///a/b", "//LOCALHOST/x", "file:///x"},
		{"http://h/", "file:x", "file:///x"},
		// Hosts.
		{"", "http://a%2eb%2E/", "http://a.b./"},
		{"", "http://xn--/", "http://xn--/"},
		{"", "http://XN--A.b/", "http://xn--a.b/"},
		{"", "http://ａ.b/", "http://a.b/"},
		{"", "http://1.2.3/", "http://1.2.0.3/"},
		{"", "http://0x.0x/", "http://0.0.0.0/"},
		{"", "http://[1::8:0:0:0]/", "http://[1::8:0:0:0]/"},
		{"", "foo://[::FFFF:1.2.3.4]/", "foo://[::ffff:102:304]/"},
		{"", "foo://A%zz\u00e9/", "foo://A%zz%C3%A9/"},
		// Opaque paths.
		{"", "foo:bar \t?x", "foo:bar%20?x"},
		{"", "foo: bar  #x", "foo: bar %20#x"},
		{"mailto:a@b?c", "#d", "mailto:a@b?c#d"},
		// Bytes that are not UTF-8.
		{"", "http://h/\xff?\xff#\xc3", "http://h/%EF%BF%BD?%EF%BF%BD#%EF%BF%BD"},
		{"", "foo:\xff", "foo:%EF%BF%BD"},
	} {
		var base *string
		if c.base != "" {
			base = &c.base
		}
		u, _, err := resolveWeb(webCase{Input: c.in, Base: base})
		if err != nil || u.String() != c.want {
			t.Errorf("%q on %q: got %q, %v, want %q", c.in, c.base, u, err, c.want)
		}
	}
}

func TestParseWebErrors(t *testing.T) {
	for _, c := range []struct {
		in   string
		want error
	}{
		{"", ErrRelative},
		{"a/b", ErrRelative},
		{"//h/", ErrRelative},
		{"http:", ErrHost},
		{"http://", ErrHost},
		{"http://u@/", ErrHost},
		{"foo://:80/", ErrHost},
		{"http://a b/", ErrHost},
		{"http://a%2fb/", ErrHost},
		{"http://\u00ad/", ErrHost},
		{"foo://a b/", ErrHost},
		{"http://[::1/", ErrIPv6},
		{"http://[::1]x/", ErrIPv6},
		{"http://[fe80::1%25eth0]/", ErrIPv6},
		{"http://[v1.x]/", ErrIPv6},
		{"http://1.2.3.256/", ErrIPv4},
		{"http://1.2.3.4.5/", ErrIPv4},
		{"http://0x100000000/", ErrIPv4},
		{"http://h:65536/", ErrPort},
		{"http://h:8a/", ErrPort},
		{"http://xn--a.\u00df/", ErrDomain},
		{"http://\u0378/", ErrDomain},
		{"http://\xff/", ErrDomain},
		{"http://" + strings.Repeat("é", idna.MaxLabel+1) + "/", ErrDomain},
		{"http://h/" + strings.Repeat("a", MaxReference), ErrTooLong},
	} {
		u, _, err := ParseWeb(c.in)
		var e *Error
		if !errors.Is(err, c.want) || !errors.As(err, &e) || !u.IsZero() {
			t.Errorf("%.40q: got %q, %v, want %v", c.in, u, err, c.want)
		}
	}
}

func TestErrorText(t *testing.T) {
	_, _, err := ParseWeb("http://user:secret@h:port/\n")
	want := `parse "http://user:***@h:port/": port is not a number from 0 to 65535`
	if err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
	_, _, err = ParseWeb(strings.Repeat("é", 1000))
	if got := err.Error(); len(got) > 300 || !strings.Contains(got, `é…"`) {
		t.Errorf("a long input is shown as %s", got)
	}
}

func TestURLParts(t *testing.T) {
	u := mustParse(t, "https://user:pass@example.com:8042/over/there?name=ferret#nose")
	for _, c := range []struct{ what, got, want string }{
		{"scheme", u.Scheme(), "https"},
		{"username", u.Username(), "user"},
		{"password", u.Password(), "pass"},
		{"host", u.Host(), "example.com"},
		{"port", u.Port(), "8042"},
		{"authority", u.Authority(), "example.com:8042"},
		{"path", u.Path(), "/over/there"},
		{"directory", u.Directory(), "/over/"},
		{"request target", u.RequestTarget(), "/over/there?name=ferret"},
		{"without fragment", u.WithoutFragment().String(), "https://user:pass@example.com:8042/over/there?name=ferret"},
		{"without userinfo", u.WithoutUserinfo().String(), "https://example.com:8042/over/there?name=ferret#nose"},
		{"directory of an opaque path", mustParse(t, "mailto:a@b").Directory(), ""},
		{"host of an opaque path", mustParse(t, "mailto:a@b").Host(), ""},
		{"authority of an opaque path", mustParse(t, "mailto:a@b").Authority(), ""},
	} {
		if c.got != c.want {
			t.Errorf("%s: got %q, want %q", c.what, c.got, c.want)
		}
	}
	query, hasQuery := u.Query()
	fragment, hasFragment := u.Fragment()
	if query != "name=ferret" || !hasQuery || fragment != "nose" || !hasFragment {
		t.Errorf("query %q %v, fragment %q %v", query, hasQuery, fragment, hasFragment)
	}
	if !u.HasUserinfo() || u.WithoutUserinfo().HasUserinfo() || !u.isSpecial() || u.IsZero() || !(URL{}).IsZero() {
		t.Error("HasUserinfo, IsSpecial or IsZero is wrong")
	}
	empty := mustParse(t, "http://h/?#")
	if q, ok := empty.Query(); q != "" || !ok {
		t.Error("an empty query is a query")
	}
	if f, ok := empty.Fragment(); f != "" || !ok {
		t.Error("an empty fragment is a fragment")
	}
	if _, ok := mustParse(t, "http://h/").Query(); ok {
		t.Error("there is no query")
	}
}

func TestEffectivePort(t *testing.T) {
	for in, want := range map[string]int{
		"http://h/": 80, "https://h/": 443, "ws://h/": 80, "wss://h/": 443, "ftp://h/": 21,
		"http://h:443/": 443, "http://h:0/": 0, "file:///x": 0, "foo://h/": 0, "foo://h:7/": 7,
	} {
		if got := mustParse(t, in).EffectivePort(); got != want {
			t.Errorf("%s: got %d, want %d", in, got, want)
		}
	}
}
