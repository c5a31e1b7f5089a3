// Package findings keeps what one run found in a file that answers the questions of the web
// interface quickly: lists with filters, sorting and cursors, single results, and pages.
//
//	Builder   fills a new file from the results of a run, and compares it with the run before
//	Index     answers questions
//
// The state directory of a run stays the truth: a file of findings can be made again from it
// at any time. It exists because a state must be judged as a whole, which takes seconds for a
// large site, while a page of findings must appear at once.
//
// While a run is executed, its state is judged now and then, and the file replaced by one with
// what is known.
package findings
