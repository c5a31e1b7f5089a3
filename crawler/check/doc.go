// Package check has the words of verdicts: the table of codes, and the verdicts and levels
// that results are made of.
//
//	entry, ok := check.Lookup("http-404")
//	fmt.Println(entry.Title, entry.Advice)
//
// codes_table.go and codes_pages.go hold every code that users see, with its texts and
// verdicts; codes_http.go those of HTTP statuses. The engine judges targets by these
// tables; reports, `orbweaver explain` and the guides print them.
package check
