// Package webtest tests the pages of `orbweaver serve` in a real browser: the real program,
// reached directly and behind nginx below a path, with scripts and without, by mouse and by
// keyboard alone. axe-core looks at every page.
//
// SHOTS=DIR writes pictures of the pages to a directory:
//
//	SHOTS=/tmp/shots go test ./cmd/orbweaver/serve/webtest -run Pages/direct
package webtest
