package crawlertest_test

import (
	"fmt"

	"github.com/orbweaver/orbweaver/crawler/crawlertest"
)

// Compare what a crawl has found with what a site wants to be found.
func ExampleDiff() {
	got := []crawlertest.Want{{Page: "index.html", Line: 1, Column: 10, Code: "http-404", URL: "gone.html"}}
	want := []crawlertest.Want{{Page: "index.html", Line: 1, Column: 10, Code: "redirect-permanent", URL: "gone.html"}}
	fmt.Print(crawlertest.Diff(got, want))
	// Output:
	// + index.html 1:10 http-404 gone.html
	// - index.html 1:10 redirect-permanent gone.html
}
