package urinorm

import (
	"strings"
	"testing"
)

func TestRetarget(t *testing.T) {
	tests := []struct{ ref, from, to, want string }{
		// absolute
		{"http://e.test/a", "http://e.test/a", "https://e.test/a", "https://e.test/a"},
		{"http://e.test", "http://e.test/", "https://e.test/", "https://e.test"},
		{"http://E.test/a", "http://e.test/a", "https://e.test/a", "https://E.test/a"},
		{"http://e.test:80/a", "http://e.test/a", "https://e.test/a", "https://e.test/a"},
		{"http://e.test/Übersicht", "http://e.test/%C3%9Cbersicht", "https://e.test/%C3%9Cbersicht", "https://e.test/Übersicht"},
		{"http://e.test/w/Über?q=ü#ä", "http://e.test/w/%C3%9Cber?q=%C3%BC#%C3%A4", "https://e.test/x/w/%C3%9Cber?q=%C3%BC#%C3%A4", "https://e.test/x/w/Über?q=ü#ä"},
		{"http://e.test/a/./b", "http://e.test/a/b", "https://e.test/a/b", "https://e.test/a/./b"},
		{"http://e.test/a/../b/c", "http://e.test/b/c", "https://e.test/b/d", "https://e.test/b/d"},
		{"https://e.test/old#s", "https://e.test/old#s", "https://e.test/new#s", "https://e.test/new#s"},
		{"https://e.test/old#s", "https://e.test/old#s", "https://e.test/new#t", "https://e.test/new#t"},
		{"https://e.test/old?x=1", "https://e.test/old?x=1", "https://e.test/new", "https://e.test/new"},
		{"https://e.test/old", "https://e.test/other", "https://e.test/new", ""}, // it leads elsewhere
		{"mailto:a@e.test", "mailto:a@e.test", "mailto:b@e.test", "mailto:b@e.test"},
		// with the scheme of the page
		{"//e.test/old", "https://e.test/old", "https://e.test/new", "//e.test/new"},
		{"//e.test/old", "https://e.test/old", "https://f.test/old", "//f.test/old"},
		{"//e.test/old", "http://e.test/old", "https://e.test/old", "https://e.test/old"},
		// from the root
		{"/docs/old", "https://e.test/docs/old", "https://e.test/docs/new/", "/docs/new/"},
		{"/docs/old#s", "https://e.test/docs/old#s", "https://e.test/new#s", "/new#s"},
		{"/old", "https://e.test/old", "https://f.test/old", "https://f.test/old"},
		{"/old", "http://e.test/old", "https://e.test/old", "https://e.test/old"},
		{"/old", "https://e.test/docs/old", "https://e.test/docs/new", ""},
		// relative
		{"old.html", "https://e.test/docs/old.html", "https://e.test/docs/new.html", "new.html"},
		{"./old.html", "https://e.test/docs/old.html", "https://e.test/docs/new.html", "./new.html"},
		{"old.html", "https://e.test/docs/old.html", "https://e.test/new.html", "../new.html"},
		{"../old.html", "https://e.test/docs/old.html", "https://e.test/docs/a/new.html", "../a/new.html"},
		{"../old.html", "https://e.test/docs/old.html", "https://e.test/new.html", "../../new.html"},
		{"a/old.html?x#y", "https://e.test/a/old.html?x#y", "https://e.test/b/old.html?x#y", "b/old.html?x#y"},
		{"old", "https://e.test/docs/old", "https://e.test/docs/old/", "old/"},
		{"old/", "https://e.test/docs/old/", "https://e.test/docs/", "./"},
		{"old/", "https://e.test/docs/old/", "https://e.test/", "../"},
		{"a b.html", "https://e.test/a%20b.html", "https://e.test/x/a%20b.html", "x/a b.html"},
		{"old", "https://e.test/old", "https://e.test/a:b", "./a:b"},
		{"x/../old", "https://e.test/d/old", "https://e.test/d/new", "new"},
		{"..", "https://e.test/d/", "https://e.test/e/", "../../e/"},
		{"old", "https://e.test/old", "http://e.test/old", "http://e.test/old"},
		{" old ", "https://e.test/old", "https://e.test/new", "new"},
		// the document itself
		{"#old", "https://e.test/d/page#old", "https://e.test/d/page#new", "#new"},
		{"?a", "https://e.test/d/page?a", "https://e.test/d/page?b", "?b"},
		{"#s", "https://e.test/d/page#s", "https://e.test/d/other#s", "other#s"},
		{"", "https://e.test/d/page", "https://e.test/d/other", "other"},
		// local paths
		{"guide.html#setup", "docs/guide.html#setup", "docs/guide.html#set-up", "guide.html#set-up"},
		{"/guide.html#setup", "public/guide.html#setup", "public/guide.html#set-up", "/guide.html#set-up"},
		{"/instal.html", "public/instal.html", "public/install.html", "/install.html"},
		{"/instal.html", "public/instal.html", "private/install.html", ""},
		{"instal.html", "public/instal.html", "public/docs/install.html", "docs/install.html"},
		{"../instal.html", "public/instal.html", "public/install.html", "../install.html"},
		{"../instal.html", "../site/instal.html", "../site/install.html", "../install.html"},
		{"/instal.html", "../site/instal.html", "../site/install.html", "/install.html"},
		{"page", "site/page", "site/page.html", "page.html"},
		{"Über.html", "site/%C3%9Cber.html", "site/x/%C3%9Cber.html", "x/Über.html"},
		{"a", "a", "b", "b"},
		{"sub/", "sub/", "./", "./"},
		{"a", "a", "https://e.test/a", "https://e.test/a"},
		{"a", "https://e.test/a", "b", ""},
		{"a", "a", "a", ""},
	}
	for _, test := range tests {
		got, ok := Retarget(test.ref, test.from, test.to)
		if ok != (test.want != "") || ok && got != test.want {
			t.Errorf("Retarget(%q, %q, %q) = %q, %v, want %q", test.ref, test.from, test.to, got, ok, test.want)
		}
	}
}

// FuzzRetarget checks that the result of Retarget leads to the new target from any
// base from which ref leads to the old one.
func FuzzRetarget(f *testing.F) {
	addWebSeeds(f, func(ref, base string) { f.Add(base, ref, "https://example.com/a/new#x") })
	f.Add("https://e.test/a/b/c", "../x?y#z", "https://e.test/a/new")
	f.Add("https://e.test/a/b/c", "../../../../x", "https://e.test/q/r")
	f.Add("https://e.test/", "//f.test", "https://f.test/a/../b")
	f.Add("https://e.test/a//b/", "..//x", "https://e.test//x//y")
	f.Add("http://e.test/a?q", "", "http://e.test/b:c")
	f.Fuzz(func(t *testing.T, base, ref, to string) {
		at, _, err := ParseWeb(base)
		if err != nil || at.Offsets().opaque {
			return
		}
		b, err := NewBase(at, "")
		if err != nil {
			return
		}
		from, _, err := b.Resolve(ref)
		if err != nil || from.HasUserinfo() {
			return
		}
		target, _, err := ParseWeb(to)
		if err != nil || target.HasUserinfo() {
			return
		}
		got, ok := Retarget(ref, from.Printed(), target.Printed())
		if !ok {
			return
		}
		u, _, err := b.Resolve(got)
		if err != nil || u.Printed() != target.Printed() {
			t.Fatalf("%q on %q leads to %q; for %q it became %q, which leads to %q, %v", ref, base, from.Printed(), target.Printed(), got, u.Printed(), err)
		}
		if strings.HasPrefix(ref, "#") && from.WithoutFragment() == target.WithoutFragment() && !strings.HasPrefix(got, "#") && !strings.Contains(base, "#") {
			if _, has := target.Fragment(); has {
				t.Fatalf("%q on %q became %q for %q", ref, base, got, target.Printed())
			}
		}
	})
}
