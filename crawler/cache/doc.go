// Package cache keeps what runs learn from one run to the next, in one file.
//
//	entries   what targets answered when they were there     entry.go encoding.go
//	history   which targets were broken, and for how long     history.go
//	the file  an SQLite database, shared by processes        file.go schema.go aside.go
//
// # What an entry is
//
// An [Entry] is an observation, never a verdict: that a target answered, with what
// status and type, which anchors it has, and of a page the links as they were
// extracted. Each run judges observations by its own rules and resolves and
// scopes links anew. Only what was there is kept: a failure is asked again by
// every run.
//
// An entry stands for one request, with all that might change its answer
// ([Cache.Key]): the URL, what may be sent along, and the way there. Of passwords,
// tokens and cookies not even a plain hash is kept: they are stretched with a salt
// of the file's own.
//
// # The file
//
// Its format is documented in schema.go and versioned: an older file is migrated, a
// newer or damaged one is set aside under another name, never deleted. While
// nobody writes there is nothing beside it, so that it may be copied as it is.
// What is written is written in transactions: a process that is killed, or loses
// its power, leaves the state before or after one.
package cache
