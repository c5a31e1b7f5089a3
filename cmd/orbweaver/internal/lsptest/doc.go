// Package lsptest tests `orbweaver lsp` over pipes, as an editor uses it, with `orbweaver check` and `orbweaver fix`
// of the same program as the measure.
package lsptest
