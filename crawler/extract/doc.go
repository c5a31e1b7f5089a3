// Package extract finds the links of a document, with the position of each, and the anchors
// that a fragment can point to.
//
//	doc := extract.Extract(extract.Input{Name: "guide.md", Body: text})
//	for _, l := range doc.Links {
//		fmt.Println(l.Line, l.Column, l.Ref)
//	}
//
// To read a document, fill in an [Input] and call [Extract], or [ExtractInto] to read many
// documents with one [Document]. The Document holds the links, the anchors and the faults:
// what could not be read. [Readable] reports, from a media type, a file name and the first
// bytes, whether Extract has a reader for a document. [FromHeaders] reads the links in the
// header of a response. A [Rereader] fills in the fields that bare links lack. To change
// a reference in a document, use package edit in the directory below.
//
// Extract chooses a reader from the table in formats.go and decodes the document to UTF-8.
// Every format is a row of that table. The first word of a file's name is its subject:
//
//	format       what a format is; the table of formats is in formats.go
//	document     what all readers share: links, anchors, positions, embedded documents
//	decode       character encodings, and reading a document in pieces
//	headers      links in the header of a response
//	html         HTML; the readers of Markdown, feeds, books and mail use it too
//	css          style sheets
//	json         JSON: JSON-LD, import maps, web app manifests
//	xml          XML, and what its vocabularies have in common; SVG and XHTML fragments
//	feed         RSS and Atom, JSON Feed, OPML
//	sitemap      sitemaps
//	md           Markdown
//	markup       line-based markup: reStructuredText, AsciiDoc, Org
//	text         plain text, CSV, Gemini, and the URLs in running text of any markup
//	notebook     Jupyter notebooks
//	mail         mail messages
//	bookmarks    the bookmark files of browsers
//	office       archives of parts: Office Open XML, OpenDocument, EPUB
//	pdf          PDF
//	gzip         any of the text formats, compressed
//	inflate      the unpacking of all these, and its limits
//
// The files ascii, whitespace and eightbytes compare and search bytes for all readers.
//
// HTML is read in one pass over its tokens, without building a tree, because a tree does not
// record positions. Each step has its own file:
//
//	html_tokens.go      the tokens of package htmltoken as events
//	html_skim.go        skips markup that means nothing to the reader, or that the caller has
//	                    looked at (Input.Outline)
//	html_attributes.go  the attributes of tags of XML, and of tags whose token is gone
//	html_starttag.go    the parts of a start tag
//	html_names.go       lookup of element and attribute names
//	html_reader.go      the pass over the tokens: what a tag and a text mean
//	html_open.go        the open elements that change what a tag means
//	html_plainlinks.go  the fast path for links and ids in their most common form
//	html_knowntags.go   the fast path for tags that are the same on every page of a site
//	html_elements.go    the tables: which attributes of which elements hold references, and how
//	html_links.go       the references in attributes, with html_linktypes.go, html_meta.go,
//	                    html_srcset.go and html_refresh.go
//	html_repeats.go     references that occurred earlier in the document
//	html_charref.go     decoding of character references; document_view.go maps the decoded
//	                    text back to the source
//	html_structure.go   selectors and inline marks, which do need a tree
//	css_tokens.go       the URLs of a style sheet
//	json_linkeddata.go  the URLs of JSON-LD
//
// The links of a page are those that a browser shows: comments, scripts, templates and
// elements whose content is text (textarea, xmp, iframe) contain no links; noscript does.
//
// The reader differs from a browser where the answer depends on the tree. Tags that a parser
// drops because they are misplaced still count, with their ids: a tr outside a table, a
// second body, markup in a frameset. When SVG or MathML elements were left open, the reader
// guesses from the name of an end tag which of them it closes. Every template with
// shadowrootmode is taken for a shadow tree, wherever it is. The id of a template is not an
// anchor, because a template is never shown.
package extract
