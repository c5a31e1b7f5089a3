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
		"initialize":                  answers(initialize),
		"shutdown":                    answers(shutdown),
		"textDocument/diagnostic":     answers(documentDiagnostic),
		"workspace/diagnostic":        answers(workspaceDiagnostic),
		"textDocument/hover":          answers(hover),
		"textDocument/definition":     answers(definition),
		"textDocument/references":     answers(references),
		"textDocument/documentLink":   answers(documentLinks),
		"textDocument/documentSymbol": answers(documentSymbols),
		"textDocument/completion":     answers(completion),
		"textDocument/prepareRename":  answers(prepareRename),
		"textDocument/rename":         answers(rename),
		"textDocument/codeAction":     answers(codeActions),
		"codeAction/resolve":          answers(resolveAction),
		"textDocument/codeLens":       answers(codeLenses),
		"workspace/symbol":            answers(workspaceSymbols),
		"workspace/willRenameFiles":   answers(willRenameFiles),
		"workspace/executeCommand":    answers(executeCommand),
	}
	notifications = map[string]func(context.Context, *Server, json.RawMessage) error{
		"initialized":                         takes(initialized),
		"$/cancelRequest":                     takes(cancelRequest),
		"window/workDoneProgress/cancel":      takes(cancelProgress),
		"textDocument/didOpen":                takes(didOpen),
		"textDocument/didChange":              takes(didChange),
		"textDocument/didSave":                takes(didSave),
		"textDocument/didClose":               takes(didClose),
		"workspace/didChangeConfiguration":    takes(didChangeConfiguration),
		"workspace/didChangeWorkspaceFolders": takes(didChangeWorkspaceFolders),
		"workspace/didRenameFiles":            takes(didRenameFiles),
		"workspace/didChangeWatchedFiles":     takes(didChangeWatchedFiles),
	}
}
