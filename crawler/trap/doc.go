// Package trap recognizes sites that have no end: calendars, session ids in paths,
// facets that combine, links that repeat a segment of their own path.
//
// Ask a [Guards] before each page:
//
//	if pattern, trapped := guards.Check(u); trapped {
//		// u belongs to the endless series that pattern describes
//	}
//
// Some rules look at one URL alone; budgets count the pages of one shape. Budgets are
// far above what real sites have, so that a site is never cut short, and every site
// comes to an end.
//
//	trap.go   Guards, Limits and their order
//	path.go   the shape of a path: numbers, dates, hashes
//	query.go  the shape of a query: names, repetitions, session ids
//	count.go  counts of shapes in bounded memory
package trap
