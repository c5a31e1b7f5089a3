// Package trap recognizes endless sites: calendars, session IDs in paths, combinations
// of filters, and links that repeat a segment of their own path.
//
// Ask a [Guards] before each page:
//
//	if pattern, trapped := guards.Check(u); trapped {
//		// u belongs to the endless series that pattern describes
//	}
//
// Some rules look at a single URL; budgets count the pages of one shape. Budgets are
// far above what real sites need, so a real site is never cut short, yet every crawl of
// a site ends.
//
// A site may also make up names without a pattern. A [Growth] recognizes that by the links
// between its pages.
//
//	trap.go   Guards, Limits and the order of the rules
//	path.go   the shape of a path: numbers, dates, hashes
//	query.go  the shape of a query: names, repetitions, session IDs
//	count.go  counts of shapes in bounded memory
//	growth.go pages that lead to ever new pages
//	copies.go one page for whatever is asked for
//	tail.go   from when on only pages that look generated were found
package trap
