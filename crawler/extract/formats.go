package extract

import (
	"slices"
	"strings"
)

// formats are the formats in the order in which they are tried.
var formats = []*format{&netscapeFormat, &chromiumFormat, &firefoxBackupFormat, &htmlFormat, &xhtmlFormat, &cssFormat,
	&sitemapFormat, &rssFormat, &atomFormat, &opmlFormat, &svgFormat, &safariFormat, &xmlFormat, &gzipFormat,
	&placesFormat, &placesCopyFormat, &mozillaLZ4Format, &safariBinaryFormat, &operaFormat,
	&jsonFeedFormat, &jsonFeedTypedFormat, &notebookServedFormat, &manifestFormat, &manifestNamedFormat,
	&docxFormat, &xlsxFormat, &pptxFormat, &odtFormat, &odsFormat, &odpFormat, &odgFormat, &epubFormat, &pdfFormat,
	&markdownFormat, &notebookFormat, &rstFormat, &asciidocFormat, &asciidocShortFormat, &orgFormat, &geminiFormat, &redirectsFormat,
	&textFormat, &csvFormat, &tsvFormat, &mailFormat}

// unspecific media types do not determine the format. Servers send them for files of unknown
// type.
var unspecific = map[string]bool{
	"": true, "application/octet-stream": true, "binary/octet-stream": true,
	"application/unknown": true, "unknown/unknown": true, "*/*": true,
}

// Readable returns the format of a document, and whether there is a reader for it. The media
// type comes first: unless it is missing or unspecific (application/octet-stream), it decides
// alone, even if there is no reader for it, so a document that the server declares as an
// image is not read. Then the name or its extension decides, if a format lists it, and
// finally the first bytes. Formats based on another one (bookmarks in HTML, feeds in XML,
// manifests in JSON) always need the first bytes to be recognized. head may be shorter than
// SniffLength. A nil head means that the content is not available; an empty head means that
// the content is empty.
func Readable(contentType, name string, head []byte) (format string, ok bool) {
	if f := formatOf(contentType, name, head); f != nil {
		return f.name, true
	}
	return "", false
}

// InDirectory reports whether documents of a format, as returned by Readable, are read when
// they are found in a directory. Documents of other formats, such as plain text, are read
// only when the user names them.
func InDirectory(format string) bool {
	for _, f := range formats {
		if f.name == format && !f.onlyNamed {
			return true
		}
	}
	return false
}

// MediaType returns the media type of a format, given its name or an extension, or "".
func MediaType(name string) string {
	for _, f := range formats {
		if len(f.media) > 0 && (f.name == name || slices.Contains(f.extensions, name)) {
			return f.media[0]
		}
	}
	return ""
}

// ReadInPlace reports whether documents of a format, as returned by Readable, are read from
// the file at Input.Path. Body then needs to hold only the first bytes.
func ReadInPlace(format string) bool {
	for _, f := range formats {
		if f.name == format && f.inPlace {
			return true
		}
	}
	return false
}

// ReadInPieces reports whether documents of a format, as returned by Readable, can be read in
// pieces (Input.Rest).
func ReadInPieces(format string) bool {
	for _, f := range formats {
		if f.name == format && f.pieces {
			return true
		}
	}
	return false
}

// format returns the format of a document. A document without a body is treated as empty,
// unless it can be read from its file.
func (in *Input) format() *format {
	head := in.Body
	if head == nil && in.Path == "" {
		head = []byte{}
	}
	return formatOf(in.ContentType, in.Name, head)
}

func formatOf(contentType, name string, head []byte) *format {
	head = head[:min(len(head), SniffLength)]
	media, _, _ := strings.Cut(contentType, ";")
	if media = strings.ToLower(strings.Trim(media, " \t\r\n")); !unspecific[media] {
		return findFormat(head, func(f *format) bool { return slices.Contains(f.media, media) })
	}
	name = strings.ToLower(name)
	if f := findFormat(head, func(f *format) bool { return slices.Contains(f.names, name) }); f != nil {
		return f
	}
	if dot := strings.LastIndexByte(name, '.'); dot >= 0 {
		extension := name[dot+1:]
		if f := findFormat(head, func(f *format) bool { return slices.Contains(f.extensions, extension) }); f != nil {
			return f
		}
	}
	return findFormat(head, func(f *format) bool { return f.sniff != nil && !f.weakSniff && f.sniff(head) })
}

// findFormat returns the first format that satisfies is and, for a mustSniff format, whose
// signature matches head. If head is not available, it returns a mustSniff format only if no
// other format satisfies is.
func findFormat(head []byte, is func(*format) bool) *format {
	var unproven *format
	for _, f := range formats {
		switch {
		case !is(f):
		case !f.mustSniff || head != nil && f.sniff(head):
			return f
		case head == nil && unproven == nil:
			unproven = f
		}
	}
	return unproven
}
