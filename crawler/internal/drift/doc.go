// Package drift tells whether a page still says what it said when it was first seen. It keeps no
// text: a [Sketch] of some hundred bytes is enough to compare two versions.
//
// [OfPage] and [OfText] make the sketch of a text. Of a page, only its main text counts: not
// navigation, header and footer, and no block that is mostly links. Numbers, dates and versions do
// not count, nor does the case of letters.
//
// [Sketch.Similarity] estimates how much of a first text is still in a later one, as the share of
// its sequences of three words. What was added to a page, such as comments or a banner, makes no
// difference, so a page that grows does not drift.
//
// A sketch holds the sequences with the least hashes of all (a bottom-k sample), so two sketches
// hold the same sequences where the texts are the same, however long they are.
//
// testdata has versions of real pages, and their error rates are a test.
package drift
