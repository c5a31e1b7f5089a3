package urinorm_test

import (
	"fmt"

	"github.com/orbweaver/orbweaver/urinorm"
)

func ExamplePresent() {
	var none urinorm.Component
	fmt.Println(urinorm.Present("") == none)
	// Output: false
}

func ExampleParseRFC() {
	r, err := urinorm.ParseRFC("foo://example.com:8042/over/there?name=ferret#nose")
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(r.Scheme.Value, r.Host.Value, r.Port.Value, r.Path, r.Query.Value, r.Fragment.Value)

	_, err = urinorm.ParseRFC("http://[1::2::3]/")
	fmt.Println(err)
	// Output:
	// foo example.com 8042 /over/there name=ferret nose
	// parse "http://[1::2::3]/": RFC 3986 IPv6address fails at byte 13: '::' occurs twice
}

func ExampleSyntaxError() {
	err := &urinorm.SyntaxError{Standard: "RFC 3986", Rule: "port", Offset: 9, Reason: "'x' is not a digit"}
	fmt.Println(err)
	// Output: RFC 3986 port fails at byte 9: 'x' is not a digit
}

func ExampleSplit() {
	r := urinorm.Split("http://h/?#")
	fmt.Println(r.Query.Defined, r.Fragment.Defined, r.Port.Defined)
	// Output: true true false
}

func ExampleReference_String() {
	r := urinorm.Reference{Scheme: urinorm.Present("http"), Host: urinorm.Present("h"), Query: urinorm.Present("")}
	fmt.Println(r)
	// Output: http://h?
}

func ExampleReference_Authority() {
	fmt.Println(urinorm.Split("http://u@h:80/").Authority().Value)
	// Output: u@h:80
}

func ExampleReference_IsAbsolute() {
	fmt.Println(urinorm.Split("//h/a").IsAbsolute(), urinorm.Split("s:a").IsAbsolute())
	// Output: false true
}

func ExampleReference_Resolve() {
	base := urinorm.Split("http://a/b/c/d;p?q")
	fmt.Println(base.Resolve(urinorm.Split("../g"), true))
	// Output: http://a/b/g
}

func ExampleResolveRFC() {
	target, _ := urinorm.ResolveRFC("http://a/b/c/d;p?q", "../../../g?y#s", true)
	fmt.Println(target)

	strict, _ := urinorm.ResolveRFC("http://a/b/c/d;p?q", "http:g", true)
	compatible, _ := urinorm.ResolveRFC("http://a/b/c/d;p?q", "http:g", false)
	fmt.Println(strict, compatible)
	// Output:
	// http://a/g?y#s
	// http:g http://a/b/c/g
}

func ExampleRemoveDotSegments() {
	fmt.Println(urinorm.RemoveDotSegments("/a/b/c/./../../g"))
	// Output: /a/g
}

func ExampleSameDocument() {
	for _, ref := range []string{"#top", "", "other.html"} {
		same, _ := urinorm.SameDocument("http://h/page.html", ref)
		fmt.Println(same)
	}
	// Output:
	// true
	// true
	// false
}

func ExampleFromSuffix() {
	uri, ok := urinorm.FromSuffix("www.example.com/a")
	fmt.Println(uri, ok)
	// Output: https://www.example.com/a true
}

func ExampleNormalizeRFC() {
	normal, _ := urinorm.NormalizeRFC("HTTP://EXAMPLE.com:80/%7esmith/./home.html")
	fmt.Println(normal)
	// Output: http://example.com/~smith/home.html
}

func ExampleNormalizeSyntax() {
	normal, _ := urinorm.NormalizeSyntax("HTTP://EXAMPLE.com:80/%7esmith/./home.html")
	fmt.Println(normal)
	// Output: http://example.com:80/~smith/home.html
}

func ExampleExplainNormalize() {
	steps, _ := urinorm.ExplainNormalize("http://Example.com:80/a/../b")
	for _, step := range steps {
		fmt.Printf("%s: %s: %s\n", step.Section, step.What, step.Result)
	}
	// Output:
	// RFC 3986 6.2.2.1: host in lower case: http://example.com:80/a/../b
	// RFC 3986 6.2.2.3: dot segments removed: http://example.com:80/b
	// RFC 3986 6.2.3: empty port, default port or leading zeros of the port removed: http://example.com/b
}

func ExampleCompare() {
	for _, pair := range [][2]string{
		{"http://h/~", "http://h/%7E"},
		{"http://h", "http://h:80/"},
		{"urn:example:a", "urn:example:A"},
	} {
		rung, _ := urinorm.Compare(pair[0], pair[1])
		fmt.Println(rung, rung.Section())
	}
	// Output:
	// percent-encoding RFC 3986 6.2.2.2
	// scheme RFC 3986 6.2.3
	// none
}

func ExampleRung_Equivalent() {
	fmt.Println(urinorm.RungScheme.Equivalent(), urinorm.RungNone.Equivalent())
	// Output: true false
}

func ExampleRung_Section() {
	fmt.Println(urinorm.RungCase.Section())
	// Output: RFC 3986 6.2.2.1
}

func ExampleRung_String() {
	fmt.Println(urinorm.RungDots)
	// Output: dot-segments
}

func ExampleEqualHTTP1() {
	equal, _ := urinorm.EqualHTTP1("http://abc.com:80/~smith/home.html", "http://ABC.com:/%7esmith/home.html")
	fmt.Println(equal)
	// Output: true
}

func ExampleEquivalences() {
	var seen urinorm.Equivalences
	before, _ := seen.Compare("http://example.com/data", "http://example.com/data/")
	_ = seen.Observe("http://example.com/data", "http://example.com/data/") // a 301 was seen
	after, _ := seen.Compare("http://example.com/data", "http://example.com/data/")
	fmt.Println(before, after)
	// Output: none protocol
}

func ExampleEquivalences_Observe() {
	var seen urinorm.Equivalences
	fmt.Println(seen.Observe("http://h/a", "https://h/a"))
	// Output: <nil>
}

func ExampleEquivalences_Compare() {
	var seen urinorm.Equivalences
	rung, _ := seen.Compare("http://h/a", "HTTP://H/a")
	fmt.Println(rung)
	// Output: case
}

func ExampleParseURN() {
	u, _ := urinorm.ParseURN("urn:example:weather?=op=map&lat=39.56#temp")
	fmt.Println(u.NID, u.NSS, u.Q.Value, u.F.Value)
	// Output: example weather op=map&lat=39.56 temp
}

func ExampleURN_Check() {
	u, _ := urinorm.ParseURN("urn:isbn:0-395-36341-2")
	fmt.Println(u.Check())
	// Output: check "urn:isbn:0-395-36341-2": the check digit of the ISBN is wrong
}

func ExampleURN_Equivalent() {
	a, _ := urinorm.ParseURN("urn:example:a123%2Cz456")
	b, _ := urinorm.ParseURN("URN:EXAMPLE:a123%2cz456?=now")
	fmt.Println(a.Equivalent(b))
	// Output: true
}

func ExampleURN_String() {
	fmt.Println(urinorm.URN{NID: "example", NSS: "a", F: urinorm.Present("b")})
	// Output: urn:example:a#b
}

func ExampleParseMailto() {
	m, _ := urinorm.ParseMailto("mailto:joe@Example.com,m%C3%BCller@b%C3%BCcher.example?subject=Hi&cc=eve@example.org")
	for _, address := range m.Addresses() {
		fmt.Println(address.Local, address.Domain)
	}
	// Output:
	// joe example.com
	// müller xn--bcher-kva.example
	// eve example.org
}

func ExampleMailto_Addresses() {
	m, _ := urinorm.ParseMailto("mailto:?to=a@b.example&bcc=c@d.example")
	fmt.Println(m.Addresses())
	// Output: [a@b.example c@d.example]
}

func ExampleAddress_Literal() {
	fmt.Println(urinorm.Address{Local: "joe", Domain: "[192.0.2.1]"}.Literal())
	// Output: true
}

func ExampleAddress_String() {
	fmt.Println(urinorm.Address{Local: "joe", Domain: "example.com"})
	// Output: joe@example.com
}

func ExampleCheckSyntax() {
	fmt.Println(urinorm.CheckSyntax("tel", "+1-816-555-1212"))
	fmt.Println(urinorm.CheckSyntax("tel", "+1-800-FLOWERS"))
	// Output:
	// <nil>
	// check "tel:+1-800-FLOWERS": RFC 3966 global-number fails at byte 11: 'F' is not allowed in a number
}

func ExampleKnownScheme() {
	fmt.Println(urinorm.KnownScheme("mailto"), urinorm.KnownScheme("mailot"))
	// Output: true false
}

func ExampleNearestScheme() {
	scheme, ok := urinorm.NearestScheme("htpps")
	fmt.Println(scheme, ok)
	// Output: https true
}

func ExampleCheckableScheme() {
	fmt.Println(urinorm.CheckableScheme("tel"), urinorm.FetchableScheme("tel"), urinorm.FetchableScheme("https"))
	// Output: true false true
}

func ExampleIsRegistered() {
	fmt.Println(urinorm.IsRegistered("http"), urinorm.IsRegistered("htpp"))
	// Output: true false
}

func ExampleDefaultPort() {
	fmt.Println(urinorm.DefaultPort("https"))
	// Output: 443 true
}

func ExampleFindURIs() {
	const text = `See "http://www.w3.org/Addressing/", <ftp://foo.example.
com/rfc/> (or http://en.example/wiki/URI_(disambiguation)).`
	for _, span := range urinorm.FindURIs(text, urinorm.TextOptions{}) {
		fmt.Println(span.Start, span.URI)
	}
	// Output:
	// 5 http://www.w3.org/Addressing/
	// 38 ftp://foo.example.com/rfc/
	// 71 http://en.example/wiki/URI_(disambiguation)
}
