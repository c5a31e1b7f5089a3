// Package content applies the [[content]] rules of the configuration to pages: strings and
// patterns that the text, the source, the title, some elements or a header field must or must
// not contain.
//
//	Rule ── Compile ──► Set ── NewChecker ──► Checker ── Check ──► judging.Finding
//
// All plain strings that are looked for in the same area of a page are in one [automaton], so
// a thousand of them cost little more than one. Each pattern is a pass of its own over the
// area, on the pages to which its rule applies.
//
// Plain strings are compared without regard to case, by simple case folding. In all areas but
// the source and header fields, a run of white space is one blank, in the string and in the
// page, as package visible describes. Patterns are compared with the text as it is after that.
//
// The text of an element that a selector matches is the visible text within it. Only script,
// style, title, iframe, noembed and noframes are searched for their content, if the selector
// matches the element itself.
//
// A page without the header field or without a title contains nothing there. A document that
// is not text has an empty text and an empty source.
package content
