// Package references collects the references of one page. It resolves each reference as
// a browser would, decides whether its target is requested, identifies the target by its
// fingerprint, and encodes the result in the form that the frontier stores.
//
//	page.Reset(env, href, depth)     begin a page
//	page.From(source)                set what its links share: base URL, nofollow, …
//	page.AddAll(doc.Links, …)        add its links
//	page.Targets(), page.Encode()    the result, for Frontier.Settle
//
// Each link passes through four steps. Each step hands its result to the next one:
//
//	resolve    reference and base URL   → target: the URL of the link        resolve.go
//	decide     target and link          → scope.Fate and marks               decide.go
//	enter      fate and fingerprint     → an item of the page                items.go
//	write      the link's reference     → the page's block of references     block.go
//
// Pages of a site repeat each other, so a collector remembers the results of references
// (collect.go, remembered.go). Where files can be read again, most links are kept bare
// (block.go, forecast.go). Without an Env.Forecast, every link is kept whole.
package references
