// Package report turns what a run finds into bytes, and reads them back.
//
// A report passes through one line of stations, the same for every format:
//
//	Result → sieve → sorter → a format's Writer → file or standard output
//
// Each of them does one thing:
//
//   - the sieve (sieve.go) is the one place that decides what is shown and the one
//     place that makes strings fit to print: no passwords, valid UTF-8;
//   - the sorter (sorter.go) holds results until the end, for formats that do not
//     stream, so that two runs over the same site give the same bytes;
//   - a format is a row of [Formats] and a file named after it;
//   - [Multi] feeds several reports at once and puts files in place whole or not
//     at all.
//
// So a format's Writer may trust that what reaches it is shown, clean, in order
// and, unless it streams, that [Head.Summary] is there from the start. What it
// still has to do is to escape for its own syntax: every string came from a page,
// and a page may be hostile.
//
// Besides, [Read] reads a JSON report, [Compare] tells two apart, and [Policy] is
// the table of exit statuses.
package report
