// Package extract finds the links of a document, each with its place, and the
// anchors a fragment may name.
//
// A caller fills in an [Input] and calls [Extract], or [ExtractInto] for many documents
// one after the other. The [Document] holds the links, the anchors and what could not
// be read. [Readable] tells before that, from a media type, a file name and the first
// bytes, whether any reader takes a document. [FromHeaders] reads the links in the
// header of a response, and a [Rereader] finds the rest of links that were read bare.
// Package edit, below this one, writes one reference anew.
//
// Extract picks the reader from the table in formats.go and turns the document into
// UTF-8. Each format is entered through its row of that table. The first word of a
// file's name says what the file is about:
//
//	format       what a format is; formats.go has the table of them
//	document     what every reader fills: links, anchors, places, documents in documents
//	decode       encodings, and reading a document piece by piece
//	headers      links in the header of a response
//	html         HTML; the readers of Markdown, feeds, books and mail use it too
//	css          style sheets
//	json         JSON: JSON-LD, import maps, web app manifests
//	xml          XML and its vocabularies' common part; SVG and XHTML fragments
//	feed         RSS and Atom, JSON Feed, OPML
//	sitemap      sitemaps
//	md           Markdown
//	markup       markup read line by line: reStructuredText, AsciiDoc, Org
//	text         plain text, CSV, Gemini, and URLs in running text, which all markup may hold
//	notebook     Jupyter notebooks
//	mail         mail messages
//	bookmarks    the bookmark files of browsers
//	office       archives of parts: Office Open XML, OpenDocument, EPUB
//	pdf          PDF
//	gzip         any of the text formats, compressed
//
// The files ascii, whitespace and eightbytes compare and search bytes for all of them.
//
// HTML is read in one pass over its tokens, without a tree: a tree knows no
// places. Each step has its file:
//
//	html_tokens.go      text, tags and comments as stretches of the source
//	html_scanner.go     ordinary markup, read in place
//	html_skim.go        what means nothing to the reader, passed over
//	html_attributes.go  where in any other tag, which the tokenizer found, its attributes stand
//	html_starttag.go    a tag taken apart
//	html_names.go       names of elements and attributes, looked up
//	html_reader.go      the pass: what a tag and a text mean
//	html_open.go        the open elements that change what a tag means; html_foreign.go SVG and MathML
//	html_plainlinks.go  links and ids as nearly all are written, past all of that
//	html_knowntags.go   tags that each page of a site begins with, remembered from the page before
//	html_elements.go    the tables: which attribute of which element holds references, and how
//	html_links.go       references out of attributes, by html_linktypes.go, html_meta.go,
//	                    html_srcset.go and html_refresh.go
//	html_repeats.go     references that the document has had before
//	html_charref.go     character references, decoded; document_view.go has the way back
//	                    from decoded text to the source
//	html_structure.go   selectors and inline marks, which need a tree after all
//	css_tokens.go       the URLs of a style sheet
//	json_linkeddata.go  the URLs of JSON-LD
//
// What a browser shows counts: content of comments, scripts, templates and of
// elements that are text (textarea, xmp, iframe) holds no links, content of
// noscript does.
//
// Where browsers build a tree and we do not, the source speaks. Tags that a parser drops
// where they may not stand count, with their ids: a tr outside of a table, a second body,
// markup in a frameset. What an end tag closes of SVG and MathML that were left open is
// guessed from its name, and a template with shadowrootmode is taken for a shadow tree
// wherever it stands. The id of a template itself is no anchor: it is never shown.
package extract
