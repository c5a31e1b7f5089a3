// Package migrate reads the configuration files of other link checkers and converts them
// to settings of Orbweaver.
//
//	lychee.toml, .lycheeignore    lychee.go
//	linkcheckerrc                 linkchecker.go, linkchecker_checks.go, linkchecker_errors.go
//	.htmltest.yml                 htmltest.go
//	linkinator.config.json        linkinator.go
//	makefiles, workflows          commands.go: which commands run a link checker, and their flags;
//	                              shell.go: the words of a command; muffet.go: the flags of muffet
//
// Find looks for all of them in a directory. HideSecrets takes the secrets out of what was
// imported. The files may come from strangers: they are read, and nothing is run.
//
// Each reader has a row for each option of the other program (rows.go). The row imports the
// option or has the reason why that is not possible. An unknown option is reported too, so no
// option is ignored silently.
package migrate
