// Package report writes the results of a crawl in any of the [Formats], and reads
// JSON reports back.
//
// To write reports, a caller names the outputs, opens them, passes on what the crawl
// finds, and ends them:
//
//	out, err := report.Open([]report.Output{{Format: format, File: "links.json"}}, os.Stdout, report.Options{})
//	if err != nil { ... }
//	defer out.Close()
//	err = out.Begin(&report.Head{Tool: tool, Started: time.Now(), Targets: targets})
//	...                     // out.Result for each result, out.Page for each page
//	err = out.End(summary)  // writes what is left and puts the files in place
//
// [ByName] and [ParseOutput] choose a format. [Policy.Exit] turns the summary of the
// crawl into an exit status.
//
// To use a saved report, [Read] or [ReadFile] reads it, [Report.Write] writes it to
// other outputs, [Compare] compares two of them, and a [Baseline] marks the findings
// that an earlier report already has.
//
// # How a report is written
//
// Every result takes the same path, whatever the format:
//
//		Result → filter → sorter → Writer of the format → file or standard output
//
//	  - The filter (filter.go) drops results that are not shown, removes passwords, and
//	    makes strings valid UTF-8 (clean.go).
//	  - The sorter (sorter.go) holds the results until the end of the crawl, for formats
//	    that do not stream, so that two crawls of the same site give the same bytes.
//	  - A format is one row of [Formats] and one file, such as format_csv.go. No other
//	    file uses it.
//	  - [Multi] writes several reports at once. It replaces a file only when the report
//	    is complete (file.go).
//
// A format's [Writer] therefore gets clean results in order, and a [Head] with a
// summary unless the format streams. It must still escape strings for its own
// syntax: they come from pages, and a page may be hostile.
package report
