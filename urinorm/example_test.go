package urinorm_test

import (
	"fmt"

	"github.com/orbweaver/orbweaver/urinorm"
)

func Example() {
	// Resolve the links of a page as a browser does.
	page, _, _ := urinorm.ParseWeb("https://example.com/guide/start.html")
	base, _ := urinorm.NewBase(page, "utf-8")
	a, repairs, _ := base.Resolve(` ..\%7euser\my page#top`)
	b, _, _ := base.Resolve("HTTPS://EXAMPLE.COM:443/~user/my%20page")
	fmt.Println(a.Printed(), repairs.Names())
	fmt.Println(urinorm.KeyOf(a) == urinorm.KeyOf(b))

	// Normalize and compare by RFC 3986.
	normal, _ := urinorm.NormalizeRFC("HTTP://example.com:80/a/../%7euser")
	rung, _ := urinorm.Compare("http://example.com", "http://example.com:80/")
	fmt.Println(normal, rung.Equivalent(), rung.Section())

	// Output:
	// https://example.com/~user/my%20page#top [trimmed backslash space]
	// true
	// http://example.com/~user true RFC 3986 6.2.3
}
