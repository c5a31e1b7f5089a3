// Package option has the flags of the commands.
//
// [Flag] is one row of the table: its name, its default, its words for the help; what a
// configuration that was found may do with it ([Permission]); whether a project of the web
// interface may set it, and how its form shows it ([Field]); whether it is sent to workers,
// and what of it is secret. Command line, help, manual page, shell completion, orbweaver.toml,
// environment, forms, API and guides read the table: a new flag is a new row, and the line that
// interprets its value.
//
//	table.go    the flags
//	flag.go     Flag and its parts
//	values.go   Values: what was given, as text
//	found.go    Permission and May: configurations that nobody named; paths.go, their paths
package option
