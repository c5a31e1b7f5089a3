// Package fix turns what a report proposes into edits of local files.
//
//	Result ── Propose ──> where it leads now, where it is to lead, and why
//	   │
//	   └─ references ── Make ──> Plan ──┬─ WritePatch: a patch that git apply takes
//	                                    └─ Write: the files themselves
//
// What is proposed is little, on purpose: the new address of what a server says has
// moved permanently, and suggestions that nothing else is as close as. An edit is made only
// where the reference still stands as the run has seen it; whatever else is
// found there is left alone, and said.
package fix
