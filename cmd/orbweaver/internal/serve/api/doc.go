// Package api declares the objects of the web interface: what the API answers as JSON, and
// what the pages show. Field names are those of the JSON report. The server, its pages and
// the client of `orbweaver check --server` share them.
package api
