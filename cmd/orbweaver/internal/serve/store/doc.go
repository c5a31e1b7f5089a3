// Package store keeps what the web interface knows besides the crawls themselves in one
// SQLite file, serve.db: projects, runs, marks, links, notices, users, tokens and sessions.
//
//	Open         checks the file before it touches it, and brings its tables up to date
//	schema.go    the tables: one entry of migrations for each version
//	projects.go  projects, and runs in runs.go, marks in marks.go
//
// Several processes may use the file at once: the commands that add users and tokens work
// while a server runs. One connection writes; SQLite's write-ahead log lets others read
// meanwhile. Other packages run their own statements through [Store.DB]; their tables are in
// schema.go too, so that one list of versions describes the whole file.
package store
