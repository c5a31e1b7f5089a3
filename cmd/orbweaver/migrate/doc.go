// Package migrate reads the configuration files of other link checkers and says
// what they ask for in Orbweaver's own settings.
//
//	lychee.toml, .lycheeignore    lychee.go
//	linkcheckerrc                 linkchecker.go
//	.htmltest.yml                 htmltest.go
//
// Each reader is a table: one row for each option of the other program, which
// either carries it over or says why that cannot be done. An option without a row
// is left and said, so that nothing is dropped in silence.
package migrate
