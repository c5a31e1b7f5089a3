// Package browsertest drives a headless Chromium, for tests of the HTML report and of the web
// interface.
//
//	browser := browsertest.Start(t)               // one for all tests of a package
//	p := browsertest.Open(t, browser, address)    // a tab
//	p.Click("#save")
//	p.Until(`document.title === "Saved"`)
//	p.Want(`document.querySelectorAll("tr").length`, "3")
//	p.Accessible()                                // axe-core has no finding
//
// A tab fails its test if the page writes to the console, throws an exception, violates its
// Content-Security-Policy, or sends a request to another place than its own. All waiting is for
// a condition, with the same long limit.
package browsertest
