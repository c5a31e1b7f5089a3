package lsp

import (
	"context"
	"encoding/json"
)

// requests are the methods that are answered, and notifications those that are not.
var (
	requests      map[string]handler
	notifications map[string]func(context.Context, *Server, json.RawMessage) error
)

func init() { // the handlers refer to the tables
	requests = map[string]handler{
		"initialize":              answers(initialize),
		"shutdown":                answers(shutdown),
		"textDocument/diagnostic": answers(documentDiagnostic),
		"workspace/diagnostic":    answers(workspaceDiagnostic),
	}
	notifications = map[string]func(context.Context, *Server, json.RawMessage) error{
		"initialized":                         takes(initialized),
		"$/cancelRequest":                     takes(cancelRequest),
		"textDocument/didOpen":                takes(didOpen),
		"textDocument/didChange":              takes(didChange),
		"textDocument/didSave":                takes(didSave),
		"textDocument/didClose":               takes(didClose),
		"workspace/didChangeConfiguration":    takes(didChangeConfiguration),
		"workspace/didChangeWorkspaceFolders": takes(didChangeWorkspaceFolders),
		"workspace/didChangeWatchedFiles":     takes(didChangeWatchedFiles),
	}
}
