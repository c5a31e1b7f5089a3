// Package migrate reads the configuration files of other link checkers and converts them
// to settings of Orbweaver.
//
//	lychee.toml, .lycheeignore    lychee.go
//	linkcheckerrc                 linkchecker.go, linkchecker_checks.go
//	.htmltest.yml                 htmltest.go
//
// Each reader has a row for each option of the other program. The row imports the option
// or has the reason why that is not possible. An unknown option is reported too, so no
// option is ignored silently.
package migrate
