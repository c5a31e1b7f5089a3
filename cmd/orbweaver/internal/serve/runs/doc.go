// Package runs executes the runs of the web interface: a queue of which a few run at a time,
// live progress, stopping and resuming, and what is left of runs when they are over.
//
//	Manager    the queue: Start resumes what an earlier process left, Add, Stop, Resume, Shutdown
//	Engine     what executes a crawl; the command provides it, with its own table of flags
//	Events     what happened in a run, as a file that every reader follows
//	execute.go one run from queued to its end
//
// A run is a row in the store and a directory that is exactly a --state directory. Each step
// is stored before it is shown, so a process that is killed at any point leaves nothing that
// the next one cannot continue:
//
//	queued        in the queue; the directory may not exist
//	running       the crawl is executed; after a kill, it is resumed from the directory
//	(crawl over)  the state says that it is finished; findings are indexed from it, again if need be
//	done          the row, the file of findings and the last event are written, in this order:
//	              findings, row, event. An event that is missing is written at the next start.
package runs
