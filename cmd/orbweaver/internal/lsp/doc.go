// Package lsp speaks the Language Server Protocol 3.18 with an editor, about the links of the documents
// that it edits.
//
//	frame.go        messages on the wire: Content-Length and JSON
//	message.go      what a message says, and the errors of JSON-RPC
//	server.go       reads messages, and calls what answers them; methods.go: the table
//	lifecycle.go    initialize, shutdown, exit
//	text.go         the text of an open document, and positions in three encodings
//	sync.go         what the editor has open, and how it changes it
//	folders.go      the folders of the workspace; judging.go: judges them again after changes
//	diagnostics.go  findings, pushed and pulled
//
// What is wrong with the documents comes from package workspace, and that has it from the engine of
// `orbweaver check`. One goroutine reads messages and applies notifications in order. Requests are answered by
// goroutines of their own from an index that does not change. One more judges, one run at a
// time, except large documents, which are judged beside it.
package lsp
