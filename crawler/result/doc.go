// Package result declares what a run tells its caller: a [Sink] receives a [Result] for each
// target and a [Page] for each document, and the run returns a [Summary].
//
// [Soundness] is the one answer to the question how far the result of a run can be relied
// on. It is computed once, when verdicts are given. Exit status, reports, badges and the web
// interface are functions of it.
package result
