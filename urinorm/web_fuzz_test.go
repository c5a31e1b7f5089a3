package urinorm

import (
	"bytes"
	"strings"
	"testing"
	"unicode/utf8"
)

// checkWebURL checks the properties of all URLs that the web profile returns.
func checkWebURL(t *testing.T, u URL) {
	t.Helper()
	href, at := u.String(), u.Offsets()
	for i := range len(href) {
		if href[i] < ' ' || href[i] >= 0x7F || href[i] == ' ' && !at.opaque {
			t.Fatalf("%q holds the byte %#x", href, href[i])
		}
	}
	checkOffsets(t, u)
	again, repairs, err := ParseWeb(href)
	if err != nil || again != u {
		t.Fatalf("%q parsed again: %q %+v, %v, was %+v", href, again, again.at, err, at)
	}
	const harmless = repairPercent | repairCredentials | repairMisleadingUserinfo | repairHostLength | repairALabel | repairSpace
	if extra := repairs &^ harmless; extra != 0 || repairs.Has(repairSpace) && !at.opaque {
		t.Fatalf("%q parsed again notes %q", href, repairs.Names())
	}
	for _, v := range []URL{u.WithoutFragment(), u.WithoutUserinfo()} {
		if again, _, err := ParseWeb(v.String()); err != nil || again != v {
			t.Fatalf("%q cut to %q: %q, %v", href, v, again, err)
		}
	}
	checkKey(t, u)
	checkPrinted(t, u)
}

// checkOffsets checks that the parts make up the URL.
func checkOffsets(t *testing.T, u URL) {
	t.Helper()
	var b strings.Builder
	b.WriteString(u.Scheme() + ":")
	if u.at.HasAuthority {
		b.WriteString("//")
		if u.HasUserinfo() {
			b.WriteString(u.Username())
			if u.Password() != "" {
				b.WriteString(":" + u.Password())
			}
			b.WriteString("@")
		}
		b.WriteString(u.Host())
		if u.Port() != "" {
			b.WriteString(":" + u.Port())
		}
		if got := u.Host() + strings.TrimSuffix(":"+u.Port(), ":"); got != u.Authority() && u.Port() != "" {
			t.Fatalf("%q: authority %q", u, u.Authority())
		}
	} else if strings.HasPrefix(u.Path(), "//") && !u.at.opaque {
		b.WriteString("/.")
	}
	b.WriteString(u.Path())
	target := u.Path()
	if query, ok := u.Query(); ok {
		b.WriteString("?" + query)
		target += "?" + query
	}
	if fragment, ok := u.Fragment(); ok {
		b.WriteString("#" + fragment)
	}
	if b.String() != u.String() || target != u.RequestTarget() {
		t.Fatalf("%q %+v: its parts make %q", u, u.at, b.String())
	}
}

// checkKey checks that the key of a key is the key, in all forms of the function.
func checkKey(t *testing.T, u URL) {
	t.Helper()
	key := KeyOf(u)
	if appended := AppendKey([]byte("x"), []byte(u.String()), u.at); string(appended) != "x"+string(key) {
		t.Fatalf("%q: AppendKey gives %q, KeyOf %q", u, appended, key)
	}
	if other := KeyOf(u.WithoutFragment()); other != key {
		t.Fatalf("%q: key %q, without fragment %q", u, key, other)
	}
	v, _, err := ParseWeb(string(key))
	if err != nil || KeyOf(v) != key {
		t.Fatalf("%q: key %q, whose key is %q, %v", u, key, KeyOf(v), err)
	}
	if w, _, err := ParseWeb(u.Printed()); err != nil || !u.HasUserinfo() && KeyOf(w) != key {
		t.Fatalf("%q: printed %q, key %q, %v", u, u.Printed(), KeyOf(w), err)
	}
}

func checkPrinted(t *testing.T, u URL) {
	t.Helper()
	printed := u.Printed()
	if appended := AppendPrinted([]byte("x"), []byte(u.String()), u.at); string(appended) != "x"+printed {
		t.Fatalf("%q: AppendPrinted gives %q, Printed %q", u, appended, printed)
	}
	v, _, err := ParseWeb(printed)
	if err != nil || v.Printed() != printed || v.String() != printed {
		t.Fatalf("%q: printed %q, then %q, %v", u, printed, v, err)
	}
	if u.Password() != "" && v.Password() != "***" {
		t.Fatalf("%q: printed %q", u, printed)
	}
}

func addWebSeeds(f *testing.F, add func(ref, base string)) {
	for _, name := range []string{"wpt-urltestdata", "web-recent-changes", "web-ada-extra"} {
		for _, c := range webCorpus(f, name) {
			base := "https://example.com/a/b?q#f"
			if c.Base != nil {
				base = *c.Base
			}
			add(c.Input, base)
		}
	}
	for i, c := range webCorpus(f, "hrefs-real") {
		if i%40 == 0 {
			add(c.Input, *c.Base)
		}
	}
}

// FuzzParseWeb checks that no input panics, and that parsing a result changes nothing.
func FuzzParseWeb(f *testing.F) {
	addWebSeeds(f, func(ref, _ string) { f.Add(ref) })
	f.Fuzz(func(t *testing.T, s string) {
		u, _, err := ParseWeb(s)
		if err != nil {
			return
		}
		checkWebURL(t, u)
	})
}

// FuzzResolveWeb checks that the fast path agrees with the slow path, that resolving
// a result changes nothing, and that its length is limited by the inputs.
func FuzzResolveWeb(f *testing.F) {
	addWebSeeds(f, func(ref, base string) { f.Add(ref, base, "") })
	for _, c := range webCorpus(f, "web-query-charset") {
		f.Add("?"+c.Input, "http://example.com/", c.Charset)
	}
	f.Fuzz(func(t *testing.T, ref, baseURL, charset string) {
		parsed, _, err := ParseWeb(baseURL)
		if err != nil {
			return
		}
		base, err := NewBase(parsed, charset)
		if err != nil {
			base = mustBase(t, baseURL, "")
		}
		if base.URL() != parsed {
			t.Fatalf("base %q became %q", parsed, base.URL())
		}
		prefix := []byte("prefix ")
		slow, slowAt, slowRepairs, slowErr := base.appendSlow(prefix, ref)
		if fast, at, ok := base.appendFast(prefix, ref); ok {
			if slowErr != nil || slowRepairs != 0 || !bytes.Equal(fast, slow) || at != slowAt {
				t.Fatalf("%q on %q: fast %q %+v, slow %q %+v %v %v", ref, baseURL, fast, at, slow, slowAt, slowRepairs.Names(), slowErr)
			}
		}
		href, at, repairs, err := base.Append(prefix, ref)
		u, repairs2, err2 := base.Resolve(ref)
		if (err == nil) != (err2 == nil) || (err == nil) != (slowErr == nil) || repairs != repairs2 {
			t.Fatalf("%q on %q: %v, %v, %v", ref, baseURL, err, err2, slowErr)
		}
		if err != nil {
			if string(href) != "prefix " || at != (Offsets{}) {
				t.Fatalf("%q on %q: an error left %q %+v", ref, baseURL, href, at)
			}
			return
		}
		if string(href) != "prefix "+u.String() || at != u.at {
			t.Fatalf("%q on %q: Append %q %+v, Resolve %q %+v", ref, baseURL, href, at, u, u.at)
		}
		checkWebURL(t, u)
		again, _, err := base.Resolve(u.String())
		if err != nil || again != u {
			t.Fatalf("%q on %q: %q, resolved again %q, %v", ref, baseURL, u, again, err)
		}
		// UTF-8 grows three times. An invalid byte becomes %EF%BF%BD, a character that
		// the charset lacks becomes %26%23N%3B, and an address of one or two numbers
		// gets its full form. IDNA grows a host by its longest mapping at most.
		grow := 3
		switch {
		case !utf8.ValidString(ref) && charset != "":
			grow = len("%26%2365533%3B") // the replacement character, which the charset lacks
		case !utf8.ValidString(ref):
			grow = 9
		case charset != "":
			grow = 12
		case repairs.Has(repairNonASCII):
			grow = 11 + len("xn--")
		}
		if limit := grow*len(ref) + len(baseURL)*9 + 64; len(u.String()) > limit {
			t.Fatalf("%q on %q: %d bytes, limit %d", ref, baseURL, len(u.String()), limit)
		}
	})
}
