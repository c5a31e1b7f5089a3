// Package rules holds the words that all rooms of the crawler share: what a run is told
// to do ([Config], [Seed], [Rule]), what it says ([Result], [Page], [Summary], [Sink]),
// how far it goes ([Scope]), and how URLs are printed ([Printer]).
//
// Package crawler has the names that callers need under its own name; this package is
// for the rooms that must not know the crawler itself.
//
//	config.go   Config and its defaults
//	result.go   what a Sink receives
//	href.go     Href: a resolved reference and where its parts lie
//	scope.go    Scope.Decide: follow, only check, or leave alone
//	sites.go    directories that answer for URLs
//	signout.go  links that a signed-in crawl leaves alone
//	printer.go  URLs as reports show them
package rules
