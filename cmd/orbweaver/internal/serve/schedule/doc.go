// Package schedule reads the times at which a project runs by itself, and starts the runs.
//
//	Parse    five fields as of cron, or @hourly, @daily, @weekly   parse.go
//	Next     the next time in a time zone                          next.go
//	Keeper   waits for the next time of every project              keeper.go
//
// It is a parser of our own, because the libraries for cron either are not maintained or
// accept more than POSIX says: seconds, years, and letters with several meanings.
package schedule
