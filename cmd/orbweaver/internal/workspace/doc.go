// Package workspace knows what the documents of a directory say, and what is wrong with them, while
// they are edited.
//
// A [Judge] judges the references of documents as `orbweaver check` does: it is a run of the engine over
// the files of a directory, with the texts of open documents in place of their files. A [Folder] keeps
// what it found in an [Index]: the references of each document with their places and targets. After a
// change the folder asks the judge only about the documents whose findings may differ: the changed ones,
// if their anchors are others, those that refer to a fragment of them, and those for whose broken references
// other targets may be suggested than before.
//
// If files come or go, the judge lists the directory again and tells for which targets other files answer. The
// documents that refer to these are judged again, with all that have a broken reference or ask for files. All
// documents are judged again if what tells how a directory is published has changed, such as a configuration.
//
// What takes long waits for nobody: large documents, and what depends on them, are due at first. [Folder.Apart]
// judges them while updates go on, and [Folder.Join] adds what it found.
//
// An Index never changes. Requests that use the same one see one version of all texts.
package workspace
