// Package plugin checks pages with programs of the user: processes that are kept, and that
// speak JSON, one message per line, on their standard input and output.
//
//	plugins, err := plugin.Start(ctx, configs)     // hello; an error is a mistake of the configuration
//	declared := plugins[0].Declared()              // the codes that it may report
//	answer, err := plugins[0].Check(ctx, page)     // findings and links of a page
//	err = plugins[0].Lost()                        // it failed on five pages in a row
//	plugins[0].Close()
//
//	config.go   Config and its check
//	plugin.go   Plugin: its free processes, its failures
//	process.go  process: one program with its pipes, from its start to its end
//	request.go  what is sent: hello and pages
//	answer.go   what comes back, and what is wrong with it
//
// # A page
//
// Each process has at most one page at a time, so a plugin with n workers has n pages out.
// [Plugin.Check] waits for a free process, writes the page as one line, and reads one line.
// While it writes, it already reads, so a program may answer early.
//
// # Failures
//
// A plugin can harm nothing but the pages that it is given. If it does not answer in time,
// ends, or answers something that is not an answer to its page, the page gets the finding
// plugin-failed, nothing else of the answer is used, and the process is killed with its
// process group. The next page that gets this worker starts a new process. No page is sent
// twice. After five failures in a row, counted over all workers, no page is sent any more.
//
// Which page a failure costs depends on the program alone, not on the time at which its end
// or a line too many is noticed: what happens between two pages counts for the second.
//
// # Ends
//
// A program ends when its standard input ends. Whatever is left of its process group two
// seconds later is killed. A process is waited for only after that, so that its number
// cannot belong to another process group at that time.
package plugin
