// Package clamd asks ClamAV's daemon whether bodies are infected.
//
// [Open] makes sure that clamd answers. [Scanner.Scan] then sends a body with the command
// INSTREAM and returns clean, found or unscanned. A body is clean only if clamd received all
// of it and said so. Whatever prevents that makes it unscanned, with the reason.
//
// Each exchange has a connection of its own and a time limit. An exchange that fails is
// tried three times in all. After that clamd is lost for the rest of the run: every later
// body is unscanned at once, and [Scanner.Lost] returns why.
//
// If a body is longer than clamd's StreamMaxLength, clamd answers and closes the connection
// while the body is still being sent. So the answer is read even after a failed write.
//
// clamd calls a body clean that it scanned only up to one of its limits, such as MaxFileSize.
// With its setting AlertExceedsMax it says so, and the body is unscanned.
//
// Results are not kept for equal bodies: sites rarely have any, and clamd itself caches the
// hashes of clean ones.
//
// clamd has no authentication and no encryption. Over TCP everyone on the way can read the
// bodies and change the answers.
package clamd
