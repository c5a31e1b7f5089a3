package check_test

import (
	"fmt"

	"github.com/orbweaver/orbweaver/crawler/check"
)

func ExampleLookup() {
	for _, code := range []check.Code{"http-404", "fragment-missing"} {
		e, _ := check.Lookup(code)
		fmt.Printf("%s (%s): %s\n", e.Code, e.Severity, e.Title)
	}
	near, _ := check.Nearest("fragment-mising")
	fmt.Println(near)
	// Output:
	// http-404 (error): 404 not found
	// fragment-missing (error): no such anchor on the page
	// fragment-missing
}
