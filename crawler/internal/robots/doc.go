// Package robots reports whether a crawl may request a URL (RFC 9309).
//
// A [Cache] keeps the rules of each origin for a day:
//
//	rules, err := cache.Rules(ctx, u, get)
//	if !rules.Allowed(u.RequestTarget()) {
//		fmt.Println(rules.Reason(u.RequestTarget()))
//	}
//
// The caller sends the requests, so that the robots.txt of a host is fetched with the
// same connections, credentials and limits as its pages. The caller also
// decides how often an unavailable robots.txt is requested again. The package starts no
// goroutine.
//
//	robots.go   Rules: what one robots.txt tells one agent
//	read.go     the lines of a robots.txt, group by group
//	match.go    one rule against one path
//	fetch.go    the meaning of a status, a redirect or a failure
//	cache.go    the rules of many origins
//	nofollow.go the X-Robots-Tag header of a page
package robots
