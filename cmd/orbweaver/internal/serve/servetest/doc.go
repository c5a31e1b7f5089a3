// Package servetest tests `orbweaver serve` from outside: the real program, started as a
// process, talked to over HTTP. Every answer of the API is compared with the OpenAPI document
// that the same server publishes.
//
//	go test ./cmd/orbweaver/serve/servetest -kills 200    kills the server that often
//	go test ./cmd/orbweaver/serve/servetest -references 1000000 -run Large
package servetest
