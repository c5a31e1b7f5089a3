// Package rules declares what the packages of the crawler share: the configuration of a run
// ([Config], [Seed], [Rule]), the set of URLs that it reads ([Scope]), and the form in which
// URLs are printed ([Printer]).
//
// Package crawler has aliases for the names that its callers need.
//
//	config.go   Config and its defaults
//	href.go     Href: a resolved reference and the offsets of its components
//	scope.go    Scope.Decide: follow, only check, or skip
//	sites.go    directories that answer for URLs
//	signout.go  links that an authenticated crawl skips; signoutwords.go, their texts
//	printer.go  URLs as reports show them
package rules
