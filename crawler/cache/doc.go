// Package cache keeps what runs observe for later runs, in one file.
//
// A caller opens the file with Open, makes the key of a request with [Cache.Key], and
// gets, puts, confirms and deletes entries. After a run it adds the targets that were
// broken to the history with [Cache.AddRun]. Close writes what is pending and removes what
// is old.
//
//	entries   what targets answered            entry.go encoding.go key.go
//	history   which targets were broken when   history.go
//	the file  an SQLite database               file.go open.go schema.go setaside.go
//
// # Entries
//
// An [Entry] is an observation and not a verdict. It says that a target answered, with
// which status and type, which anchors it has, and for a page its references and their
// targets. Each run judges observations by its own rules. A run with other settings, which
// might decide otherwise about the links of a page, reads the page again (Page.Reader). Only
// targets that answered are kept: every run requests failed ones again.
//
// The key of an entry is the request with all that may change its answer: the URL, what
// may be sent with it, and the proxy. Passwords, tokens and cookies are not in the file,
// not even as a plain hash: they are stretched with a salt of the file.
//
// # The file
//
// The format is documented in schema.go and has a version. A file of an older version
// is converted. A damaged or newer one is renamed and never deleted. While no process
// writes, there are no other files next to it, so that it can be copied. All writes are
// in transactions: a killed process or a power failure leaves the state before or after
// one.
package cache
