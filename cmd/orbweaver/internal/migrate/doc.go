// Package migrate reads the configuration files of other link checkers, and of site
// generators, and converts them to settings of Orbweaver.
//
//	config.go                  what was imported, and what was not
//	rows.go                    a row for each option of another program, and how rows import values
//	formats.go, find.go        which files there are
//	commands.go, flags.go      makefiles and workflows: which commands run a link checker, and
//	                           their flags; shell.go: the words of a command
//	literal.go                 values in programs of Ruby, Python and JavaScript
//	generators.go, sphinx.go   site generators
//
// The other files have the rows of a program, and are named after it.
//
// Find looks for all of them in a directory. HideSecrets takes the secrets out of what was
// imported. The files may come from strangers: they are read, and nothing is run.
//
// A row imports an option or has the reason why that is not possible. An unknown option is
// reported too, so no option is ignored silently.
package migrate
