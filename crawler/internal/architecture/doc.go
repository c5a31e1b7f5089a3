// Package architecture has the tests that look at the source of the whole module: which package may
// import which, how large a type, a function and a cycle of files may be, that documentation opens
// with an example, and that everything compiles for systems on which no test runs.
package architecture
