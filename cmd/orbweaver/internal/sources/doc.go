// Package sources finds the places in source files that the pages of a built site were
// generated from, so that a finding leads to the line to fix.
//
//	tree, err := sources.Open("docs", workingDir, nil)
//	if err != nil {
//		return err
//	}
//	tree.Map(r) // of a *result.Result, before it is written
//
// [Open] reads a directory of sources, and [Tree.Map] sets the Source of the references
// of a result:
//
//	tree.go    the source files, and the possible paths of their pages
//	keys.go    how generators turn the path of a source into the path of a page
//	match.go   which link in a source a reference on its page was generated from
//
// A page is matched with its source by rules that generators have in common. The path of
// a page is the path of its source without the extension, without "index" or "README",
// and often without parent directories. If a page links to its source, to edit it or as
// a copy that Sphinx publishes, that link is used instead.
//
// In the source, a reference is found by its spelling, or else by its target, or else by
// its text. If several links match, their order decides. A reference that stays
// ambiguous does not get a Source.
package sources
