// Package result declares what a run tells its caller.
//
// [Soundness] is the one answer to the question how far the result of a run can be relied
// on. It is computed once, when verdicts are given. Exit status, reports, badges and the web
// interface are functions of it.
package result
