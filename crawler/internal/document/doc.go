// Package document reads the document of one response: what is needed of its body, its links
// and anchors, and what content checks find in it. A Document goes through the steps of a
// Reader:
//
//	Scan      the whole body, for viruses                  inspect.go
//	Take      the body within its limits, and its format   body.go
//	Read      links and anchors                            reader.go
//	Inspect   what content checks find                     inspect.go
//	Release   the outcome                                  reader.go
//
// A Reader sends no requests and knows no other documents. What is to be done between the steps,
// such as to wait for a slot or to render a page, is up to its caller.
package document
