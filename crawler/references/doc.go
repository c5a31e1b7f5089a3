// Package references gathers what one page refers to: each reference is resolved as a
// browser would, its fate decided, its target known by its key, and all is kept in the
// form in which the page is settled.
//
//	page.Reset(env, href, depth)     begin a page
//	page.From(source)                what holds for all its links: base URL, nofollow …
//	page.AddAll(doc.Links, …)        keep its links
//	page.Targets(), page.Encode()    what was found, for Frontier.Settle
//
// A link takes one way through the package. What each step finds out is the value that
// the next one gets:
//
//	resolve    reference and base URL   → target: where it leads          resolve.go
//	decide     target and link          → rules.Fate and marks            decide.go
//	enter      fate and key             → an item of the page             items.go
//	keep       what the link came to    → the page's block of references  page.go
//
// Pages of a site repeat each other, so what a reference came to is remembered
// (remembered.go). Where files can be read once more, most links are kept bare
// (bare.go, forecast.go): without an Env.Forecast nothing is, and everything else works
// the same.
package references
