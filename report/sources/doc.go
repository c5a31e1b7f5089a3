// Package sources finds the places in the sources that the pages of a built site
// were made from, so that a finding leads to the line to mend.
//
//	tree.go    the files of the sources, and under which names pages of theirs may be published
//	keys.go    how generators turn the path of a source into the path of a page
//	match.go   which link of a source a reference on its page was made from
//
// A page is matched with its source by what generators have in common: the path
// of a page is that of its source without its extension, without "index" or
// "README", and often without the directories above it. A link to edit the page, and the
// copies of sources that Sphinx publishes, tell more. Within the source the reference is
// found by how it is written, else by where it leads, else by its text, and where
// there are several by their order. What stays ambiguous is left as it was.
package sources
