// Package evidence keeps what a run asked and was answered, as WARC files (ISO 28500:2017, WARC
// 1.1).
//
//	k, err := evidence.Create(evidence.Options{Path: "site.wacz", Software: "orbweaver/1.0"})
//	config.Recorder = k // of a fetch.HTTPConfig
//	k.Judged(r)         // for each result of the run
//	err = k.Finish(evidence.Run{Complete: true, Targets: targets})
//
// While the run works, each exchange is appended to PATH.part within a second of its end, with its secrets
// masked, and what the end must know of it is noted. What is wanted is known only at the end, when
// there are verdicts: Finish copies what is wanted from PATH.part to its place, sorted by target.
//
//	keeper.go       Keeper: PATH.part, as a fetch.Recorder
//	part.go         writing PATH.part
//	exchange.go     one exchange becomes records
//	spool.go        bodies that are too large for memory
//	mask.go         secrets
//	record.go       writing records; member.go reading them
//	compression.go  how well a record is compressed
//	known.go        what is known of exchanges and results, sorted, in bounded memory
//	choose.go       which exchanges are kept
//	finish.go       the files of the end: their order, names and sizes
//	place.go        whom an existing file belongs to
package evidence
