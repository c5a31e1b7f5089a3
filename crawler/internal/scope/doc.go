// Package scope decides which URLs a run reads for links, only checks, or leaves alone ([Scope]),
// by the user's rules ([Rules], [Rule], [Judging]), and prints URLs for reports ([Printer]).
//
//	rules.go    what the user has configured
//	href.go     Href: a resolved reference and the offsets of its components
//	scope.go    Scope.Decide: follow, only check, or skip
//	sites.go    directories that answer for URLs
//	signout.go  links that an authenticated crawl skips; signoutwords.go, their texts
//	printer.go  URLs as reports show them
package scope
