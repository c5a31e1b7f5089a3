// Package mcp is the Model Context Protocol server of the command mcp: tools with which an agent
// checks links, reads the findings page by page, and has them fixed.
//
// A [Server] offers the tools over an input and an output, one JSON message a line. It knows
// nothing about crawling: an [Engine] runs checks and makes edits. What it answers is small: an
// answer has at most 2,048 bytes unless the client asks for more, and what does not fit is on the
// next page. Text that comes from pages is data: it is cleaned of invisible characters, and is
// never part of what the server says about itself.
//
//	server.go   Server, and the calls of tools
//	lines.go    the messages: lines that are no message are answered, and do not end the session
//	tools.go    the table of tools
//	schema.go   arguments and results: schemas, and reading arguments by them
//	runs.go     the runs that are kept, and their findings in order
//	answers.go  check, findings, finding, explain
//	verify.go   verify: works, dead, never-seen, unverifiable
//	edits.go    fixes and apply_fixes
//	page.go     what fits in an answer
//	clean.go    text of strangers
package mcp
