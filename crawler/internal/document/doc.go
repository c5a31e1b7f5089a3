// Package document reads the document of one response: what is needed of its body, its links
// and anchors, and what content checks find in it.
package document
