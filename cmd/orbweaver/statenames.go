package main

import "github.com/orbweaver/orbweaver/cmd/orbweaver/internal/serve/runs"

// Names within a state directory.
const (
	stateFile    = runs.StateFile
	previousFile = "previous.sqlite" // the previous crawl, which is complete
	cacheFile    = "cache.db"        // the cache for the next crawl, unless --cache names another
	lockFile     = "lock"
	evidenceFile = "evidence.warc.gz" // what the sessions of an unfinished crawl asked, with --evidence
)

// Names of values that are stored with the targets.
const (
	storedCommand  = "command"
	storedStdin    = "standard input"
	storedPrograms = "programs"
	storedFiles    = "files" // of directories, to find those that nothing refers to
)
