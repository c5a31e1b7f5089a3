package cache

// The file is an SQLite database, so that anybody can look into it:
//
//	application_id   0x4F524257 ("ORBW")
//	user_version     the version of the format
//	journal_mode     DELETE: nothing lies beside the file unless somebody writes
//
// Version 1:
//
//	meta   name, value     "salt": 16 random bytes that secrets are stretched with
//	                       "cleared": random, written to get rid of what a killed process left
//	entry  key             16 bytes, see Cache.Key
//	       url             for people: as printed, passwords hidden
//	       kind            for people: presence, anchors, page or redirect
//	       status          for people: of the answer
//	       checked         seconds since 1970: when it last answered
//	       seen            seconds since 1970: when a run last wanted it, to half a day
//	       record          the Entry, see encoding.go
//
// Version 2 adds:
//
//	meta     "runs"          how many runs the history holds
//	history  url             as printed
//	         code            why it was broken, the last time
//	         first, last     seconds since 1970: when it was first and last found broken
//	         since           when the present row of runs began that found it broken
//	         ok              when it was last found mended, 0 for never
//	         runs            how many runs in a row found it broken, 0 when it is mended
//	         broken, told    how many runs found it broken, of so many that told of it
//	         returns         how often it was broken again after it had been mended
//
// Version 3 adds:
//
//	entry    run             who observed it: when its crawl began, in nanoseconds since
//	                         1970; 0 is not known
//	         before          seconds since 1970: when another run had last observed the
//	                         same, 0 for never
const (
	applicationID = 0x4F524257
	formatVersion = 3
)

// migrations lead from each version to the next, beginning with an empty file.
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
}
