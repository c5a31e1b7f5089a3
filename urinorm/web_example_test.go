package urinorm_test

import (
	"fmt"

	"github.com/orbweaver/orbweaver/urinorm"
)

func ExampleParseWeb() {
	u, repairs, err := urinorm.ParseWeb(` HTTPS:\\Bücher.example:443/a/../b c?q=1#top`)
	fmt.Println(u, err)
	fmt.Println(repairs.Names())
	// Output:
	// https://xn--bcher-kva.example/b%20c?q=1#top <nil>
	// [trimmed backslash space non-ascii]
}

func ExampleParseWeb_error() {
	_, _, err := urinorm.ParseWeb("http://user:secret@example.com:port/")
	fmt.Println(err)
	// Output:
	// parse "http://user:***@example.com:port/": port is not a number from 0 to 65535
}

func ExampleNewBase() {
	u, _, _ := urinorm.ParseWeb("https://example.com/guide/start.html")
	base, _ := urinorm.NewBase(u, "windows-1252")
	target, _, _ := base.Resolve("../search?q=café")
	fmt.Println(target)
	// Output: https://example.com/search?q=caf%E9
}

func ExampleBase_Resolve() {
	u, _, _ := urinorm.ParseWeb("https://example.com/guide/start.html?page=2#intro")
	base, _ := urinorm.NewBase(u, "")
	for _, ref := range []string{"install.html", "../", "?page=3", "#end", "//cdn.example/x.js", "https:next"} {
		target, _, _ := base.Resolve(ref)
		fmt.Println(target)
	}
	// Output:
	// https://example.com/guide/install.html
	// https://example.com/
	// https://example.com/guide/start.html?page=3
	// https://example.com/guide/start.html?page=2#end
	// https://cdn.example/x.js
	// https://example.com/guide/next
}

func ExampleBase_Append() {
	u, _, _ := urinorm.ParseWeb("https://example.com/guide/start.html")
	base, _ := urinorm.NewBase(u, "")
	var buf []byte // reused for every link
	for _, ref := range []string{"a.html#x", "b.html"} {
		href, at, _, err := base.Append(buf[:0], ref)
		if err != nil {
			continue
		}
		key := urinorm.AppendKey(nil, href, at)
		fmt.Printf("%s has the key %s\n", href, key)
		buf = href
	}
	// Output:
	// https://example.com/guide/a.html#x has the key https://example.com/guide/a.html
	// https://example.com/guide/b.html has the key https://example.com/guide/b.html
}

func ExampleKeyOf() {
	a, _, _ := urinorm.ParseWeb("http://EXAMPLE.com:80/%7euser/./#about")
	b, _, _ := urinorm.ParseWeb("http://reader@example.com/~user/")
	fmt.Println(urinorm.KeyOf(a))
	fmt.Println(urinorm.KeyOf(a) == urinorm.KeyOf(b))
	// Output:
	// http://example.com/~user/
	// true
}

func ExampleURL_Printed() {
	u, _, _ := urinorm.ParseWeb("https://user:secret@example.com/%7euser/%2f")
	fmt.Println(u.Printed())
	// Output: https://user:***@example.com/~user/%2F
}

func ExampleURL_RequestTarget() {
	u, _, _ := urinorm.ParseWeb("https://example.com/over/there?name=ferret#nose")
	fmt.Println(u.RequestTarget(), u.Directory(), u.EffectivePort())
	// Output: /over/there?name=ferret /over/ 443
}

func ExampleRepairs() {
	_, repairs, _ := urinorm.ParseWeb("http://bank.example:pw@0x7f.1/a b")
	fmt.Println(repairs.Repaired(), repairs.Names())
	fmt.Println(repairs.Codes())
	// Output:
	// true [space obfuscated-ip credentials misleading-userinfo]
	// [uri-repaired uri-credentials uri-misleading-userinfo uri-obfuscated-ip]
}

func ExampleRedact() {
	fmt.Println(urinorm.Redact("no answer from ftp://user:secret@example.com/"))
	// Output: no answer from ftp://user:***@example.com/
}

func ExampleRegistrableDomain() {
	fmt.Println(urinorm.RegistrableDomain("sub.www.example.co.uk"))
	// Output: example.co.uk
}

func ExampleIsLoopback() {
	fmt.Println(urinorm.IsLoopback("127.0.0.53"), urinorm.IsLoopback("app.localhost"))
	// Output: true false
}

func ExampleAppendPrinted() {
	u, _, _ := urinorm.ParseWeb("https://example.com/%41#%41")
	fmt.Printf("%s\n", urinorm.AppendPrinted([]byte("see "), []byte(u.String()), u.Offsets()))
	// Output: see https://example.com/A#A
}

func ExampleAppendKey() {
	u, _, _ := urinorm.ParseWeb("https://example.com/?q=%7e#x")
	fmt.Printf("%s\n", urinorm.AppendKey(nil, []byte(u.String()), u.Offsets()))
	// Output: https://example.com/?q=~
}
