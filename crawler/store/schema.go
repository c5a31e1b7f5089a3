package store

// The file is an SQLite database, so that other tools can read it:
//
//	application_id   0x4F524257 ("ORBW")
//	user_version     the version of the format
//	journal_mode     DELETE: there is no other file beside it while no process writes
//
// Version 1:
//
//	meta   name, value     "salt": 16 random bytes for stretching secrets
//	                       "cleared": random, written to remove the journal of a killed
//	                       process
//	entry  key             16 bytes, see Cache.Key
//	       url             for people: as printed, without passwords
//	       kind            for people: presence, anchors, page, redirect or sketch
//	       status          for people: of the answer
//	       checked         seconds since 1970: when the target last answered
//	       seen            seconds since 1970: when a run last used it, to half a day
//	       record          what was observed (package recall), then 8 bytes: XXH64 of the key and
//	                       all before this, little-endian
//
// Version 2 adds:
//
//	meta     "runs"          number of runs in the history
//	history  url             as printed
//	         code            the last code it was broken with
//	         first, last     seconds since 1970: when it was first and last found broken
//	         since           seconds since 1970: first of the last runs in a row that
//	                         found it broken
//	         ok              seconds since 1970: when it was last found fixed, 0 for never
//	         runs            number of runs in a row that found it broken, 0 if fixed
//	         broken, told    number of runs that found it broken, and that checked it
//	         returns         how often it was broken again after it was fixed
//
// Version 3 adds:
//
//	entry    run             the run that observed it: the start of its crawl in
//	                         nanoseconds since 1970, 0 if unknown
//	         before          seconds since 1970: when another run last observed the same,
//	                         0 for never
//
// Version 4 adds checksums, which are the lower 32 bits of XXH64, and removes "runs" from
// meta:
//
//	meta     "history"       numbers in decimal, with a space after each: runs in the history,
//	                         rows of the history, sum of their checksums, the last run in the
//	                         history as in entry.run; then the checksum of all these
//	entry    sum             checksum of key, checked, run and before, which are not in record;
//	                         null in a row that an older version wrote
//	history  sum             checksum of all columns before it
const (
	applicationID = 0x4F524257
	formatVersion = 4
)

// migrations convert a file from each version to the next. The first one begins with an
// empty file.
var migrations = [formatVersion]string{
	`CREATE TABLE meta (name TEXT PRIMARY KEY, value) WITHOUT ROWID;
	 INSERT INTO meta VALUES ('salt', randomblob(16));
	 CREATE TABLE entry (
	   key BLOB NOT NULL UNIQUE,
	   url TEXT NOT NULL,
	   kind TEXT NOT NULL,
	   status INTEGER NOT NULL,
	   checked INTEGER NOT NULL,
	   seen INTEGER NOT NULL,
	   record BLOB NOT NULL);
	 CREATE INDEX entry_seen ON entry (seen);`,
	`CREATE TABLE history (
	   url TEXT PRIMARY KEY,
	   code TEXT NOT NULL,
	   first INTEGER NOT NULL,
	   last INTEGER NOT NULL,
	   since INTEGER NOT NULL,
	   ok INTEGER NOT NULL,
	   runs INTEGER NOT NULL,
	   broken INTEGER NOT NULL,
	   told INTEGER NOT NULL,
	   returns INTEGER NOT NULL) WITHOUT ROWID;`,
	`ALTER TABLE entry ADD COLUMN run INTEGER NOT NULL DEFAULT 0;
	 ALTER TABLE entry ADD COLUMN before INTEGER NOT NULL DEFAULT 0;`,
	`ALTER TABLE entry ADD COLUMN sum INTEGER;
	 ALTER TABLE history ADD COLUMN sum INTEGER NOT NULL DEFAULT 0;`,
}
