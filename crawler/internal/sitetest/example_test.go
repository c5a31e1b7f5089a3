package sitetest_test

import (
	"fmt"

	"github.com/orbweaver/orbweaver/crawler/internal/sitetest"
)

// Compare what a crawl has found with what a site wants to be found.
func ExampleDiff() {
	got := []sitetest.Want{{Page: "index.html", Line: 1, Column: 10, Code: "http-404", URL: "gone.html"}}
	want := []sitetest.Want{{Page: "index.html", Line: 1, Column: 10, Code: "redirect-permanent", URL: "gone.html"}}
	fmt.Print(sitetest.Diff(got, want))
	// Output:
	// + index.html 1:10 http-404 gone.html
	// - index.html 1:10 redirect-permanent gone.html
}
