// Package diskstore keeps a crawl in a file, so that another process can go on
// with it.
package diskstore
