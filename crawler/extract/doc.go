// Package extract finds the links of a document, each with its place, and the
// anchors a fragment may name.
//
// One file a format. [Extract] picks the reader by media type, then by the
// document's file name, then by its first bytes (formats.go has the table), and
// turns the document into UTF-8 (decode.go).
//
// HTML is read in one pass over its tokens, without a tree: a tree knows no
// places. Each step has its file:
//
//	tokens.go       text, tags and comments as stretches of the source
//	scanner.go      ordinary markup, read in place
//	skim.go         what means nothing to the reader, passed over
//	attributes.go   where in any other tag, which the tokenizer found, its attributes stand
//	starttag.go     a tag taken apart
//	names.go        names of elements and attributes, looked up
//	htmlreader.go   the pass: what is open, what a tag and a text mean
//	plainlinks.go   links and ids as nearly all are written, past all of that
//	knowntags.go    tags that each page of a site begins with, remembered from the page before
//	elements.go     the tables: which attribute of which element holds references, and how
//	htmllinks.go    references out of attributes, by rel.go, meta.go, srcset.go, refresh.go
//	csstokens.go    the URLs of a style sheet
//	jsonld.go       the URLs of JSON-LD
//	charref.go      decoding, and the way back from decoded text to the source
//	places.go       offsets to lines and columns
//	repeats.go      references that the document has had before
//	anchors.go      ids and names, and their hashes
//	harvest.go      what was found, and its strings
//	structure.go    selectors and inline marks, which need a tree after all
//
// The other formats share what they can:
//
//	bookmark.go     what every bookmark file gives; netscape.go, bookmarksjson.go, mozlz4.go,
//	                firefoxplaces.go, safari.go, safaribinary.go and operahotlist.go read one each
//	xmltokens.go    XML as stretches of the source; xml.go and xmlvalues.go what all of it shares,
//	                sitemap.go, feed.go and opml.go the vocabularies
//	jsontokens.go   JSON likewise; manifest.go and jsonfeed.go are read by rules
//	container.go    archives of parts; ooxml.go, opendocument.go and epub.go
//	pdfobjects.go   the objects of a PDF, pdfvalues.go their syntax, pdf.go their meaning
//	markdown.go     Markdown, with a map of its own; slugs.go the anchors of headings
//	linemarkup.go   markup read line by line: rst.go, asciidoc.go and org.go
//	running.go      URLs in running text, for plaintext.go, csv.go and all markup; placeholder.go
//	                what only looks like one
//	embed.go        documents in documents: the cells of notebook.go, the parts of mail.go
//	gzip.go         any of the text formats, compressed
//	headers.go      links in the header of a response
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
