// Package gitignore tells which files below a directory git ignores.
//
// [Open] finds the work tree that contains the directory. A [Tree] answers what `git
// check-ignore` would: by the .gitignore files of the work tree, .git/info/exclude and
// core.excludesFile (gitignore(5)), and by the index, because git never ignores what it
// tracks. It runs no git and writes nothing.
//
//	tree.go        the work tree: the files with patterns, and their order
//	pattern.go     one line with a pattern
//	wildcard.go    the wildcards of a pattern
//	repository.go  .git: directories, configuration, the names in the index
package gitignore
